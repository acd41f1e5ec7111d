// The script of the flame graph panel: the component, in a page of VS Code. What is drawn comes from the extension.

import { FlameView } from "./flame/view";
import { hostOf } from "./host";
import type { FromFlameGraph, ToFlameGraph } from "./messages";

declare function acquireVsCodeApi(): { postMessage(message: FromFlameGraph): void };

const extension = acquireVsCodeApi();
const view = new FlameView(document.getElementById("flame") ?? document.body, hostOf((message) => extension.postMessage(message)));
window.addEventListener("message", ({ data }: MessageEvent<ToFlameGraph>) => {
  if (data.type === "picture") view.show(data.picture);
  else view.say(data.text);
});
extension.postMessage({ type: "ready" });
