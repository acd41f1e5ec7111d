// What a flame graph in a page of VS Code asks for, as messages to the extension.

import type { Place } from "./flame/picture";
import type { Host } from "./flame/view";
import type { FlameRequest } from "./messages";

export function hostOf(send: (message: FlameRequest) => void): Host {
  const placeOf = ({ picture, side, frame }: Place): Place => ({ picture, side, frame });
  return {
    zoom: (place, skip) => send({ type: "zoom", place: placeOf(place), ...(skip !== undefined && { skip }) }),
    search: (text, regex) => send({ type: "search", text, regex }),
    drawHidden: () => send({ type: "drawHidden" }),
    draw: (kind) => send({ type: "draw", kind }),
    open: (place) => send({ type: "open", place: placeOf(place) }),
    run: (id, place) => send({ type: "run", id, place: placeOf(place) }),
    range: (range) => send({ type: "range", range }),
  };
}
