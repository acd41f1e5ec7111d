// What the user chose instead of the settings, so that it can be chosen again when the server had to be started anew.

interface Step {
  readonly command: string;
  readonly argument: unknown;
}

export class Chosen {
  private view: Record<string, unknown> = {};
  private transforms: unknown[] = [];

  /** A command was carried out. */
  done(command: string, [argument]: readonly unknown[]): void {
    if (command === "costline.setView") this.view = { ...this.view, ...(argument as object) };
    if (command === "costline.pushTransform") this.transforms.push(argument);
    if (command === "costline.popTransform") this.transforms.pop();
    if (command === "costline.clearTransforms") this.transforms = [];
  }

  /** What leads there again; nothing is left to do for what is as in the settings. */
  again(): Step[] {
    const transforms = this.transforms;
    this.transforms = [];
    // `true` means what was shown at that moment: it is gone.
    const view = Object.fromEntries(Object.entries(this.view).filter(([, value]) => value !== null && value !== true));
    const first = Object.keys(view).length === 0 ? [] : [{ command: "costline.setView", argument: view }];
    return [...first, ...transforms.map((argument) => ({ command: "costline.pushTransform", argument }))];
  }
}
