// Makes elements of pages.

export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties: Partial<HTMLElementTagNameMap[Tag]>): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties);
}
