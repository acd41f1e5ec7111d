// Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.

/** A command to run as it is. */
export interface Action {
  /** Its arguments. */
  readonly arguments: readonly SetViewArgument[];
  /** The command. */
  readonly command: ActionCommand;
  /** Its title in menus. */
  readonly title: string;
}

/** A command that is offered as an action. */
export type ActionCommand =
  /** Reads the profile again. */
  | "costline.reload"
  /** Draws a flame graph. */
  | "costline.flamegraph"
  /** Chooses something. */
  | "costline.setView"
  /** Removes the last transform. */
  | "costline.popTransform"
  /** Removes all transforms. */
  | "costline.clearTransforms";

/** The profile that is shown, with its metrics. */
export interface ActiveProfile {
  /** Whether the file was deleted; its costs are still shown. */
  readonly deleted: boolean;
  /** The dialect of the format, where it has several. */
  readonly dialect: string | null;
  /** The name of its format. */
  readonly format: string;
  /** The version of the format, where the file states one. */
  readonly formatVersion: string | null;
  /** The metric that is shown. */
  readonly metric: string;
  /** All metrics of the profile. */
  readonly metrics: readonly MetricName[];
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The name to show: that of the file, and how many there are. */
  readonly name: string;
  /** The path of the file, the first of several. */
  readonly path: string;
  /** Whether the user picked it, instead of the newest. */
  readonly picked: boolean;
  /** The program that wrote the file with its version, or else the dialect. */
  readonly producer: string | null;
  /** The total in the metric shown. */
  readonly total: Weight;
  /** Its unit. */
  readonly unit: string;
  /** The version of the format, else the program that wrote the file. */
  readonly version: string | null;
}

/** A transform that is applied. */
export interface AppliedTransform {
  /** As text: `merge-function:parse`. */
  readonly text: string;
  /** As JSON. */
  readonly transform: Transform;
}

/** What to compare with. */
export type BaselineChoice = string | boolean;

/** A caller or callee. */
export interface CallEntry {
  /** Whether the cost is estimated. */
  readonly est: boolean;
  /** Its item, to go on from. */
  readonly item: Item;
  /** Whether it has no callers or callees of its own. */
  readonly leaf: boolean;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** The function's name. */
  readonly name: string;
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Whether it is a recursive call, whose cost is outside the sum. */
  readonly recursive: boolean;
  /** Its self cost on this path; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** Its cost and name: `33.3% (2 samples) parse`. */
  readonly text: string;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The cost of the path extended by it. */
  readonly total: Weight;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
}

/** A line that calls. */
export interface CallSite {
  /** The file, as the profile spells it. */
  readonly file: string;
  /** The line, 0-based, as recorded. */
  readonly line0: number;
  /** The weight of the calls from there. */
  readonly total: Weight;
}

/** The callers or callees of an item, costliest first; of an item that is not of this profile there are none, and nothing else is known of it. */
export interface CallStep {
  /** Whether the entries are callers or callees. */
  readonly direction?: Direction;
  /** The callers or callees. Recursive ones come last. */
  readonly entries: readonly CallEntry[];
  /** Whether costs are estimated, as in recordings without stacks. */
  readonly est?: boolean;
  /** The item itself, with its costs as they are now. */
  readonly item?: Item | null;
  /** The metric of all costs. */
  readonly metric?: string;
  /** What stops at the item: for callees its self cost on this path, for callers the samples that start there. Null where it is not known. */
  readonly self?: Weight | null;
  /** The cost of the path. */
  readonly total?: Weight;
  /** Its unit. */
  readonly unit?: string;
}

/** A part of the call tree. */
export interface CallTree {
  /** Whether costs are estimated, as in recordings without stacks. */
  readonly est: boolean;
  /** Whether callers are below callees. */
  readonly inverted: boolean;
  /** The metric of all costs. */
  readonly metric: string;
  /** Children of the node asked for that are not in the answer. */
  readonly more: number;
  /** Its children, costliest first; none for a node that the profile does not have. */
  readonly nodes: readonly TreeNode[];
  /** The total of the profile. */
  readonly total: Weight;
  /** Its unit. */
  readonly unit: string;
}

/** Which part of the call tree is asked for. */
export interface CallTreeArgument {
  /** How many levels, at most 30; one if it is left out. */
  readonly depth?: number | null;
  /** The bottom-up tree: callers below callees, by self cost. */
  readonly inverted?: boolean;
  /** How many children of each node; 50 if it is left out. */
  readonly limit?: number | null;
  /** The node whose children are wanted, as functions from the top; the top if it is left out. */
  readonly path?: readonly FunctionKeyArgument[];
}

/** What the server offers beyond the protocol, the same for all profiles. */
export interface Catalog {
  /** The formats that `costline.export` writes. */
  readonly exportFormats: readonly ExportFormatInfo[];
  /** Folders of which every file may be a profile. */
  readonly profileFolders: readonly string[];
  /** Globs of the names of profiles. Each name may also end in `.gz` or `.zst`. */
  readonly profileNames: readonly string[];
  /** Files and folders that mark the top folder of a project. */
  readonly projectMarkers: readonly string[];
  /** From which percentage on a cost is of tier 1, 2 and 3. */
  readonly tierPercents: readonly [number, number, number];
  /** The kinds of transforms. */
  readonly transforms: readonly TransformInfo[];
}

/** Something to choose. */
export interface Choice {
  /** The key that `costline.setView` takes it under. */
  readonly key: ChoiceKey;
  /** Whether several values can be chosen, as a list. */
  readonly multiple: boolean;
  /** What there is to choose, at least two. */
  readonly options: readonly ChoiceOption[];
  /** Its title in menus. */
  readonly title: string;
  /** What is chosen. */
  readonly value: Chosen;
}

/** What can be chosen. */
export type ChoiceKey =
  /** The profile. */
  | "profile"
  /** The metric. */
  | "metric"
  /** The threads. */
  | "threads"
  /** Which functions are visible. */
  | "implementation"
  /** Where the cost of inlined code is shown. */
  | "inlines"
  /** The unit of costs. */
  | "unit"
  /** What hints show. */
  | "show"
  /** What to compare with. */
  | "baseline";

/** A value that can be chosen. */
export interface ChoiceOption {
  /** Whether it is chosen. */
  readonly active: boolean;
  /** A few words more. */
  readonly description?: string;
  /** And more, for a line of its own. */
  readonly detail?: string;
  /** Its label in menus. */
  readonly label: string;
  /** The value for `costline.setView`. */
  readonly value: ChoiceValue;
}

/** A value of a choice. */
export type ChoiceValue = string | boolean | null;

/** What is chosen. */
export type Chosen = ChoiceValue | readonly ChoiceValue[];

/** Another program whose output is imitated byte for byte. */
export type Compat =
  /** rbspy's callgrind output: every line of a function is a function of its own */
  | "rbspy";

/** What becomes of frames deeper than wanted. */
export type Cut =
  /** Their cost goes to the last frame that is kept */
  | "fold"
  /** Their cost is left out */
  | "drop";

/** In which direction calls are followed. */
export type Direction =
  /** To callers. */
  | "incoming"
  /** To callees. */
  | "outgoing";

/** A flame graph, as a file or for a panel. */
export type DrawnFlameGraph = Picture | FlameGraph;

/** `capabilities.experimental` of the server. */
export interface Experimental {
  /** Lists for clients. */
  readonly costline: Catalog;
}

/** Which line is asked about. */
export interface ExplainArgument {
  /** The line, 0-based. */
  readonly line: number;
  /** The document. */
  readonly uri: string;
}

/** Why a line shows what it shows. */
export interface Explanation {
  /** The reason, for programs. */
  readonly code: ExplanationCode;
  /** The reason as a sentence. */
  readonly message: string;
  /** The metric of both. */
  readonly metric?: string;
  /** Self cost; null where it is not known. */
  readonly self?: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare?: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText?: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share?: number;
  /** Whether the file is newer than the profile; only where the line has a cost. */
  readonly stale?: boolean;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier?: 0 | 1 | 2 | 3;
  /** Inclusive cost; null where no exact number is known. */
  readonly total?: Weight | null;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText?: string | null;
  /** The unit of both. */
  readonly unit?: string;
  /** The version of this object: 1. */
  readonly v?: number;
}

/** A reason why a line shows what it shows. */
export type ExplanationCode =
  /** No profile is shown. */
  | "no-profile"
  /** The document is no file on disk. */
  | "not-a-file"
  /** The editor has not opened the document at this server. */
  | "not-open"
  /** The profile holds addresses whose names and lines are not known. */
  | "unsymbolicated"
  /** The program was built without debug info. */
  | "no-debug-info"
  /** A source map moves the costs of this line, or of the whole file, to another file. */
  | "source-mapped"
  /** The profile has functions of this file, but no lines. */
  | "no-lines"
  /** The line was changed after the profile was recorded. */
  | "stale-line"
  /** No sample is on this line. */
  | "no-cost"
  /** The profile names no file like this one. */
  | "file-not-in-profile"
  /** The profile names a file like this one that is another. */
  | "file-not-matched"
  /** The profile names a file that could be this one or another. */
  | "file-ambiguous"
  /** Hints are disabled by the setting `hints.enable`. */
  | "hints-off"
  /** The cost is below the setting `hints.minPercent`. */
  | "below-threshold"
  /** The line has a hint. */
  | "shown";

/** The format and the file to write. */
export interface ExportArgument {
  /** Write byte for byte what this program would write. */
  readonly compat?: Compat | null;
  /** The format to write. */
  readonly format: ExportFormat;
  /** The maximum number of frames of a stack below its root; 0 keeps the roots only. */
  readonly maxDepth?: number | null;
  /** Overwrite the file if it exists. */
  readonly overwrite?: boolean;
  /** The file to write, relative to the first workspace folder. */
  readonly path: string;
  /** What to do with the cost of frames that `maxDepth` removes. */
  readonly truncate?: Cut;
}

/** A format that is written. */
export type ExportFormat =
  /** For KCachegrind and QCachegrind */
  | "callgrind"
  /** Folded stacks: one line per stack, summed */
  | "folded"
  /** One line per call, in order of time, not summed */
  | "flamechart"
  /** A flame graph as SVG, to be opened in a browser */
  | "flamegraph"
  /** For speedscope.app */
  | "speedscope"
  /** For profiler.firefox.com */
  | "firefox"
  /** For `pprof` and `go tool pprof`, compressed */
  | "pprof";

/** A format to export to. */
export interface ExportFormatInfo {
  /** Whether its files are no text. */
  readonly binary: boolean;
  /** The end of the names of its files, without the dot before it. */
  readonly extension: string;
  /** Its name, for `costline.export`. */
  readonly format: ExportFormat;
  /** What it is for, for menus. */
  readonly title: string;
}

/** A file that was written. */
export interface Exported {
  /** The size of the file in bytes. */
  readonly bytes: number;
  /** What the format cannot represent. */
  readonly lost: readonly string[];
  /** The absolute path of the file. */
  readonly path: string;
}

/** How the workspace file of a recorded file was found. */
export type FileFoundBy =
  /** By a rule of the setting `pathMappings`. */
  | "rule"
  /** The path exists in a folder of the workspace. */
  | "exact"
  /** By the end of the path. */
  | "suffix"
  /** The path exists in a folder of the workspace, spelled through a symbolic link. */
  | "link"
  /** The source map of a recorded file names it. */
  | "sourceMap"
  /** It was not: several files could be meant. */
  | "ambiguous"
  /** It was not. */
  | "unmapped";

/** A flame graph. */
export interface FlameGraph {
  /** The frames, row by row, callers before callees. */
  readonly frames: readonly FlameGraphFrame[];
  /** The metric of all costs. */
  readonly metric: string;
  /** Frames that are too narrow or too deep to be drawn. */
  readonly omitted: number;
  /** The picture. It has no scripts, styles or links; each frame is a `<g data-frame="17">`, the number its index in `frames`. */
  readonly svg: string;
  /** The total of the profile. */
  readonly total: Weight;
  /** Its unit. */
  readonly unit: string;
}

/** Where to write the flame graph. */
export interface FlameGraphArgument {
  /** Return the SVG and its frames in the answer, and write no file. */
  readonly inline?: boolean;
  /** Overwrite the file if it exists. */
  readonly overwrite?: boolean;
  /** The file to write, relative to the first workspace folder. By default, a file in the temporary folder, which is removed when the server ends. */
  readonly path?: string | null;
}

/** A frame of a flame graph. */
export interface FlameGraphFrame {
  /** How many callers are above it. */
  readonly depth: number;
  /** What identifies the function. The keys of a frame and its parents are its path. */
  readonly key: FunctionKey;
  /** Whether it calls nothing, drawn or not. */
  readonly leaf: boolean;
  /** Where it starts, as a share of the whole width. */
  readonly left: number;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** The function's name. */
  readonly name: string;
  /** The index of its caller, which stands before it; null for a root. */
  readonly parent: number | null;
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Whether the function is among the callers above it too. */
  readonly recursive: boolean;
  /** The self cost; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** Its cost: `45.6% · self 4.0%`. */
  readonly text: string;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The cost of the frame and all that it calls. */
  readonly total: Weight;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
  /** Its width, as a share of the whole. */
  readonly width: number;
}

/** A profile that was found: what one run wrote. */
export interface FoundProfile {
  /** Whether it is shown. */
  readonly active: boolean;
  /** The length of its first file. */
  readonly bytes: number;
  /** The paths of all its files. */
  readonly files: readonly string[];
  /** The name of its format. */
  readonly format: string;
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The path of its first file. */
  readonly path: string;
  /** Why it could not be read; null where it could, or was not tried. */
  readonly problem: string | null;
}

/** What identifies a function, in this recording and in the next. */
export interface FunctionKey {
  /** Its file, as the profile spells it. */
  readonly file: string | null;
  /** Its library's short name. */
  readonly lib: string | null;
  /** Its name. */
  readonly name: string;
  /** Its start, 1-based line and column, where the profile has several functions of the same name, file and library. */
  readonly start?: readonly [number, number] | null;
}

/** What identifies a function, in this recording and in the next. */
export interface FunctionKeyArgument {
  /** Its file, as the profile spells it. */
  readonly file?: string | null;
  /** Its library's short name. */
  readonly lib?: string | null;
  /** Its name. */
  readonly name: string;
  /** Its start, 1-based line and column, where the profile has several functions of the same name, file and library. */
  readonly start?: readonly [number, number] | null;
}

/** The `data` of a hint. */
export interface HintData {
  /** The line, 0-based. */
  readonly line0: number;
  /** The metric of both. */
  readonly metric: string;
  /** Self cost; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** Whether the file is newer than the profile, so that lines may have moved. */
  readonly stale: boolean;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** Inclusive cost; null where no exact number is known. */
  readonly total: Weight | null;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The document. */
  readonly uri: string;
  /** The version of this object: 1. */
  readonly v: number;
}

/** A hot function. */
export interface HotFunction {
  /** The file of the definition, as the profile spells it. */
  readonly file?: string;
  /** Its item, to ask for callers and callees. */
  readonly item: Item | null;
  /** What identifies it. */
  readonly key: FunctionKey;
  /** The inclusive cost alone, as hints have it. */
  readonly label: string;
  /** Its library's short name. */
  readonly lib: string | null;
  /** The line of the definition, 1-based, as recorded. */
  readonly line?: number;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** The metric of both. */
  readonly metric: string;
  /** Its name. */
  readonly name: string;
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Self cost; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** All of its cost, as its lens has it. */
  readonly text: string;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** Inclusive cost; null where no exact number is known. */
  readonly total: Weight | null;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** A hot line. */
export interface HotLine {
  /** The file, as the profile spells it. */
  readonly file: string;
  /** The inclusive cost alone, as hints have it. */
  readonly label: string;
  /** The line, 1-based, as recorded. */
  readonly line: number;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** The metric of both. */
  readonly metric: string;
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Self cost; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** All of its cost, worded as that of a function. */
  readonly text: string;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** Inclusive cost; null where no exact number is known. */
  readonly total: Weight | null;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** The hot spots of a profile, hottest first. */
export interface HotSpots {
  /** The functions; only where these were asked for. */
  readonly functions?: readonly HotFunction[];
  /** The lines; only where these were asked for. */
  readonly lines?: readonly HotLine[];
  /** The metric of all costs. */
  readonly metric: string;
  /** The total of the profile. */
  readonly total: Weight;
  /** Its unit. */
  readonly unit: string;
}

/** Which hot spots are asked for. */
export interface HotSpotsArgument {
  /** What is listed; functions if it is left out. */
  readonly by?: HotSpotsBy | null;
  /** How many; 50 if it is left out. */
  readonly limit?: number | null;
}

/** What hot spots are. */
export type HotSpotsBy =
  /** Functions. */
  | "function"
  /** Lines. */
  | "line";

/** Which functions to show, in profiles that record which ones are JavaScript. */
export type Implementation =
  /** All of them. */
  | "all"
  /** JavaScript functions. The cost of native code is charged to the JavaScript that calls it. */
  | "js"
  /** Native functions. The cost of JavaScript is charged to the engine that runs it. */
  | "native";

/** Where to show the cost of inlined code. */
export type Inlines =
  /** On the lines of the inlined function. */
  | "body"
  /** On the line of the outermost inlined call, in the function that was compiled. */
  | "callSite";

/** A function at the end of a call path, serialized as an LSP `CallHierarchyItem`: clients pass it back to the call hierarchy and to commands. */
export interface Item {
  /** What the server needs to follow its calls. */
  readonly data: ItemData;
  /** Place and self cost, for clients that show them. */
  readonly detail: string;
  /** The LSP symbol kind: 12, a function. */
  readonly kind: number;
  /** Its cost and name: `45.6% parse_value`. */
  readonly name: string;
  /** The line of the definition. */
  readonly range: Range;
  /** The name in it. */
  readonly selectionRange: Range;
  /** The file, or a `costline:` document. */
  readonly uri: string;
}

/** An item as a client passes it back. Everything but `data` is what the protocol wants of an item; `data` of another server's item can be anything. */
export interface ItemArgument {
  /** What the server put into the item. */
  readonly data?: unknown;
  /** As in the item. */
  readonly detail?: string | null;
  /** As in the item. */
  readonly kind: number;
  /** As in the item. */
  readonly name: string;
  /** As in the item. */
  readonly range: Range;
  /** As in the item. */
  readonly selectionRange: Range;
  /** As in the item. */
  readonly tags?: readonly number[] | null;
  /** As in the item. */
  readonly uri: string;
}

/** The `data` of an item. */
export interface ItemData {
  /** In which direction the path was followed; null for a root. */
  readonly dir: Direction | null;
  /** Whether it has no calls in the direction of `dir`. Null for a root. */
  readonly leaf: boolean | null;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** The metric of both. */
  readonly metric: string;
  /** The function's name, of any length. */
  readonly name: string;
  /** The path from the root to this function. */
  readonly path: readonly FunctionKey[];
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Whether it is a recursive call, whose cost is outside the sum of its siblings. */
  readonly recursive: boolean;
  /** Self cost; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** Call sites in other files than the caller's own. */
  readonly sites?: readonly CallSite[];
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** Inclusive cost; null where no exact number is known. */
  readonly total: Weight | null;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** The `data` of a lens. */
export interface LensData {
  /** The function. */
  readonly func: FunctionKey;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** The metric of both. */
  readonly metric: string;
  /** Its name. */
  readonly name: string;
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Self cost; null where it is not known. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** Inclusive cost; null where no exact number is known. */
  readonly total: Weight | null;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** A metric of a profile. */
export interface MetricName {
  /** Its name. */
  readonly name: string;
  /** Its unit. */
  readonly unit: string;
}

/** A path in an object. */
export interface PathObject {
  /** The path, relative to the first workspace folder; null for none. */
  readonly path?: string | null;
}

/** The files of a profile. */
export interface Paths {
  /** All files, costliest first. */
  readonly files: readonly RecordedFile[];
  /** How many of the files are files of the workspace. */
  readonly mapped: number;
  /** Folders of the workspace and of the setting `sourceRoots` that do not exist. Null before the first profile. */
  readonly missingRoots: readonly string[] | null;
  /** The workspace folders. */
  readonly roots: readonly string[];
}

/** A flame graph that was written to a file. */
export interface Picture {
  /** The size of the file in bytes. */
  readonly bytes: number;
  /** What the format cannot represent. */
  readonly lost: readonly string[];
  /** The absolute path of the file. */
  readonly path: string;
  /** The URI of the file. */
  readonly uri: string | null;
}

/** A position in a text, serialized as LSP does. Both numbers are 0-based; what a column counts is up to [`Encoding`]. */
export interface Position {
  /** The column. */
  readonly character: number;
  /** The line. */
  readonly line: number;
}

/** A file of a profile as it was when it was read. */
export interface ProfileFile {
  /** The name of its format. */
  readonly format: string;
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The name to show: that of the file, and how many there are. */
  readonly name: string;
  /** The path of the file, the first of several. */
  readonly path: string;
}

/** The profiles that were found. */
export interface Profiles {
  /** What is shown; null without a profile. */
  readonly active: ActiveProfile | null;
  /** The profiles, newest first. */
  readonly profiles: readonly FoundProfile[];
  /** Goes up when costs or labels are replaced. */
  readonly revision: number;
}

/** A part of a text, without its end. */
export interface Range {
  /** Behind its last character. */
  readonly end: Position;
  /** Where it starts. */
  readonly start: Position;
}

/** A file that a profile names. */
export interface RecordedFile {
  /** The workspace files that it could be, where these are several. */
  readonly candidates: readonly string[] | null;
  /** The cost of its hottest line. */
  readonly hottestLine: Weight;
  /** How it was found, or why not. */
  readonly how: FileFoundBy;
  /** The name in the profile. */
  readonly name: string;
  /** The workspace file; null where there is none. */
  readonly path: string | null;
  /** Why it has no workspace file, to stand behind the name. Null where it has one. */
  readonly reason: string | null;
  /** The self cost of its lines. */
  readonly self: Weight;
}

/** What `costline.setView` changes. A key that is left out stays as it is; `null` goes back to the setting. */
export interface SetViewArgument {
  /** What to compare with: a profile, relative to the first workspace folder; `true` for what is shown now; `null` or `false` for nothing. */
  readonly baseline?: BaselineChoice | null;
  /** Which functions are visible. */
  readonly implementation?: Implementation | null;
  /** Where the cost of inlined code is shown. */
  readonly inlines?: Inlines | null;
  /** The metric to show, by name or unit. */
  readonly metric?: string | null;
  /** The profile to show, relative to the first workspace folder. `null`: that of the settings, or the newest. */
  readonly profile?: string | null;
  /** What hints show. */
  readonly show?: Show | null;
  /** The threads to show, by name (or its end), id, glob or `/regex/`; none for all. */
  readonly threads?: readonly string[] | null;
  /** The unit of costs. */
  readonly unit?: Unit | null;
}

/** What labels show. */
export type Show =
  /** Total cost, callees included. */
  | "total"
  /** Self cost, without callees. */
  | "self"
  /** Both. */
  | "both";

/** Options of `costline.showCallers` and `costline.showCallees`. */
export interface ShowOptions {
  /** Show the five hottest to the user in a message. The default is true. */
  readonly message?: boolean | null;
}

/** What is shown, in short. */
export interface Shown {
  /** What percentages are of: the total, or with negative weights the sum of |self| over all call paths. Null without a profile. */
  readonly base: Weight | null;
  /** What costs are compared with; null without a baseline. */
  readonly baseline: ProfileFile | null;
  /** Whether a profile is being read. */
  readonly loading: boolean;
  /** The metric; null without a profile. */
  readonly metric: string | null;
  /** The profile; null without one. */
  readonly profile: ShownProfile | null;
  /** Goes up when costs or labels are replaced. */
  readonly revision: number;
  /** What was chosen by command instead of the settings, to be passed back as `state` in the `initializationOptions` of the next server. Opaque; null where nothing was chosen. */
  readonly state: string | null;
  /** The total of the profile; null without one. */
  readonly total: Weight | null;
  /** The unit of the metric; null without a profile. */
  readonly unit: string | null;
}

/** The profile that is shown. */
export interface ShownProfile {
  /** Whether the file was deleted; its costs are still shown. */
  readonly deleted: boolean;
  /** The name of its format. */
  readonly format: string;
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The name to show: that of the file, and how many there are. */
  readonly name: string;
  /** The path of the file, the first of several. */
  readonly path: string;
  /** Whether the user picked it, instead of the newest. */
  readonly picked: boolean;
}

/** What a transform is done to. */
export type Takes =
  /** A function, under `function`. */
  | "function"
  /** Functions along a path, under `path`. */
  | "path"
  /** A category of frames, under `category`. */
  | "category"
  /** A library, under `resource`. */
  | "resource";

/** A `costline:` document. */
export interface TextDocumentContent {
  /** The text of the document. */
  readonly text: string;
}

/** The parameters of `costline/textDocumentContent`. */
export interface TextDocumentContentParams {
  /** The URI of the document. */
  readonly uri: string;
}

/** A transform in JSON. Of `function`, `path`, `category` and `resource` it has the one that its kind takes. */
export interface Transform {
  /** The category of frames. */
  readonly category?: string | null;
  /** The function that it is done to. */
  readonly function?: string | null;
  /** The filter under which it was made, if not that of the view. */
  readonly implementation?: Implementation | null;
  /** The functions of a path from the root, or for `focus-subtree-inverted` from the leaf. */
  readonly path?: readonly string[] | null;
  /** The library. */
  readonly resource?: string | null;
  /** What is done. */
  readonly type: TransformKind;
}

/** A kind of transform. */
export interface TransformInfo {
  /** What it is done to. */
  readonly takes: Takes;
  /** What it does, for menus. */
  readonly title: string;
  /** Its name. */
  readonly type: TransformKind;
}

/** A kind of transform. */
export type TransformKind =
  /** Merge function into its callers */
  | "merge-function"
  /** Merge node into its caller */
  | "merge-node"
  /** Merge node and what it calls into its caller */
  | "merge-subtree"
  /** Drop samples with function */
  | "drop-function"
  /** Drop samples with node */
  | "drop-node"
  /** Focus on function */
  | "focus-function"
  /** Focus on subtree */
  | "focus-subtree"
  /** Focus on subtree of the bottom-up tree */
  | "focus-subtree-inverted"
  /** Focus on self cost of function */
  | "focus-self"
  /** Focus on category */
  | "focus-category"
  /** Collapse library */
  | "collapse-resource"
  /** Collapse recursion */
  | "collapse-recursion"
  /** Collapse direct recursion */
  | "collapse-direct-recursion"
  /** Collapse function with what it calls */
  | "collapse-function-subtree";

/** A node of the call tree. */
export interface TreeNode {
  /** Children, costliest first. */
  readonly children: readonly TreeNode[];
  /** Whether the cost is estimated. */
  readonly est: boolean;
  /** Whether something is below it, in the answer or not. */
  readonly hasChildren: boolean;
  /** The function's item, to ask for callers and callees. */
  readonly item: Item | null;
  /** What identifies the function. */
  readonly key: FunctionKey;
  /** Whether nothing is below it. */
  readonly leaf: boolean;
  /** The line in it, 0-based, as the text is now. Null without a document. */
  readonly line0: number | null;
  /** Children that are not in the answer. */
  readonly more: number;
  /** The function's name. */
  readonly name: string;
  /** The path from the top to it, to ask for its children. */
  readonly path: readonly FunctionKey[];
  /** `total` in percent of what percentages are of; null where that is 0. */
  readonly percent: number | null;
  /** The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Whether the function is in the path above it too. */
  readonly recursive: boolean;
  /** The self cost of the node; null where it is not known, and below the top of the inverted tree. */
  readonly self: Weight | null;
  /** The self cost as such a share. Null where it is not known. */
  readonly selfShare: number | null;
  /** The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known. */
  readonly selfText: string | null;
  /** The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that. */
  readonly share: number;
  /** Its cost: `45.6% · self 4.0%`. */
  readonly text: string;
  /** How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The cost of the node and all below it. */
  readonly total: Weight;
  /** The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known. */
  readonly totalText: string | null;
  /** The document in the workspace. Null for code that is in none. */
  readonly uri: string | null;
}

/** The unit of costs in labels. */
export type Unit =
  /** Share of the total. */
  | "percent"
  /** The profile's own unit: seconds, bytes, samples. */
  | "absolute"
  /** Both. */
  | "both";

/** What is shown, and what can be chosen and run. */
export interface View {
  /** Commands to run as they are. */
  readonly actions: readonly Action[];
  /** What percentages are of: the total, or with negative weights the sum of |self| over all call paths. Null without a profile. */
  readonly base: Weight | null;
  /** What costs are compared with; null without a baseline. */
  readonly baseline: ProfileFile | null;
  /** What can be chosen by `costline.setView`, in the order of menus. What has a single possible value is left out. */
  readonly choices: readonly Choice[];
  /** Whether a profile is being read. */
  readonly loading: boolean;
  /** The metric; null without a profile. */
  readonly metric: string | null;
  /** The profile; null without one. */
  readonly profile: ShownProfile | null;
  /** Goes up when costs or labels are replaced. */
  readonly revision: number;
  /** What was chosen by command instead of the settings, to be passed back as `state` in the `initializationOptions` of the next server. Opaque; null where nothing was chosen. */
  readonly state: string | null;
  /** The total of the profile; null without one. */
  readonly total: Weight | null;
  /** The transforms, in order. */
  readonly transforms: readonly AppliedTransform[];
  /** The unit of the metric; null without a profile. */
  readonly unit: string | null;
}

/** A raw weight: an integer where it is one. */
export type Weight = number;

/** The arguments and the result of each command. */
export interface Commands {
  /** Return the current view, all choices and all actions. Menus need nothing else. */
  readonly "costline.view": { readonly arguments: readonly []; readonly result: View };
  /** Change the view. The keys are those of `choices` in the answer of `costline.view`; `null` restores the setting. A choice stays when the profile is rewritten and ends when the user changes the setting with the same key. Returns the new view, like `costline.view`. */
  readonly "costline.setView": { readonly arguments: readonly [SetViewArgument]; readonly result: View };
  /** List the profiles that were found, newest first, and which of them is shown. */
  readonly "costline.profiles": { readonly arguments: readonly []; readonly result: Profiles };
  /** Show a profile. `null` or no argument selects the one in the settings, or else the newest. Returns the profiles, like `costline.profiles`. */
  readonly "costline.selectProfile": { readonly arguments: readonly [(string | PathObject | null)?]; readonly result: Profiles };
  /** Read the profile again. Returns the profiles, like `costline.profiles`. */
  readonly "costline.reload": { readonly arguments: readonly []; readonly result: Profiles };
  /** Set the baseline: the profile to compare costs with. Without an argument, it is the current profile in its present state. `null` removes the baseline. Returns the new view, like `costline.view`. */
  readonly "costline.setBaseline": { readonly arguments: readonly [(string | PathObject | null)?]; readonly result: View };
  /** Remove the baseline. Returns the new view, like `costline.view`. */
  readonly "costline.clearBaseline": { readonly arguments: readonly []; readonly result: View };
  /** Add a transform after the existing ones. A string has the form `KIND:NAME`, as on the command line. Returns the new view, like `costline.view`. */
  readonly "costline.pushTransform": { readonly arguments: readonly [string | Transform]; readonly result: View };
  /** Remove the last transform. Returns the new view, like `costline.view`. */
  readonly "costline.popTransform": { readonly arguments: readonly []; readonly result: View };
  /** Remove all transforms. Returns the new view, like `costline.view`. */
  readonly "costline.clearTransforms": { readonly arguments: readonly []; readonly result: View };
  /** List the hottest functions or lines of the profile. Null without a profile. */
  readonly "costline.hotspots": { readonly arguments: readonly [(HotSpotsArgument | null)?]; readonly result: HotSpots | null };
  /** List the callers of a call hierarchy item. A message also shows the five hottest, unless `message` is false. An item of another server or profile has no entries. */
  readonly "costline.showCallers": { readonly arguments: readonly [ItemArgument, (ShowOptions | null)?]; readonly result: CallStep };
  /** List the callees of a call hierarchy item. Otherwise like `costline.showCallers`. */
  readonly "costline.showCallees": { readonly arguments: readonly [ItemArgument, (ShowOptions | null)?]; readonly result: CallStep };
  /** Return the descendants of a call node down to a depth: callees, or callers in the bottom-up tree. Null without a profile. */
  readonly "costline.callTree": { readonly arguments: readonly [(CallTreeArgument | null)?]; readonly result: CallTree | null };
  /** Write a flame graph (SVG) and open it, if the client supports `window/showDocument`. With `inline`, return the flame graph in the answer instead. */
  readonly "costline.flamegraph": { readonly arguments: readonly [(FlameGraphArgument | null)?]; readonly result: DrawnFlameGraph };
  /** Explain why a line shows its cost, or why it shows none. */
  readonly "costline.explain": { readonly arguments: readonly [ExplainArgument]; readonly result: Explanation };
  /** List the files of the profile with the workspace file that each is mapped to, hottest first. Null without a profile. */
  readonly "costline.paths": { readonly arguments: readonly []; readonly result: Paths | null };
  /** Export the profile, with the current view applied, to a file in another format. */
  readonly "costline.export": { readonly arguments: readonly [ExportArgument]; readonly result: Exported };
}

/** Notifications of the server. */
export interface Notifications {
  readonly "costline/changed": Shown;
}

/** Requests of the client. */
export interface Requests {
  readonly "costline/textDocumentContent": { readonly params: TextDocumentContentParams; readonly result: TextDocumentContent };
}
