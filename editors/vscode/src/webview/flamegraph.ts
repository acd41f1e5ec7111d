// The script of the flame graph panel: the component, in a page of VS Code. What is drawn comes from the extension.

import type { Place } from "./flame/picture";
import { FlameView } from "./flame/view";
import type { FromPage, ToPage } from "./messages";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const extension = acquireVsCodeApi();
const placeOf = ({ side, frame }: Place): Place => ({ side, frame });
const view = new FlameView(document.getElementById("flame") ?? document.body, {
  zoom: (place, skip) => extension.postMessage({ type: "zoom", place: placeOf(place), ...(skip !== undefined && { skip }) }),
  search: (text, regex) => extension.postMessage({ type: "search", text, regex }),
  draw: (kind) => extension.postMessage({ type: "draw", kind }),
  open: (place) => extension.postMessage({ type: "open", place: placeOf(place) }),
  run: (id, place) => extension.postMessage({ type: "run", id, place: placeOf(place) }),
});
window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.type === "picture") view.show(data.picture);
  else view.say(data.text);
});
extension.postMessage({ type: "ready" });
