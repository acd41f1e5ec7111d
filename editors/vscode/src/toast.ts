// Messages of VS Code. They are cut off after some words, so they begin with the matter, and a button shows the whole text.

import * as vscode from "vscode";
import { headOf } from "./head";
import { plain } from "./text";

/** The button that shows the whole text. */
const DETAILS = "Details";

const SHOW = {
  error: vscode.window.showErrorMessage, warning: vscode.window.showWarningMessage, info: vscode.window.showInformationMessage,
} as const;

/** Shows a message with buttons, and returns the one that was pressed. */
export async function toast(severity: keyof typeof SHOW, text: string, ...buttons: readonly string[]): Promise<string | undefined> {
  const head = headOf(text);
  const isWhole = head === text && buttons.length > 0;
  const pressed = await SHOW[severity](plain(head), ...buttons, ...(isWhole ? [] : [DETAILS]));
  return pressed === DETAILS ? SHOW[severity](plain(head), { modal: true, detail: text }, ...buttons) : pressed;
}

/** Says for a few seconds in the status bar what needs no answer. */
export function note(text: string): void {
  vscode.window.setStatusBarMessage(plain(text), 4000);
}

/** Says what failed. */
export function showError(error: unknown): void {
  void toast("warning", error instanceof Error ? error.message : String(error));
}
