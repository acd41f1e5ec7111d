// The list of profiles: what each measures, how much, and when and where it was written. Several can be shown as one.

import * as vscode from "vscode";
import { entry, pickKey } from "./menu";
import { openPage } from "./profilePage";
import type { Choice, Chosen, View } from "./protocol.generated";
import type { Server } from "./server";

type Picked = vscode.QuickPickItem & { readonly value?: Chosen; readonly isOther?: true };

const SEVERAL: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("checklist"), tooltip: "Show Several as One" };
const PAGE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("graph"), tooltip: "Open Profile Page" };

function choiceOf(view: View | undefined): Choice | undefined {
  return view?.choices.find(({ key }) => key === "profile");
}

function itemsOf({ options }: Choice, isSeveral: boolean): Picked[] {
  const files = options.map((option): Picked => {
    const shown = entry(option);
    const isMarked = option.active && !isSeveral;
    return { ...shown, label: isMarked ? `$(check) ${shown.label}` : shown.label, value: option.value, buttons: [PAGE] };
  });
  const others: Picked[] = [
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: "$(discard) Use the Setting", value: null },
    { label: "$(folder-opened) Open Profile…", isOther: true },
  ];
  return isSeveral ? files : [...files, ...others];
}

/** Lets the user pick a profile, or several. */
export async function pickProfile(server: Server): Promise<void> {
  let choice = choiceOf(await server.view());
  if (!choice) return pickKey(server, "profile");
  const picker = vscode.window.createQuickPick<Picked>();
  const list = (): void => {
    if (!choice) return;
    const [active] = picker.activeItems;
    const chosen = picker.selectedItems.map(({ value }) => value);
    picker.items = itemsOf(choice, picker.canSelectMany);
    picker.activeItems = picker.items.filter(({ value }) => value !== undefined && value === active?.value);
    picker.selectedItems = picker.items.filter(({ value }) => chosen.includes(value));
  };
  picker.title = choice.title;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.buttons = [SEVERAL];
  list();
  picker.show();
  // The totals of profiles that were not read yet.
  picker.busy = true;
  const closed = new AbortController();
  const accepted = new Promise<readonly Picked[]>((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.canSelectMany ? picker.selectedItems : picker.activeItems);
      picker.hide();
    });
    picker.onDidTriggerButton(() => {
      picker.canSelectMany = !picker.canSelectMany;
      list();
    });
    picker.onDidTriggerItemButton(({ item }) => {
      picker.hide();
      if (typeof item.value === "string") void openPage(vscode.Uri.file(item.value));
    });
    picker.onDidHide(() => {
      closed.abort();
      resolve([]);
      picker.dispose();
    });
  });
  void (async () => {
    await server.quietly(server.execute("costline.profiles", { totals: true }));
    const view = await server.quietly(server.view());
    if (closed.signal.aborted) return;
    choice = choiceOf(view) ?? choice;
    picker.busy = false;
    list();
  })();
  await show(server, await accepted);
}

async function show(server: Server, picked: readonly Picked[]): Promise<void> {
  const [first] = picked;
  if (first?.isOther) await vscode.commands.executeCommand("costline.ui.openProfile");
  else if (picked.length > 1) await server.execute("costline.setView", { profiles: picked.map(({ value }) => String(value)) });
  else if (first?.value !== undefined) await server.choose("profile", first.value);
}
