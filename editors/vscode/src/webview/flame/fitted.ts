/** The first of some texts that has room, or else the beginning of the last. */
export function fitted(texts: readonly string[], room: number, measure: (text: string) => number): string {
  // No more characters than could have room: names may be very long.
  const most = Math.ceil(room / 2);
  const whole = texts.find((text) => text.length <= most && measure(text) <= room);
  if (whole !== undefined) return whole;
  const start = (texts.at(-1) ?? "").slice(0, most);
  let end = Math.min(start.length, Math.floor((start.length * room) / measure(start)));
  while (end > 0 && measure(`${start.slice(0, end)}…`) > room) end -= 1;
  return end > 0 ? `${start.slice(0, end)}…` : "";
}
