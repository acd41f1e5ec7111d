// The list of profiles: what each measures, how much, and when and where it was written. Several can be shown as one.

import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { openPage } from "./profilePage";
import type { ChoiceOption, Chosen, View } from "./protocol.generated";
import { offerToRecord } from "./record";
import type { Server } from "./server";
import { listRow } from "./text";

type Picked = vscode.QuickPickItem & { readonly value?: Chosen; readonly isOther?: true };

const SEVERAL: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("checklist"), tooltip: "Show Several as One" };
const PAGE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("graph"), tooltip: "Open Profile Page" };

/** The profiles that can be chosen: at least the one that is shown, which is no choice if it is the only one. */
function optionsOf({ choices, profile, totalText }: View): readonly ChoiceOption[] {
  const found = choices.find(({ key }) => key === "profile")?.options;
  const only = profile ? [{ label: profile.name, description: totalText ?? "", value: profile.path, active: true }] : [];
  return (found ?? only).map((option) => (option.active && profile?.deleted ? { ...option, description: `deleted · ${option.description ?? ""}` } : option));
}

function itemOf(option: ChoiceOption, isMarked: boolean): Picked {
  return { ...listRow(option, isMarked ? "check" : undefined), value: option.value, buttons: [PAGE] };
}

/** The profiles, of which one can be chosen. */
function profilesOf(options: readonly ChoiceOption[]): Picked[] {
  return [
    ...options.map((option) => itemOf(option, option.active)),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: "$(discard) Use the Setting", value: null },
    { label: "$(folder-opened) Open Profile…", isOther: true },
  ];
}

/** The files, of which several can be checked: those that are shown as one profile are listed one by one. */
function filesOf(options: readonly ChoiceOption[], shown: readonly string[]): Picked[] {
  const isSet = shown.length > 1;
  return options.flatMap((option) => (option.active && isSet ? shown.map(itemOfFile) : [itemOf(option, false)]));
}

function itemOfFile(path: string): Picked {
  const texts = { label: basename(path), detail: vscode.workspace.asRelativePath(dirname(path)) };
  return { ...listRow(texts), value: path, buttons: [PAGE] };
}

/** The files of the profile that is shown. */
async function shownFiles(server: Server, totals: boolean): Promise<readonly string[]> {
  const answer = await server.quietly(server.execute("costline.profiles", { totals }));
  return answer?.profiles.find(({ active }) => active)?.files ?? [];
}

/** Lets the user pick a profile, or several. */
export async function pickProfile(server: Server): Promise<void> {
  let options = optionsOf(await server.view());
  if (options.length === 0) return offerToRecord(server);
  const picker = vscode.window.createQuickPick<Picked>();
  let shown = await shownFiles(server, false);
  const list = (checked: readonly (Chosen | undefined)[]): void => {
    const [active] = picker.activeItems;
    picker.items = picker.canSelectMany ? filesOf(options, shown) : profilesOf(options);
    picker.activeItems = picker.items.filter(({ value }) => value !== undefined && value === active?.value);
    if (picker.canSelectMany) picker.selectedItems = picker.items.filter(({ value }) => value !== undefined && checked.includes(value));
  };
  picker.title = "Profile";
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.buttons = [SEVERAL];
  list([]);
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
      list(shown);
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
    const files = await shownFiles(server, true);
    const view = await server.quietly(server.view());
    if (closed.signal.aborted) return;
    if (view) options = optionsOf(view);
    shown = files;
    picker.busy = false;
    list(picker.selectedItems.map(({ value }) => value));
  })();
  await show(server, await accepted);
}

async function show(server: Server, picked: readonly Picked[]): Promise<void> {
  const [first] = picked;
  if (first?.isOther) await vscode.commands.executeCommand("costline.ui.openProfile");
  else if (picked.length > 1) await server.execute("costline.setView", { profiles: picked.map(({ value }) => String(value)) });
  else if (first?.value !== undefined) await server.choose("profile", first.value);
}
