// Numbers of things, as the server words them: `2002`, `16,000`.

const FORMAT = new Intl.NumberFormat("en", { useGrouping: "min2" });

export function counted(number: number, one: string, several: string): string {
  return `${grouped(number)} ${number === 1 ? one : several}`;
}

export function grouped(number: number): string {
  return FORMAT.format(number);
}
