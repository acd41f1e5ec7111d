// Rows of trees that are selected by a command.

import type * as vscode from "vscode";

/** Selects a row. */
export async function select<T>(view: vscode.TreeView<T>, row: T): Promise<void> {
  try {
    await view.reveal(row, { expand: true, focus: true, select: true });
  } catch {
    // VS Code finds no row while it reads the tree again, as it does after a rewrite of the profile. The tree itself is shown.
  }
}
