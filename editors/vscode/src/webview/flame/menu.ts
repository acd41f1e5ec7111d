// The menu of a frame, which keys and screen readers can use.

import type { MenuEntry } from "./picture";

/** Shows a menu, with lines between its groups, until an entry is chosen or the focus leaves it, which then returns to where it was. */
export function showMenu(parent: HTMLElement, label: string, groups: readonly (readonly MenuEntry[])[], at: { readonly x: number; readonly y: number }, choose: (id: string) => void): void {
  const before = document.activeElement;
  const menu = document.createElement("div");
  menu.className = "flame-menu";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", label);
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    menu.remove();
    if (before instanceof HTMLElement) before.focus();
  };
  const button = ({ id, title }: MenuEntry): HTMLButtonElement => {
    const entry = document.createElement("button");
    entry.type = "button";
    entry.setAttribute("role", "menuitem");
    entry.tabIndex = -1;
    entry.textContent = title;
    entry.addEventListener("click", () => {
      close();
      choose(id);
    });
    return entry;
  };
  const filled = groups.filter((entries) => entries.length > 0).map((entries) => entries.map(button));
  const buttons = filled.flat();
  menu.append(...filled.flatMap((entries, at) => (at === 0 ? entries : [document.createElement("hr"), ...entries])));
  menu.addEventListener("keydown", (event) => {
    const here = buttons.findIndex((button) => button === document.activeElement);
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next !== undefined) buttons.at(next % buttons.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && menu.contains(relatedTarget))) close();
  });
  parent.append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(0, Math.min(at.x, window.innerWidth - width))}px`;
  menu.style.top = `${Math.max(0, Math.min(at.y, window.innerHeight - height))}px`;
  buttons[0]?.focus();
}
