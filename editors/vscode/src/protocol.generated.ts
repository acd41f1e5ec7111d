// Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.

/** A command to offer in menus. */
export interface Action {
  /** The arguments, without `null`. */
  readonly arguments: readonly SetViewArgument[];
  /** The command. */
  readonly command: ActionCommand;
  /** The title in menus. */
  readonly title: string;
}

/** The command of an action. */
export type ActionCommand =
  /** Reads the profile again. */
  | "costline.reload"
  /** Draws a flame graph. */
  | "costline.flamegraph"
  /** Changes choices. */
  | "costline.setView"
  /** Removes the last transform. */
  | "costline.popTransform"
  /** Removes all transforms. */
  | "costline.clearTransforms";

/** The parameters of `costline/activeDocument`. */
export interface ActiveDocumentParams {
  /** The URI of the document. */
  readonly uri: string;
}

/** The profile shown, with its metrics. */
export interface ActiveProfile {
  /** Whether the file was deleted. Its costs are still shown. */
  readonly deleted: boolean;
  /** The dialect of the format, if it has several. */
  readonly dialect: string | null;
  /** The name of the format. */
  readonly format: string;
  /** The version of the format, if the file states one. */
  readonly formatVersion: string | null;
  /** The metric shown. */
  readonly metric: string;
  /** All metrics of the profile. */
  readonly metrics: readonly MetricName[];
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The name to show: the file name, and the number of other files. */
  readonly name: string;
  /** The path of the file; of the first one if there are several. */
  readonly path: string;
  /** Whether the user selected it by command. */
  readonly picked: boolean;
  /** The program that wrote the file and its version, or else the dialect. */
  readonly producer: string | null;
  /** The total in the metric shown. Null if functions contain each other (`line_profiler`). */
  readonly total: Weight | null;
  /** Whether the file is truncated. Null if this cannot be known, because a part of such a file is a valid file. */
  readonly truncated: boolean | null;
  /** The unit of the metric. */
  readonly unit: string;
  /** The version of the format, or else `producer`. */
  readonly version: string | null;
}

/** An applied transform. */
export interface AppliedTransform {
  /** The transform as text: `merge-function:parse`. */
  readonly text: string;
  /** The transform as JSON. */
  readonly transform: Transform;
}

/** The baseline to compare with. */
export type BaselineChoice = string | boolean;

/** A caller or callee. */
export interface CallEntry {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** Whether the cost is estimated. */
  readonly est: boolean;
  /** The item of the extended path, to request its callers or callees with. */
  readonly item: Item;
  /** Whether it has no callers or callees itself. */
  readonly leaf: boolean;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The function's name. */
  readonly name: string;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Whether it is a recursive call. Its cost is then not part of the sum. */
  readonly recursive: boolean;
  /** The self cost on this path. Null if it is unknown. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The function's cost and name: `33.3% (2 samples) parse`. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total of the path that the function extends. */
  readonly total: Weight;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The workspace file. Null if the place is not in one. */
  readonly uri: string | null;
}

/** Callers or callees that have a call site, a function, a module or a clique in common. */
export interface CallGroup {
  /** The number of calls. Null if the profile does not record it. */
  readonly calls: number | null;
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** Whether the cost is estimated. */
  readonly est: boolean;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The name of the caller, callee or module, or the function names of a clique, separated by commas. */
  readonly name: string;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** Whether the calls are recursive. Their cost is then not part of the sum. */
  readonly recursive: boolean;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The cost, the name and the number of calls, after a mark for recursion: `↻ 15.4% (2 callseqs) m.odd/2-0 · 2 calls`. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total of the calls. */
  readonly total: Weight;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The workspace file. Null if the place is not in one. */
  readonly uri: string | null;
}

/** The callers or callees of an item, grouped. */
export interface CallGroups {
  /** Whether callers that the contour file excludes are replaced by their nearest callers that are not excluded. */
  readonly contour: boolean;
  /** What they are grouped by. */
  readonly groupBy: GroupBy;
  /** The rows, hottest first, then what is without a caller or callee, and last recursive calls. */
  readonly rows: readonly CallGroup[];
  /** The weight of the calls that are not recursive. It is the same for each `groupBy`. */
  readonly sum: Weight;
}

/** A call site. */
export interface CallSite {
  /** The name of the file in the profile. */
  readonly file: string;
  /** The line, 0-based: in the current text if the file is in the workspace, or else as recorded. */
  readonly line0: number;
  /** The weight of its calls. */
  readonly total: Weight;
}

/** The callers or callees of an item, hottest first. Empty if the item is not in this profile. */
export interface CallStep {
  /** Whether the entries are callers or callees. */
  readonly direction?: Direction;
  /** The callers or callees, then what is without one (for callees `self`, for callers the samples whose stack begins at the item), whose item has an empty path, and last recursive calls. */
  readonly entries: readonly CallEntry[];
  /** Whether costs are estimated, because the recording is a call graph. */
  readonly est?: boolean;
  /** Whether each recursive call is a function of the path. Otherwise consecutive calls of one function are one. */
  readonly exact?: boolean;
  /** The callers or callees by the option `groupBy`. Missing without it. */
  readonly groups?: CallGroups;
  /** The item with its current costs. */
  readonly item?: Item | null;
  /** The metric of all costs. */
  readonly metric?: string;
  /** The recursion that the function takes part in. Null if there is none. */
  readonly recursion?: Recursion | null;
  /** For callees, the item's self cost on this path. For callers, the weight of the samples in which it has no caller. Null if it is unknown. */
  readonly self?: Weight | null;
  /** The total of the path. */
  readonly total?: Weight;
  /** Its unit. */
  readonly unit?: string;
}

/** A part of the call tree. */
export interface CallTree {
  /** Whether costs are estimated, because the recording is a call graph. */
  readonly est: boolean;
  /** The hot path, if requested: the hottest child of the requested node, the hottest child of that and so on, to a node whose self cost is as high as the total of each child. */
  readonly hotPath?: readonly HotNode[];
  /** Whether callers are below callees. */
  readonly inverted: boolean;
  /** What is not default about the view, as short labels. */
  readonly marks: readonly string[];
  /** The metric of all costs. */
  readonly metric: string;
  /** The number of children after those in the response. */
  readonly more: number;
  /** The children of the requested node, in the requested order. Empty if the profile does not have the node. */
  readonly nodes: readonly TreeNode[];
  /** The total of the profile. */
  readonly total: Weight;
  /** Identifies the transforms that the paths were found under. Null without transforms. */
  readonly transforms: string | null;
  /** Its unit. */
  readonly unit: string;
}

/** The part of the call tree to return. */
export interface CallTreeArgument {
  /** The number of levels, at most 30. Default: 1. */
  readonly depth?: number | null;
  /** Make one node of each chain of nodes of which all but the last have one child with the same total. It is the last of them, with the others in `folded`. */
  readonly fold?: boolean;
  /** Also return the hot path below the node. */
  readonly hotPath?: boolean;
  /** Return the bottom-up tree, in which callers are below callees, sorted by self cost. */
  readonly inverted?: boolean;
  /** The maximum number of children of each node. Default: 50. A response has at most 2000 nodes. */
  readonly limit?: number | null;
  /** The node whose children to return, as the functions from the top of the tree to the node. Default: the top. */
  readonly path?: readonly FunctionKeyArgument[];
  /** The number of children of the requested node to leave out, the first ones. Default: 0. */
  readonly skip?: number;
  /** What to sort the children of each node by, before the limit. Default: total. */
  readonly sort?: CallTreeSort;
  /** `transforms` of the response that the path is from. The path is then followed through the transforms that were added since. Without this key, it is only followed if it does not exist. */
  readonly transforms?: string | null;
}

/** An order of the call tree. */
export interface CallTreeOrder {
  /** The value for `costline.callTree`. */
  readonly sort: CallTreeSort;
  /** The title in menus. */
  readonly title: string;
}

/** What the children of a node are sorted by. */
export type CallTreeSort =
  /** Total, highest first. */
  | "total"
  /** Self cost, highest first. Where it is unknown, total. */
  | "self"
  /** Name, ignoring case. */
  | "name";

/** Lists that are the same for all profiles. */
export interface Catalog {
  /** The orders of the call tree, in the order of menus. */
  readonly callTreeOrders: readonly CallTreeOrder[];
  /** The formats that `costline.export` writes. */
  readonly exportFormats: readonly ExportFormatInfo[];
  /** What callers and callees can be grouped by. */
  readonly groupings: readonly GroupingInfo[];
  /** What `costline.hotspots` lists, in the order of menus. `costline.view` says which of them the profile shown has. */
  readonly hotSpots: readonly HotSpotsInfo[];
  /** The orders of hot spots, in the order of menus. */
  readonly hotSpotsOrders: readonly HotSpotsOrder[];
  /** What can be done with a node of the call tree, in the order of menus. */
  readonly nodeActions: readonly NodeAction[];
  /** Names of folders in which any file may be a profile. */
  readonly profileFolders: readonly string[];
  /** Globs of the file names of profiles. Each name may also end in `.gz` or `.zst`. */
  readonly profileNames: readonly string[];
  /** Files and folders that mark the top folder of a project. */
  readonly projectMarkers: readonly string[];
  /** The smallest percentages of tier 1, 2 and 3. */
  readonly tierPercents: readonly [number, number, number];
  /** The kinds of transforms. */
  readonly transforms: readonly TransformInfo[];
}

/** A choice in a menu. */
export interface Choice {
  /** The key in the argument of `costline.setView`. */
  readonly key: ChoiceKey;
  /** Whether several values can be chosen, as a list. */
  readonly multiple: boolean;
  /** The options, at least two. */
  readonly options: readonly ChoiceOption[];
  /** The title in menus. */
  readonly title: string;
  /** The current value. */
  readonly value: Chosen;
}

/** The key of a choice. */
export type ChoiceKey =
  /** A view of the setting `views`. */
  | "view"
  /** The profile. */
  | "profile"
  /** How to combine the profiles of several runs. */
  | "combine"
  /** The metric. */
  | "metric"
  /** The overlay. */
  | "overlay"
  /** The threads. */
  | "threads"
  /** Filters by labels. */
  | "labels"
  /** Which functions to show. */
  | "implementation"
  /** Where to show the cost of inlined code. */
  | "inlines"
  /** Whether to charge libraries and the runtime to your code that called them. */
  | "own"
  /** The unit of costs. */
  | "unit"
  /** What hints show. */
  | "show"
  /** The baseline. */
  | "baseline"
  /** How to compare costs with the baseline. */
  | "compare";

/** An option of a choice. */
export interface ChoiceOption {
  /** Whether the option is chosen. */
  readonly active: boolean;
  /** A short description. */
  readonly description?: string;
  /** More details, to show on a separate line. */
  readonly detail?: string;
  /** The label in menus. */
  readonly label: string;
  /** The value for `costline.setView`. */
  readonly value: ChoiceValue;
}

/** A value of a choice. */
export type ChoiceValue = string | boolean | null;

/** The current value of a choice. */
export type Chosen = ChoiceValue | readonly ChoiceValue[];

/** How to combine the profiles of several runs. */
export type Combine =
  /** Their sum. */
  | "sum"
  /** Their mean, with its spread. */
  | "average";

/** How to compare costs with the baseline. */
export type Compare =
  /** Costs as they are. */
  | "absolute"
  /** Shares of the total. */
  | "share";

/** Another program whose output to reproduce byte for byte. */
export type Compat =
  /** rbspy's callgrind output, in which each line of a function is a separate function */
  | "rbspy";

/** The change of a cost since the baseline. */
export interface CostChange {
  /** The change of the self cost. Null if it is unknown. */
  readonly self: PartChange | null;
  /** The change of the total. Null if it is unknown, or not exact. */
  readonly total: PartChange | null;
}

/** What to do with the frames below the maximum depth. */
export type Cut =
  /** Add their cost to the deepest frame that is kept */
  | "fold"
  /** Leave out their cost */
  | "drop";

/** The place of a function in the workspace. */
export interface DefinitionPlace {
  /** The line of its name, 1-based. */
  readonly line: number;
  /** The file. */
  readonly path: string;
}

/** The direction in which calls are followed. */
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

/** The line to explain. */
export interface ExplainArgument {
  /** The line, 0-based. */
  readonly line: number;
  /** The document. */
  readonly uri: string;
}

/** The reason why a line shows a cost or none. */
export interface Explanation {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The reason as a code. */
  readonly code: ExplanationCode;
  /** The reason as text. */
  readonly message: string;
  /** The metric of both. */
  readonly metric?: string;
  /** The cost in the overlay. Missing without an overlay, and if it is zero or not known. */
  readonly overlay?: OverlayData;
  /** The report on the line as plain text, as in hovers. Missing if the line has neither a cost nor a count of executions, or is in no open document. */
  readonly report?: string;
  /** The self cost. Null if it is unknown. */
  readonly self?: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare?: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText?: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share?: number;
  /** Whether the recorded text is not known, so that lines may have moved. Missing if the line has no cost. */
  readonly stale?: boolean;
  /** How the cost got to the line, one sentence for each step: metric, code, file, text, line. Empty if the line has no cost. */
  readonly steps: readonly string[];
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier?: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total?: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText?: string | null;
  /** The unit of both. */
  readonly unit?: string;
  /** The version of this object: 1. */
  readonly v?: number;
}

/** A reason why a line shows a cost or none. */
export type ExplanationCode =
  /** No profile is loaded. */
  | "no-profile"
  /** The document is not a file on disk. */
  | "not-a-file"
  /** The editor has not opened the document in this server. */
  | "not-open"
  /** The profile contains addresses that were not resolved. */
  | "unsymbolicated"
  /** The program was built without debug info. */
  | "no-debug-info"
  /** A source map moves the costs of this line, or of the whole file, to another file. */
  | "source-mapped"
  /** The profile has functions of this file, but no lines. */
  | "no-lines"
  /** The profile names no file for a function that could be this one or another one. */
  | "function-ambiguous"
  /** The line was changed after the profile was recorded. */
  | "stale-line"
  /** The line has no samples. */
  | "no-cost"
  /** The line has samples, but none in the view. */
  | "out-of-view"
  /** The profile has no execution count for the line. */
  | "no-count"
  /** The profile has no file with this name. */
  | "file-not-in-profile"
  /** The profile has a file with this name that is not mapped to this file. */
  | "file-not-matched"
  /** The profile has a file with this name that could be any of several workspace files. */
  | "file-ambiguous"
  /** The setting `exclude` hides the file. */
  | "file-excluded"
  /** The file is neither in a workspace folder nor in a folder of the setting `sourceRoots`. */
  | "file-outside"
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
  /** The file to write, relative to the workspace folder. */
  readonly path: string;
  /** What to do with the cost of frames that `maxDepth` removes. */
  readonly truncate?: Cut;
}

/** A format to export to. */
export type ExportFormat =
  /** For KCachegrind and QCachegrind */
  | "callgrind"
  /** Folded stacks: one line per stack, summed */
  | "folded"
  /** One line per call, in chronological order, not summed */
  | "flamechart"
  /** A flame graph as SVG, to open in a browser */
  | "flamegraph"
  /** For speedscope.app */
  | "speedscope"
  /** For profiler.firefox.com */
  | "firefox"
  /** For `pprof` and `go tool pprof`, compressed */
  | "pprof";

/** A format to export to. */
export interface ExportFormatInfo {
  /** Whether its files are binary. */
  readonly binary: boolean;
  /** The extension of its files, without the leading dot. */
  readonly extension: string;
  /** The name, for `costline.export`. */
  readonly format: ExportFormat;
  /** The title in menus. */
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

/** How the workspace file of a file of the profile was found. */
export type FileFoundBy =
  /** By a rule of the setting `pathMappings`. */
  | "rule"
  /** The path exists in a workspace folder. */
  | "exact"
  /** By the last components of the path. */
  | "suffix"
  /** By the path of a Go module, or the name of a package of Cargo, npm or Python. */
  | "module"
  /** By the mount of a dev container. */
  | "mount"
  /** The path exists in a workspace folder, through a symbolic link. */
  | "link"
  /** By a source map. */
  | "sourceMap"
  /** The profile names no file, and a function has its only definition there. */
  | "name"
  /** Not found: several files match. */
  | "ambiguous"
  /** Not found. */
  | "unmapped";

/** A flame graph. */
export interface FlameGraph {
  /** The number of frames from the root to the requested node, each as wide as the image. They come first. If the profile does not have the node, only the existing part of its path. */
  readonly above: number;
  /** Whether `omitted`, and `more` of frames, may be too low: frames below narrow ones are counted in the top-down tree of stacks only. */
  readonly atLeast: boolean;
  /** Whether costs are estimated, because the recording is a call graph. */
  readonly est: boolean;
  /** What was found. Null without a search. */
  readonly found: FlameGraphFound | null;
  /** The frames, row by row, callers before callees. */
  readonly frames: readonly FlameGraphFrame[];
  /** The meaning of each `changeTier`, from costs that fell to costs that rose. Empty if no frame has one. */
  readonly legend: readonly FlameGraphLegendEntry[];
  /** What is not default about the view, as short labels. */
  readonly marks: readonly string[];
  /** The metric of all costs. */
  readonly metric: string;
  /** The number of frames below the node that are too narrow, too deep or too many to draw. */
  readonly omitted: number;
  /** The time that is drawn. Null unless frames are ordered by time. */
  readonly span: FlameGraphSpan | null;
  /** Whether the profile records times, so that it can be drawn ordered by time. */
  readonly timed: boolean;
  /** The total of the profile. */
  readonly total: Weight;
  /** The total of the profile for display: `1395 samples`. */
  readonly totalText: string;
  /** Its unit. */
  readonly unit: string;
}

/** Where to write the flame graph. */
export interface FlameGraphArgument {
  /** With `inline`: the maximum number of rows below the node. */
  readonly depth?: number | null;
  /** With `inline`: draw what this function calls, merged from all call paths, or with `inverted` its callers. The paths of nodes begin with it. */
  readonly function?: FunctionKeyArgument | null;
  /** Return the frames in the response instead of writing a file. */
  readonly inline?: boolean;
  /** With `inline`: draw the bottom-up tree: the functions with self cost, and their callers below them. The paths of its nodes begin at the functions with self cost. */
  readonly inverted?: boolean;
  /** With `inline`: the maximum number of frames, at most 5000; the widest are kept. */
  readonly limit?: number | null;
  /** With `inline`: the node at the top, as the functions from the root to it. Default: the whole call tree. */
  readonly node?: readonly FunctionKeyArgument[];
  /** With `inline`: how frames are ordered: by cost or by time. `node`, `skip` and `depth` apply only to ordering by cost. */
  readonly order?: FlameGraphOrder;
  /** Overwrite the file if it exists. */
  readonly overwrite?: boolean;
  /** The file to write, relative to the workspace folder. By default, a file in the temporary folder, which is removed when the server ends. */
  readonly path?: string | null;
  /** With `inline`, ordered by time: the range to draw, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. Default: all. */
  readonly range?: string | null;
  /** With `inline`: which frames to mark as found. */
  readonly search?: FlameGraphSearch | null;
  /** With `inline`: leave out this number of the node's hottest callees, and draw the rest together as wide as the image. */
  readonly skip?: number | null;
}

/** What was found. */
export interface FlameGraphFound {
  /** Why the text is not a regular expression. */
  readonly problem: string | null;
  /** The cost of the samples with at least one function that was found, for display: `12.3%`. Null for a call graph, in which it is unknown. */
  readonly text: string | null;
}

/** A frame of a flame graph. If ordered by time, it is a call, or a row of calls that are too short to be drawn. If there are several threads, each thread's frames are below a frame for the thread. */
export interface FlameGraphFrame {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The row: the number of callers above the frame. If ordered by time, the rows of a thread are below the rows of earlier threads. */
  readonly depth: number;
  /** The change of the total since the baseline as a share of the base, from -1 to 1. 0 if there is no change beyond noise. Null if it is unknown. */
  readonly difference: number | null;
  /** Whether the search finds the function. */
  readonly found: boolean;
  /** The function's key. The keys of all parents and of the frame are its path. Null for a thread and for several calls. */
  readonly key: FunctionKey | null;
  /** Whether the frame has nothing below it, drawn or not. */
  readonly leaf: boolean;
  /** The left edge, as a share of the width of the image. */
  readonly left: number;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The number of frames that are not drawn below this frame and are not below another that is drawn. Request the frame's node to get them. */
  readonly more: number;
  /** The name of the function or thread, or `12 calls`. */
  readonly name: string;
  /** The index of the caller's frame, which precedes this one. Null for a root. */
  readonly parent: number | null;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** If ordered by time: the range to request to draw this frame as wide as the image. Otherwise null. */
  readonly range: string | null;
  /** Whether the function is also one of its callers. */
  readonly recursive: boolean;
  /** The self cost. Null if it is unknown. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The name of a function with less and less of its qualification, for frames that are too narrow for it: `b::c` and `c` of `a::b::c`. */
  readonly shorterNames: readonly string[];
  /** The frame's cost: `45.6% · self 4.0%`, and if ordered by time, when it began and how long it took: `45.6% · self 4.0% · 140 ms at 1.20 s`. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. */
  readonly total: Weight;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The workspace file. Null if the place is not in one. */
  readonly uri: string | null;
  /** The width, as a share of the width of the image. */
  readonly width: number;
}

/** What a tier of changes means. */
export interface FlameGraphLegendEntry {
  /** Its meaning for display: `▲ from 5%`. */
  readonly text: string;
  /** The tier. Null stands for frames whose change is unknown. */
  readonly tier: number | null;
}

/** The order of the frames of a flame graph. */
export type FlameGraphOrder =
  /** The hottest first. Frames of one path are one frame, as wide as its cost. */
  | "cost"
  /** Call by call, in chronological order. The width of a frame is its duration. */
  | "time";

/** A search for functions by their names. Case is ignored. */
export interface FlameGraphSearch {
  /** Whether it is a regular expression. */
  readonly regex?: boolean;
  /** A part of the name, or a regular expression. */
  readonly text: string;
}

/** A time range. */
export interface FlameGraphSpan {
  /** The range, to request it with. */
  readonly range: string;
  /** The range for display: `1.20 s to 1.34 s`. */
  readonly text: string;
}

/** What was left out of a profile. Its weight is charged to callers or to the function `(cut)`. */
export interface FleetCut {
  /** What was kept: `20 frames of each stack`. */
  readonly how: string;
  /** The weight that was moved to other functions, in the unit of the profile. Null if the source does not state it. */
  readonly weight: Weight | null;
}

/** What is known about a profile from `costline fetch`. Unknown values are null. */
export interface FleetNumbers {
  /** What was left out. */
  readonly cut: FleetCut | null;
  /** The number of hosts. */
  readonly hosts: number | null;
  /** The kind of the source: `pyroscope`, `parca`, `clickhouse`, `s3`, `folder`. */
  readonly kind: string;
  /** The labels that everything in the profile has. */
  readonly labels: Readonly<Record<string, unknown>>;
  /** The type of profiles. */
  readonly profileType: string | null;
  /** The number of profiles that were merged. */
  readonly profiles: number | null;
  /** The time range: its start and end, in milliseconds since 1970. */
  readonly rangeMs: readonly [number, number] | null;
  /** The repository of the revision. */
  readonly repository: string | null;
  /** The revision that the program was built from. */
  readonly revision: string | null;
  /** The name of the source, if it has one. It can be fetched again. */
  readonly source: string | null;
  /** All of this as one line: `shop · 12 hosts · 3400 profiles · 2025-11-24 10:00 to 11:00 UTC`. */
  readonly text: string;
}

/** A profile that was found: the files of one run. */
export interface FoundProfile {
  /** Whether the profile is shown. */
  readonly active: boolean;
  /** The length of the first file in bytes. */
  readonly bytes: number;
  /** The paths of all files. */
  readonly files: readonly string[];
  /** The name of the format. */
  readonly format: string;
  /** Its default metric. Null if it was not read. */
  readonly metric: string | null;
  /** When the first file was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The path of the first file. */
  readonly path: string;
  /** Why the profile could not be read. Null if it could, or was not tried. */
  readonly problem: string | null;
  /** Its total in this metric. Null if it was not read. */
  readonly total: Weight | null;
  /** The total for display: `1.98 s`. Null if it was not read. */
  readonly totalText: string | null;
}

/** Identifies a function in all recordings of a program. */
export interface FunctionKey {
  /** The name of its file in the profile. */
  readonly file: string | null;
  /** The short name of its library. */
  readonly lib: string | null;
  /** The function's name. */
  readonly name: string;
  /** Its start as 1-based line and column. Only if the profile has several functions with the same name, file and library. */
  readonly start?: readonly [number, number] | null;
}

/** Identifies a function in all recordings of a program. */
export interface FunctionKeyArgument {
  /** The name of its file in the profile. */
  readonly file?: string | null;
  /** The short name of its library. */
  readonly lib?: string | null;
  /** The function's name. */
  readonly name: string;
  /** Its start as 1-based line and column. Only if the profile has several functions with the same name, file and library. */
  readonly start?: readonly [number, number] | null;
}

/** A function: its key, as in results, or its name, which only one function may match. */
export type FunctionKeyOrName = FunctionKey | string;

/** A function: its key, as in results, or its name, which only one function may match. */
export type FunctionKeyOrNameArgument = FunctionKeyArgument | string;

/** What callers or callees are grouped by. */
export type GroupBy =
  /** The line of the call. */
  | "site"
  /** The function. */
  | "function"
  /** The module of a Mercury procedure; the file of other functions, or else the library. */
  | "module"
  /** The functions that call each other, directly or not; most functions are alone. */
  | "clique";

/** What callers and callees can be grouped by. */
export interface GroupingInfo {
  /** What one group contains. */
  readonly description: string;
  /** The value for `costline.showCallers` and `costline.showCallees`. */
  readonly groupBy: GroupBy;
  /** The title in menus. */
  readonly title: string;
}

/** A problem with what is shown, or a part of the view that is not the default. */
export interface HealthEntry {
  /** The kind: the code of a warning, or another code (docs/reference/warnings.md). */
  readonly code: string;
  /** A command that fixes it. */
  readonly fix?: Action;
  /** What happened, to which file, and what to do. */
  readonly message: string;
  /** How bad it is. */
  readonly severity: Severity;
}

/** The `data` of a hint. */
export interface HintData {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The number of the label in at most seven characters, for a column: `12.3%`, `1.23s`, `12.3k×`. With `▲` or `▼` before it if it changed since the baseline, else with `≥` if it may be more, else with `~` if it is an estimate or the line may have moved. */
  readonly columnText: string;
  /** The line, 0-based. */
  readonly line0: number;
  /** The metric of both. */
  readonly metric: string;
  /** The cost in the overlay. Missing without an overlay, and if it is zero or not known. */
  readonly overlay?: OverlayData;
  /** The self cost. Null if it is unknown. */
  readonly self: Weight | null;
  /** With a baseline, the tier of the change of the self cost, as `changeTier`. */
  readonly selfChangeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The tier of the self cost, 0 if it is unknown. */
  readonly selfTier: 0 | 1 | 2 | 3;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** Whether the recorded text is not known, so that lines may have moved. */
  readonly stale: boolean;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The document. */
  readonly uri: string;
  /** The version of this object: 1. */
  readonly v: number;
}

/** The cost of a row. */
export interface HotCost {
  /** The number of calls, if they are counted. */
  readonly calls?: number;
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** Of own functions, if rows are sorted by it: the self cost and that of the libraries that it calls, down to the next own function. An estimate in call graphs. */
  readonly charged?: Weight;
  /** The same for display: `91.0%`, `58.0% est.`. */
  readonly chargedText?: string;
  /** The rest of self and total cost, formatted as in hints: `total 12.3%`. Empty if there is nothing else. */
  readonly detail: string;
  /** What rows are sorted by, formatted as in hints. */
  readonly label: string;
  /** The metric of both. */
  readonly metric: string;
  /** The cost in the overlay. Missing without an overlay, and if it is zero or not known. */
  readonly overlay?: OverlayData;
  /** The cost of one call on average, if that was requested. */
  readonly perCall?: PerCall;
  /** The self cost. Null if it is unknown. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** How the cost of a function or line is spread over the runs, if their mean is shown. */
  readonly spread?: SpreadData;
  /** Self and total cost, formatted as in lenses. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The version of this object: 1. */
  readonly v: number;
}

/** A group of hot spots, which begins with the first row whose `own` is the same. */
export interface HotGroup {
  /** How its rows relate to its sum. Empty if they add up to it. */
  readonly note: string;
  /** Whether it has your code. */
  readonly own: boolean;
  /** Its sum. Your code: its cost with the libraries that it calls. Others: what no own code calls. */
  readonly sum: Weight;
  /** Its name and sum, in the unit of the setting `unit`: `Your code 92.4%`. */
  readonly text: string;
}

/** The hot line to go to. */
export interface HotLineArgument {
  /** The line of the cursor, 0-based. */
  readonly line0?: number;
  /** Go to the next hotter line instead of the next colder one. */
  readonly previous?: boolean;
  /** The document that the cursor is in. Default: none, which leads to the hottest line. */
  readonly uri?: string | null;
}

/** A hot line to go to. */
export interface HotLineStep {
  /** The number of hot lines. */
  readonly count: number;
  /** The line in the current text, 0-based. */
  readonly line0: number;
  /** Its rank among the hot lines; the hottest is 1. */
  readonly rank: number;
  /** The line for display: `Hot line 2 of 14: app.py:12, self 4.0% (4 samples) · total 12.3% (12 samples)`. */
  readonly text: string;
  /** The workspace file. */
  readonly uri: string;
}

/** A function of a row. */
export interface HotMember {
  /** Its item, to request callers and callees with. */
  readonly item: Item | null;
  /** Its key. */
  readonly key: FunctionKey;
  /** Its name. */
  readonly name: string;
  /** What precedes it: `exprlab_engine`. Missing if nothing does. */
  readonly qualifier?: string;
  /** The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part. */
  readonly shortName: string;
}

/** Functions of a row. */
export interface HotMembers {
  /** Their part of the cost. Only of fields. */
  readonly cost?: HotCost;
  /** The functions. */
  readonly functions: readonly HotMember[];
  /** What they are in it. */
  readonly role: HotRole;
}

/** A node of the hot path. */
export interface HotNode {
  /** The function's key. */
  readonly key: FunctionKey;
  /** The number of its siblings before it, in the requested order. */
  readonly rank: number;
}

/** What functions are in a row. */
export type HotRole =
  /** The calling function. */
  | "caller"
  /** The called function. */
  | "callee"
  /** Functions that call each other. */
  | "clique"
  /** Procedures that get a field. */
  | "getter"
  /** Procedures that set a field. */
  | "setter";

/** A function, line, call, file, module, package, library, thread, label, clique or field. */
export interface HotRow {
  /** The number of calls, if they are counted. */
  readonly calls?: number;
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** Of own functions, if rows are sorted by it: the self cost and that of the libraries that it calls, down to the next own function. An estimate in call graphs. */
  readonly charged?: Weight;
  /** The same for display: `91.0%`, `58.0% est.`. */
  readonly chargedText?: string;
  /** The rest of self and total cost, formatted as in hints: `total 12.3%`. Empty if there is nothing else. */
  readonly detail: string;
  /** The name of the file in the profile: that of a function's definition, a line or a file. */
  readonly file?: string;
  /** The item of a function, to request callers and callees with. */
  readonly item?: Item;
  /** The key of a function. */
  readonly key?: FunctionKey;
  /** The key of a label. Its value is the name, which is missing for what has no such label. */
  readonly label: string;
  /** The short name of the library of a function, or the module of a field. */
  readonly lib?: string;
  /** The recorded line of a function's definition, or the recorded line, 1-based. */
  readonly line?: number;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0?: number | null;
  /** The functions of a call, clique or field. */
  readonly members?: readonly HotMembers[];
  /** The metric of both. */
  readonly metric: string;
  /** The recorded name. Missing for lines, calls and cliques, and for functions without a file, library or whatever is listed. */
  readonly name?: string;
  /** The cost in the overlay. Missing without an overlay, and if it is zero or not known. */
  readonly overlay?: OverlayData;
  /** Whether it is, or has, own code: its source is in the workspace, not in a folder of libraries. Missing for threads, labels and fields. */
  readonly own?: boolean;
  /** The cost of one call on average, if that was requested. */
  readonly perCall?: PerCall;
  /** The process id of a thread, as spelled in the profile. */
  readonly pid?: string;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText?: string;
  /** What precedes it: `exprlab_engine`. Missing if nothing does. */
  readonly qualifier?: string;
  /** Whether the functions of a clique call each other, or themselves. */
  readonly recursive?: boolean;
  /** The self cost. Null if it is unknown. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part. */
  readonly shortName?: string;
  /** How the cost of a function or line is spread over the runs, if their mean is shown. */
  readonly spread?: SpreadData;
  /** Self and total cost, formatted as in lenses. */
  readonly text: string;
  /** The thread id, as spelled in the profile. */
  readonly tid?: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The text for display: `app.py:12`, `main → build`, `no library`, `even, odd`. */
  readonly title: string;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The workspace file. Null if the place is not in one. */
  readonly uri?: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** The hot spots of a profile, hottest first. */
export interface HotSpots {
  /** The cliques. Missing if something else was requested. */
  readonly cliques?: readonly HotRow[];
  /** The calls. Missing if something else was requested. */
  readonly edges?: readonly HotRow[];
  /** The fields. Missing if something else was requested. */
  readonly fields?: readonly HotRow[];
  /** The files. Missing if something else was requested. */
  readonly files?: readonly HotRow[];
  /** The functions. Missing if something else was requested. */
  readonly functions?: readonly HotRow[];
  /** The two groups of rows, your code and other code, if they are sorted by `charged` without a `filter` and the profile has both. Otherwise empty. */
  readonly groups: readonly HotGroup[];
  /** The labels. Missing if something else was requested. */
  readonly labels?: readonly HotRow[];
  /** The libraries. Missing if something else was requested. */
  readonly libraries?: readonly HotRow[];
  /** The lines. Missing if something else was requested. */
  readonly lines?: readonly HotRow[];
  /** What is not default about the view, as short labels. */
  readonly marks: readonly string[];
  /** The metric of all costs. */
  readonly metric: string;
  /** The modules. Missing if something else was requested. */
  readonly modules?: readonly HotRow[];
  /** The packages. Missing if something else was requested. */
  readonly packages?: readonly HotRow[];
  /** The threads. Missing if something else was requested. */
  readonly threads?: readonly HotRow[];
  /** The total of the profile. Null if functions contain each other (`line_profiler`). */
  readonly total: Weight | null;
  /** Its unit. */
  readonly unit: string;
  /** The number of rows that `perCall` omits, because their calls are not counted. */
  readonly withoutCalls: number;
}

/** The hot spots to return. */
export interface HotSpotsArgument {
  /** What to list. Default: functions. `label:KEY`: the labels with one key, and what has none. */
  readonly by?: HotSpotsBy | `label:${string}` | null;
  /** List only rows whose name or file contains this text, ignoring case. Default: all. */
  readonly filter?: string | null;
  /** The maximum number. Default: 50. */
  readonly limit?: number | null;
  /** The least value in units of the metric, in what rows are sorted by. Default: none. */
  readonly min?: number | null;
  /** The least percentage, in what rows are sorted by. Default: none. */
  readonly minPercent?: number | null;
  /** The Mercury module or the library of the functions or fields. Default: all. */
  readonly module?: string | null;
  /** Divide costs by the number of calls. Rows without counted calls are omitted. Default: false. */
  readonly perCall?: boolean | null;
  /** Whether to list only your own code. Default: all, own code first. */
  readonly scope?: HotSpotsScope | null;
  /** What to sort by. Default: functions, lines, files and packages: charged, unless `perCall` or `module` is given; modules and libraries: charged if only your own code is listed, else self; threads and labels: self; others: total. */
  readonly sort?: HotSpotsSort | null;
}

/** What to list. */
export type HotSpotsBy =
  /** Functions. */
  | "function"
  /** Source lines. */
  | "line"
  /** Calls: caller → callee, with the hottest call site. */
  | "edge"
  /** Source files. */
  | "file"
  /** Modules of Mercury, or else libraries. */
  | "module"
  /** Crates, npm packages, Python distributions, Go modules, or else libraries. */
  | "package"
  /** Shared libraries and programs. */
  | "library"
  /** Threads. */
  | "thread"
  /** Labels of samples with their values; `label:KEY` lists those of one key. */
  | "label"
  /** Functions that call each other (call graphs only). */
  | "clique"
  /** Fields of Mercury data structures, with the procedures that get and set them. */
  | "field";

/** What hot spots can be listed by. */
export interface HotSpotsInfo {
  /** The value for `costline.hotspots`. */
  readonly by: HotSpotsBy;
  /** The key of the rows in its result, which is also a word for command lines. */
  readonly list: string;
  /** The title in menus. */
  readonly title: string;
}

/** An order of hot spots. */
export interface HotSpotsOrder {
  /** Whether costs are divided by the number of calls. */
  readonly perCall: boolean;
  /** The value for `costline.hotspots`. */
  readonly sort: HotSpotsSort;
  /** The title in menus. */
  readonly title: string;
}

/** Which functions, files and other rows to list. */
export type HotSpotsScope =
  /** Your own code: what has a source in the workspace. */
  | "own"
  /** All, own code first. */
  | "all";

/** What rows are sorted and limited by. */
export type HotSpotsSort =
  /** Self cost. */
  | "self"
  /** Self cost; of own code with that of the libraries that it calls. */
  | "charged"
  /** Total cost. */
  | "total"
  /** The number of calls. */
  | "calls"
  /** The change of the self cost since the baseline, without noise. */
  | "change";

/** Whether to show JavaScript or native functions, if the profile distinguishes them. */
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

/** A function at the end of a call path, serialized as an LSP `CallHierarchyItem`. Clients pass it to the call hierarchy and to commands. */
export interface Item {
  /** The data that the server needs to follow calls. */
  readonly data: ItemData;
  /** `costline`, and `detail` of the data. */
  readonly detail: string;
  /** The LSP symbol kind: 12, a function. */
  readonly kind: number;
  /** The function's cost and name: `45.6% parse_value`, with a baseline `45.6% ▲1.20 s parse_value`. */
  readonly name: string;
  /** The line of the definition. */
  readonly range: Range;
  /** The name in that line. */
  readonly selectionRange: Range;
  /** The file, or a `costline:` document. */
  readonly uri: string;
}

/** An item that a client passes to the server. It may come from another server, with any `data`. */
export interface ItemArgument {
  /** The data of the item. */
  readonly data?: unknown;
  /** The detail of the item. */
  readonly detail?: string | null;
  /** The LSP symbol kind. */
  readonly kind: number;
  /** The name of the item. */
  readonly name: string;
  /** The range of the item. */
  readonly range: Range;
  /** The selection range of the item. */
  readonly selectionRange: Range;
  /** The LSP symbol tags. */
  readonly tags?: readonly number[] | null;
  /** The URI of the item. */
  readonly uri: string;
}

/** The `data` of an item. */
export interface ItemData {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The place and the self cost for display: `app.py:12 · self 4.0%`. Of a caller, the cost of the samples that start there: `app.py:12 · starts here 4.0%`. */
  readonly detail: string;
  /** The direction in which the path was followed. Null for a root. */
  readonly dir: Direction | null;
  /** Whether each recursive call is a function of the path. Otherwise consecutive calls of one function are one. */
  readonly exact: boolean;
  /** The workspace folder whose profile has the cost. Missing if there is only one. */
  readonly folder?: string;
  /** Whether it has no calls in the direction of `dir`. Null for a root. */
  readonly leaf: boolean | null;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The metric of both. */
  readonly metric: string;
  /** The function's full name. */
  readonly name: string;
  /** The cost in the overlay. Missing without an overlay, and if it is zero or not known. */
  readonly overlay?: OverlayData;
  /** The path from the root to this function. Empty for what no caller or callee accounts for, which has no calls. */
  readonly path: readonly FunctionKey[];
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** What precedes it: `exprlab_engine`. Missing if nothing does. */
  readonly qualifier?: string;
  /** Whether it is a recursive call. Its cost is then not part of the sum of its siblings. */
  readonly recursive: boolean;
  /** The self cost. Null if it is unknown. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part. */
  readonly shortName: string;
  /** Call sites that are not within the definition of the caller. */
  readonly sites?: readonly CallSite[];
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** Identifies the transforms that the path was found under. Missing without transforms. */
  readonly transforms?: string;
  /** The unit of both. */
  readonly unit: string;
  /** The workspace file. Null if the place is not in one. */
  readonly uri: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** The `data` of a lens. */
export interface LensData {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The function's key. */
  readonly func: FunctionKey;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The metric of both. */
  readonly metric: string;
  /** The function's name. */
  readonly name: string;
  /** The cost in the overlay. Missing without an overlay, and if it is zero or not known. */
  readonly overlay?: OverlayData;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** The self cost. Null if it is unknown. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The unit of both. */
  readonly unit: string;
  /** The workspace file. Null if the place is not in one. */
  readonly uri: string | null;
  /** The version of this object: 1. */
  readonly v: number;
}

/** A caller of the chosen node. */
export interface Levels {
  /** The number of functions of the chosen path to keep, at least 1. */
  readonly levels: number;
}

/** A metric of a profile. */
export interface MetricName {
  /** The name. */
  readonly name: string;
  /** The unit. */
  readonly unit: string;
}

/** A source of profiles. Clients run the command in a terminal after the user has agreed; the server never runs it. */
export interface NamedSource {
  /** The profile to compare with that was fetched together with it. Null if there is none. */
  readonly baseline: string | null;
  /** The command that fetches it. */
  readonly command: RecipeCommand;
  /** The folder to run the command in. */
  readonly folder: string;
  /** The kind of source: `pyroscope`. */
  readonly kind: string;
  /** The name. */
  readonly name: string;
  /** The address or folder, for display. */
  readonly place: string;
  /** The profile that was fetched last. Null if there is none. */
  readonly profile: string | null;
  /** Whether its profile is shown. */
  readonly shown: boolean;
  /** The command as text, for display. */
  readonly text: string;
}

/** The named sources of a workspace folder. */
export interface NamedSources {
  /** The file that names them. Null without a workspace folder. */
  readonly file: string | null;
  /** Why the file cannot be read. Null if it can, or does not exist. */
  readonly problem: string | null;
  /** The sources, by name. */
  readonly sources: readonly NamedSource[];
}

/** What can be done with a node of the call tree. */
export interface NodeAction {
  /** Whether it is for nodes of the bottom-up tree, or else for those of the other one. */
  readonly bottomUp: boolean;
  /** The title in menus. */
  readonly title: string;
  /** The kind of transform, for `costline.pushTransform` with the path of the node. Null: show the costs of the node only, by `node` of `costline.setView`. */
  readonly type: TransformKind | null;
}

/** A choice of a call node. */
export type NodeChoice = readonly FunctionKey[] | Levels;

/** A choice of a call node. */
export type NodeChoiceArgument = readonly FunctionKeyArgument[] | Levels;

/** A function of the path of the chosen call node. */
export interface NodeFunction {
  /** The function's key. */
  readonly key: FunctionKey;
  /** The function's name. */
  readonly name: string;
  /** The argument of `costline.setView` that chooses this function of the path. */
  readonly view: NodeOfView;
}

/** The argument of `costline.setView` that chooses a caller of the chosen call node. */
export interface NodeOfView {
  /** The caller. */
  readonly node: Levels;
}

/** A profile other than the one shown, to query without showing its costs in the code. */
export interface OtherProfile {
  /** A file of the profile, relative to the workspace folder. */
  readonly path: string;
  /** Its view: choices of `costline.setView`, apart from profiles and the baseline, instead of the settings. Default: the current view if the file belongs to the profile shown; otherwise the view in the settings. */
  readonly view?: SetViewArgument | null;
}

/** A second cost in results. */
export interface OverlayData {
  /** The metric of both. */
  readonly metric: string;
  /** The self cost. */
  readonly self: Weight;
  /** The total, or else the self cost, for display: `4.00 MiB`. */
  readonly text: string;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The unit of both. */
  readonly unit: string;
}

/** The change of a weight since the baseline. */
export interface PartChange {
  /** The weight in the baseline. */
  readonly before: Weight;
  /** The change. If shares are compared, the weight before is scaled to the same total. */
  readonly change: Weight;
  /** Whether the change may be noise: the samples of the two profiles are not enough to tell. Labels leave it out. */
  readonly mayBeNoise: boolean;
  /** The change for display: `▲1.20 s`, or `▼2.1` in percentage points. Null if there is none. */
  readonly text: string | null;
}

/** A prefix of file names in profiles, and the folder that replaces it. */
export interface PathMapping {
  /** The prefix in the profile. */
  readonly from: string;
  /** The folder that replaces it: an absolute path, or a path relative to each workspace folder. It may begin with `~`, `${workspaceFolder}`, `${workspaceFolder:NAME}` or `${userHome}`. */
  readonly to: string;
}

/** A prefix of file names in profiles, and the folder that replaces it. */
export interface PathMappingArgument {
  /** The prefix in the profile. */
  readonly from: string;
  /** The folder that replaces it: an absolute path, or a path relative to each workspace folder. It may begin with `~`, `${workspaceFolder}`, `${workspaceFolder:NAME}` or `${userHome}`. */
  readonly to: string;
}

/** A path in an object. */
export interface PathObject {
  /** The path, relative to the workspace folder; null for none. */
  readonly path?: string | null;
}

/** The files of a profile. */
export interface Paths {
  /** The functions without a file whose name matches several functions in the workspace. */
  readonly ambiguousFunctions: readonly UnmatchedFunction[];
  /** All files, hottest first. */
  readonly files: readonly RecordedFile[];
  /** The number of files that are mapped to a workspace file. */
  readonly mapped: number;
  /** Workspace folders, and folders of the setting `sourceRoots`, that do not exist. Null before the first profile. */
  readonly missingRoots: readonly string[] | null;
  /** The workspace folders. */
  readonly roots: readonly string[];
}

/** The cost of one call on average. */
export interface PerCall {
  /** The self cost. */
  readonly self: Weight;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
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

/** A position in a text, serialized like an LSP `Position`. Both numbers are 0-based. [`Encoding`] is the unit of columns. */
export interface Position {
  /** The column. */
  readonly character: number;
  /** The line. */
  readonly line: number;
}

/** A file of a profile, as of when it was read. */
export interface ProfileFile {
  /** The name of the format. */
  readonly format: string;
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The name to show: the file name, and the number of other files. */
  readonly name: string;
  /** The path of the file; of the first one if there are several. */
  readonly path: string;
}

/** The profiles that were found. */
export interface Profiles {
  /** The profile shown. Null without a profile. */
  readonly active: ActiveProfile | null;
  /** The profiles, newest first. */
  readonly profiles: readonly FoundProfile[];
  /** Incremented when costs or labels of this root are replaced. */
  readonly revision: number;
  /** The workspace folder that this is about. Null if none is open. */
  readonly root: string | null;
}

/** What to list about the profiles. */
export interface ProfilesArgument {
  /** Read the profiles of up to 64 MiB that were not read yet, so that they have a total. The choices of `costline.view` then have it too. Default: false. */
  readonly totals?: boolean;
}

/** What to list. */
export interface Question {
  /** The document, which must be open. */
  readonly uri: string;
}

/** A part of a text, excluding its end. */
export interface Range {
  /** The position after the last character. */
  readonly end: Position;
  /** The position of the first character. */
  readonly start: Position;
}

/** How to record a profile of a program, test or benchmark. Clients run the commands in a terminal, after the user has agreed; the server never runs them. */
export interface Recipe {
  /** The commands. Each runs if the one before it succeeded. */
  readonly commands: readonly RecipeCommand[];
  /** The folder to run the commands in. */
  readonly folder: string;
  /** The command that installs the profiler. Null if it comes with the language. */
  readonly install: string | null;
  /** The line of the document, 0-based. */
  readonly line0: number;
  /** What is recorded: `words`, `test empty_text`. */
  readonly name: string;
  /** The name of the profiler. */
  readonly profiler: string;
  /** The commands as one line of text, for display. */
  readonly text: string;
}

/** A command of a recipe. It is not for a shell: arguments are passed unchanged. */
export interface RecipeCommand {
  /** Its arguments. */
  readonly arguments: readonly string[];
  /** The program, which is on the PATH, or relative to the folder. */
  readonly program: string;
}

/** A file of a profile. */
export interface RecordedFile {
  /** The workspace files that it could be. Null unless `how` is `ambiguous`. */
  readonly candidates: readonly string[] | null;
  /** The cost of its hottest line. */
  readonly hottestLine: Weight;
  /** How the workspace file was found, or why not. */
  readonly how: FileFoundBy;
  /** The name in the profile. */
  readonly name: string;
  /** The workspace file. Null if there is none. */
  readonly path: string | null;
  /** Why there is no workspace file, as text to follow the name. Null if there is one. */
  readonly reason: string | null;
  /** The entries of the setting `pathMappings` that map it to a workspace file that it could be, one for each of these files. */
  readonly rules: readonly PathMapping[];
  /** The self cost of its lines. */
  readonly self: Weight;
}

/** The recursion that a function takes part in. */
export interface Recursion {
  /** Calls per call from outside, including that one. Null if calls are not counted. */
  readonly callsPerEntry: number | null;
  /** The number of functions in it. */
  readonly functions: number;
  /** Whether the function calls itself at one call site (a line, where calls are not told apart) or at several, or several functions call each other. If one call passes several call sites, that is divide and conquer. */
  readonly kind: "single" | "several" | "mutual";
  /** The most of its calls on a stack. Null if there are no stacks. */
  readonly maxDepth: number | null;
  /** The mean number of its calls on a stack that has one. Null if there are no stacks. */
  readonly meanDepth: number | null;
  /** The number of call sites, or of lines with some. */
  readonly sites: number;
  /** All of this as text: `recursion at one line: 2.0 calls deep on average, at most 3`. */
  readonly text: string;
}

/** One of the selected lines. */
export interface SelectedLine {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The line, 0-based. */
  readonly line0: number;
  /** The self cost. */
  readonly self: Weight;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The total as a share of the selection's total, from 0 to 1; the same for self costs where totals are unknown. Null if it is unknown. */
  readonly shareOfSelection: number | null;
  /** The same for display: `60.0%`. */
  readonly shareOfSelectionText: string | null;
  /** Its cost, and its share of the selection's cost: `12.3% · self 4.0% · 60.0% of the selection`. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
}

/** What the selected lines cost. A sample on several of them counts once. */
export interface Selection {
  /** What these lines call, hottest first, recursive calls last. Empty if the profile does not have the lines of calls. */
  readonly callees: readonly SelectionCall[];
  /** The callers of the functions on these lines, hottest first, recursive ones last. Direct recursion is collapsed. Null if the recording is a call graph, in which they are unknown. */
  readonly callers: readonly SelectionCall[] | null;
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The lines with a cost, hottest first. */
  readonly lines: readonly SelectedLine[];
  /** What is not default about the view, as short labels. */
  readonly marks: readonly string[];
  /** The metric of all costs. */
  readonly metric: string;
  /** The self cost. */
  readonly self: Weight;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The lines and their cost: `lines 3 to 9: self 1.0% (1 sample) · total 12.3% (12 samples)`. With a leading `~` if the lines may have moved since the recording. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The total. Null if it is not exact. */
  readonly total: Weight | null;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** Its unit. */
  readonly unit: string;
}

/** The selected lines. */
export interface SelectionArgument {
  /** The first line, 0-based. */
  readonly firstLine0: number;
  /** The last line, 0-based. */
  readonly lastLine0: number;
  /** The document. */
  readonly uri: string;
}

/** A caller or callee of the selected lines. */
export interface SelectionCall {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The function's item, to request callers and callees with. */
  readonly item: Item | null;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The function's name. */
  readonly name: string;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** What precedes it: `exprlab_engine`. Missing if nothing does. */
  readonly qualifier?: string;
  /** Whether it is a recursive call. Its cost is then not part of the sum. */
  readonly recursive: boolean;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part. */
  readonly shortName: string;
  /** The cost of the calls: those that lead to the selection, or those on its lines: `33.3% (2 samples)`. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The weight of these calls, or the most that it may be. */
  readonly total: Weight;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The workspace file. Null if the place is not in one. */
  readonly uri: string | null;
}

/** A path mapping. */
export interface SetPathMappingArgument {
  /** The prefix in the profile. */
  readonly from: string;
  /** The folder that replaces it, as in the setting `pathMappings`. */
  readonly to: string;
}

/** The values that `costline.setView` changes. A missing key leaves the value unchanged, `null` resets it to the setting. */
export interface SetViewArgument {
  /** The baseline: a profile, relative to the workspace folder, `"previous"` for the run before the one shown, `"previous:5"` for the mean of the last 5 runs, `"git:main"` for the newest run at a Git revision, or `true` for the profile shown now. `null` or `false`: no baseline. */
  readonly baseline?: BaselineChoice | null;
  /** How to combine the profiles of several runs. */
  readonly combine?: Combine | null;
  /** How to compare costs with the baseline. */
  readonly compare?: Compare | null;
  /** Which functions to show. */
  readonly implementation?: Implementation | null;
  /** Where to show the cost of inlined code. */
  readonly inlines?: Inlines | null;
  /** Filters by labels, all of which a sample must pass: `size=large`, `size!=large`, `url=~^/api/` (a regular expression), `size` (has the key), `!size`, `bytes=100..200`, `bytes>=1kb`. Empty: all samples. */
  readonly labels?: readonly string[] | null;
  /** The metric to show, by name or unit. */
  readonly metric?: string | null;
  /** The call node to show the costs of, with what it calls: the path of a node in the result of `costline.callTree`. `{"levels": N}` shows the first N functions of the chosen path. `null`: all nodes. */
  readonly node?: NodeChoiceArgument | null;
  /** A second cost to show beside the first: a metric of the profile, by name or unit, or the path of another profile, relative to the workspace folder. Empty: none, whatever the setting names. */
  readonly overlay?: string | null;
  /** Whether to charge the cost of libraries and the runtime to your code that called them, and to leave out procedures that a contour file of Mercury excludes from lists of callers. */
  readonly own?: boolean | null;
  /** The path mappings, instead of those in the setting `pathMappings`. */
  readonly pathMappings?: readonly PathMappingArgument[] | null;
  /** The profile to show, relative to the workspace folder. `null`: the profile in the settings, or the newest one. */
  readonly profile?: string | null;
  /** The profiles to show as one instead of `profile`: repeated runs, or the parts of a run on several machines. They must have the same format. */
  readonly profiles?: readonly string[] | null;
  /** The time range to show, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. A sample at the end is not in it. */
  readonly range?: string | null;
  /** Keys to reset, which is the same as `null` for each. Some clients, such as Neovim, drop keys with `null` from arguments that the server sent. */
  readonly reset?: readonly string[];
  /** Show only samples in which each of these terms, separated by commas, is in the name, file or library of some function on the stack. */
  readonly search?: string | null;
  /** What hints show. */
  readonly show?: Show | null;
  /** The threads to show, by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`), glob or `/regex/`. Empty: all threads. */
  readonly threads?: readonly string[] | null;
  /** The transforms, in order, instead of those that are applied. `null`: none. */
  readonly transforms?: readonly TransformArgument[] | null;
  /** The unit of costs. */
  readonly unit?: Unit | null;
  /** A view of the setting `views`, which replaces all choices. The other keys change it. `null`: the view in the settings. */
  readonly view?: string | null;
}

/** How bad a problem is. */
export type Severity =
  /** Nothing can be shown, or not what the user chose. */
  | "error"
  /** Costs are missing, or could be better. */
  | "warning"
  /** Useful to know. */
  | "info";

/** What labels show. */
export type Show =
  /** Total cost, callees included. */
  | "total"
  /** Self cost, without callees. */
  | "self"
  /** Both. */
  | "both"
  /** How often lines were executed: `3×`, `never executed`. The same as `both` if the profile has no such counts. */
  | "counts";

/** Options of `costline.showCallers` and `costline.showCallees`. */
export interface ShowOptions {
  /** Also group the callers or callees, in `groups`. */
  readonly groupBy?: GroupBy | null;
  /** Show the five hottest to the user in a message. The default is true. */
  readonly message?: boolean | null;
}

/** A summary of what is shown. */
export interface Shown {
  /** What percentages are relative to: the total or, with negative weights, the sum of |self| over all call paths. Null without a profile. */
  readonly base: Weight | null;
  /** The baseline. Null without a baseline. */
  readonly baseline: ProfileFile | null;
  /** How the total changed since the baseline. Null without a baseline, and if it cannot be compared. */
  readonly comparison: TotalChange | null;
  /** Where the profile comes from, if `costline fetch` fetched it. Null otherwise. */
  readonly fleet: FleetNumbers | null;
  /** What is wrong with what is shown, the most severe first. Empty if a profile is shown, nothing is wrong with it, and the view is the default. */
  readonly health: readonly HealthEntry[];
  /** Whether a profile is being read. */
  readonly loading: boolean;
  /** What is not default about the view, as short labels: `focus-function:work`, `2 of 7 threads`. */
  readonly marks: readonly string[];
  /** The metric. Null without a profile. */
  readonly metric: string | null;
  /** The second cost that is shown beside the first. Null without an overlay. */
  readonly overlay: ShownOverlay | null;
  /** The profile shown. Null without a profile. */
  readonly profile: ShownProfile | null;
  /** Incremented when costs or labels of this root are replaced. */
  readonly revision: number;
  /** The workspace folder that this is about. Null if none is open. */
  readonly root: string | null;
  /** How the total is spread over the runs whose mean is shown: the sample standard deviation. Null if no mean is shown. */
  readonly spread: Weight | null;
  /** The user's choices by command. Pass them as `state` in the `initializationOptions` of the next server to restore them. The format is private. Null without choices. */
  readonly state: string | null;
  /** The total, or how it changed since the baseline, and the summary as one text, for status lines: `1.98 s · cpu · 2 of 7 threads`. Without the metric if the unit of the total is the same word. Empty without a profile. */
  readonly status: string;
  /** The metric and the marks as one text, for titles. Empty without a profile. */
  readonly summary: string;
  /** The total of the profile. Null without a profile, and if functions contain each other (`line_profiler`). */
  readonly total: Weight | null;
  /** The total for display: `1.98 s`. Null without a profile. */
  readonly totalText: string | null;
  /** The unit of the metric. Null without a profile. */
  readonly unit: string | null;
}

/** The overlay. */
export interface ShownOverlay {
  /** The metric. */
  readonly metric: string;
  /** The name to show: `alloc_space`, of another profile `alloc_space of heap.pb.gz`. */
  readonly name: string;
  /** The path of the profile. */
  readonly profile: string;
  /** The total in this metric. Null if functions contain each other (`line_profiler`). */
  readonly total: Weight | null;
  /** The unit of the metric. */
  readonly unit: string;
}

/** The profile shown. */
export interface ShownProfile {
  /** Whether the file was deleted. Its costs are still shown. */
  readonly deleted: boolean;
  /** The name of the format. */
  readonly format: string;
  /** When it was written, in milliseconds since 1970. */
  readonly modified: number;
  /** The name to show: the file name, and the number of other files. */
  readonly name: string;
  /** The path of the file; of the first one if there are several. */
  readonly path: string;
  /** Whether the user selected it by command. */
  readonly picked: boolean;
  /** Whether the file is truncated. Null if this cannot be known, because a part of such a file is a valid file. */
  readonly truncated: boolean | null;
}

/** How a cost is spread over runs: sample standard deviations. */
export interface SpreadData {
  /** The spread of the self cost. */
  readonly self: Weight;
  /** The spread of the sorted column, for display: `±40.0 ms`. Empty if it is not known. */
  readonly text: string;
  /** The spread of the total. Null if it is not exact. */
  readonly total: Weight | null;
}

/** The operand of a transform. */
export type Takes =
  /** A function, in `function`. */
  | "function"
  /** The functions of a path, in `path`. */
  | "path"
  /** A category of frames, in `category`. */
  | "category"
  /** A library, in `resource`. */
  | "resource"
  /** The key of a label, in `label`. */
  | "label";

/** A `costline:` document. */
export interface TextDocumentContent {
  /** Whether the profile shown has the function. If not, the text says so. */
  readonly found: boolean;
  /** The text of the document. */
  readonly text: string;
}

/** The parameters of `costline/textDocumentContent`. */
export interface TextDocumentContentParams {
  /** The URI of the document. */
  readonly uri: string;
}

/** The weight of what is shown over time. */
export interface Timeline {
  /** The length of a bucket in milliseconds. Null if times are unknown. */
  readonly bucketMs: number | null;
  /** The buckets, in chronological order. A sample at the end of a bucket is in the next one; at the end of the recording, in the last one. Empty if times are unknown. */
  readonly buckets: readonly TimelineBucket[];
  /** The weight over time that the source of a fetched profile states. It covers the whole profile, whatever is shown. Missing if the source states none. */
  readonly collected?: TimelineCollected;
  /** When each bucket starts, and when the last one ends. Empty if times are unknown. */
  readonly edges: readonly TimelineEdge[];
  /** When the last bucket ends: at the last sample of the recording, or at the end of the chosen range. In milliseconds since the first sample. Null if times are unknown. */
  readonly endMs: number | null;
  /** What is not default about the view: `2..5 ms`. */
  readonly marks: readonly string[];
  /** The metric. */
  readonly metric: string;
  /** Why there is no timeline: the profile does not record times. Null if there is one. */
  readonly problem: string | null;
  /** When the first bucket starts: at the first sample of the recording, or at the start of the chosen range. In milliseconds since the first sample. Null if times are unknown. */
  readonly startMs: number | null;
  /** The timelines of the chosen threads. Missing if they were not requested. */
  readonly threads?: readonly TimelineThread[];
  /** The total of the view. If times are known, the sum of all buckets and of `withoutTime`. */
  readonly total: Weight;
  /** The unit of weights. */
  readonly unit: string;
  /** The weight of the samples whose time is unknown. They are in no bucket. */
  readonly withoutTime: Weight | null;
}

/** The timeline to return. */
export interface TimelineArgument {
  /** The number of buckets, at most 10000. Default: 100. */
  readonly buckets?: number | null;
  /** Whether to return the timeline of each thread too. Default: false. */
  readonly byThread?: boolean | null;
}

/** A span of time. */
export interface TimelineBucket {
  /** The weight for display: `45 samples`. */
  readonly text: string;
  /** The weight of the samples that were taken in it, in the unit of the metric. A sample that stands for a duration is in the bucket in which it starts. A recorded call is in each bucket that contains self time of the call, with that part of the time. */
  readonly weight: Weight;
}

/** The weight over time that the source of a fetched profile states. */
export interface TimelineCollected {
  /** The length of a bucket in milliseconds. */
  readonly bucketMs: number;
  /** The buckets, in chronological order. */
  readonly buckets: readonly TimelineBucket[];
  /** When each bucket starts, and when the last one ends, for display: `2025-11-24 10:00`. */
  readonly edges: readonly string[];
  /** When the first bucket starts, in milliseconds since 1970. */
  readonly startMs: number;
  /** What it is, for display: `CPU of the whole profile, as stated by shop: 2025-11-24 10:00 to 11:00 UTC`. */
  readonly text: string;
}

/** The start of a bucket, or the end of the last one. */
export interface TimelineEdge {
  /** The time in milliseconds since the first sample. `costline.setView` with the range from one edge to another shows the buckets between them. Null at the end of the recording, where the range must be open to include a sample at the end. */
  readonly ms: number | null;
  /** The time for display: `1.20 s`. */
  readonly text: string;
}

/** The timeline of a thread. */
export interface TimelineThread {
  /** The buckets, in chronological order. A sample at the end of a bucket is in the next one; at the end of the recording, in the last one. Empty if times are unknown. */
  readonly buckets: readonly TimelineBucket[];
  /** The name of the thread, or else of its process. */
  readonly name: string;
  /** The process id. */
  readonly pid: string | null;
  /** The thread id. */
  readonly tid: string | null;
  /** The weight of the samples whose time is unknown. They are in no bucket. */
  readonly withoutTime: Weight | null;
}

/** How the total changed since the baseline. */
export interface TotalChange {
  /** The total of the profile shown. */
  readonly after: Weight;
  /** The total of the baseline. */
  readonly before: Weight;
  /** Whether the change may be noise. */
  readonly mayBeNoise: boolean;
  /** The change in percent of the baseline's total. Null if that is 0. */
  readonly percent: number | null;
  /** The change for display: `1.98 s → 1.17 s −41%`. */
  readonly text: string;
}

/** A transform in JSON. It has one of `function`, `path`, `category`, `resource` and `label`, depending on its kind. */
export interface Transform {
  /** The category of frames. */
  readonly category?: string | null;
  /** The function to transform. */
  readonly function?: FunctionKeyOrName | null;
  /** The functions that the transform applies to, if they differ from the view's. */
  readonly implementation?: Implementation | null;
  /** The key of a label. */
  readonly label?: string | null;
  /** The functions of a path from the root, or from the leaf for `focus-subtree-inverted`. */
  readonly path?: readonly FunctionKeyOrName[] | null;
  /** The library. */
  readonly resource?: string | null;
  /** The kind of transform. */
  readonly type: TransformKind;
}

/** A transform in JSON. It has one of `function`, `path`, `category`, `resource` and `label`, depending on its kind. */
export interface TransformArgument {
  /** The category of frames. */
  readonly category?: string | null;
  /** The function to transform. */
  readonly function?: FunctionKeyOrNameArgument | null;
  /** The functions that the transform applies to, if they differ from the view's. */
  readonly implementation?: Implementation | null;
  /** The key of a label. */
  readonly label?: string | null;
  /** The functions of a path from the root, or from the leaf for `focus-subtree-inverted`. */
  readonly path?: readonly FunctionKeyOrNameArgument[] | null;
  /** The library. */
  readonly resource?: string | null;
  /** The kind of transform. */
  readonly type: TransformKind;
}

/** A kind of transform. */
export interface TransformInfo {
  /** Whether it takes a path of the bottom-up tree, which begins with the leaf. */
  readonly bottomUp: boolean;
  /** The kind of operand. */
  readonly takes: Takes;
  /** The title in menus. */
  readonly title: string;
  /** The name. */
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
  /** Hide samples with function */
  | "drop-function"
  /** Hide samples with node */
  | "drop-node"
  /** Focus on function */
  | "focus-function"
  /** Focus on node */
  | "focus-subtree"
  /** Focus on node and its callers */
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
  | "collapse-function-subtree"
  /** Split stacks by label */
  | "split-by-label";

/** A node of the call tree. */
export interface TreeNode {
  /** The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path. */
  readonly change?: CostChange;
  /** With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline. */
  readonly changeTier?: -3 | -2 | -1 | 0 | 1 | 2 | 3 | null;
  /** The children, in the requested order. */
  readonly children: readonly TreeNode[];
  /** Whether the cost is estimated. */
  readonly est: boolean;
  /** The names of the functions that were folded into the node, outermost first. Missing if there are none. */
  readonly folded?: readonly string[];
  /** Whether the node has children, in the response or not. */
  readonly hasChildren: boolean;
  /** The function's item, to request callers and callees with. */
  readonly item: Item | null;
  /** The function's key. */
  readonly key: FunctionKey;
  /** Whether the node has no children. */
  readonly leaf: boolean;
  /** The 0-based line in the current text. Null if `uri` is null. */
  readonly line0: number | null;
  /** The number of children that are not in the response. */
  readonly more: number;
  /** The function's name. */
  readonly name: string;
  /** The functions from the top of the tree to the node, to request its children with. */
  readonly path: readonly FunctionKey[];
  /** `total` as a percentage of the base. Null if the base is 0. */
  readonly percent: number | null;
  /** The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`. */
  readonly placeText: string;
  /** What precedes it: `exprlab_engine`. Missing if nothing does. */
  readonly qualifier?: string;
  /** Whether the node's function is also on the path above the node. */
  readonly recursive: boolean;
  /** The node's self cost. Null if it is unknown, and below the first level of the bottom-up tree. */
  readonly self: Weight | null;
  /** The self cost as a share of the base, from 0 to 1. Null if it is unknown. */
  readonly selfShare: number | null;
  /** The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown. */
  readonly selfText: string | null;
  /** The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost. */
  readonly share: number;
  /** The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part. */
  readonly shortName: string;
  /** The node's cost: `45.6% · self 4.0%`, with a baseline `45.6% ▲1.20 s · self 4.0%`. In profiles with JIT tiers, the tiers of the total follow: `45.6% · self 4.0% · Ion 62.1%`. */
  readonly text: string;
  /** The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%. */
  readonly tier: 0 | 1 | 2 | 3;
  /** The short name, or of a chain `clone3 › … 12 frames › work`. */
  readonly title: string;
  /** The node's total. */
  readonly total: Weight;
  /** The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown. */
  readonly totalText: string | null;
  /** The workspace file. Null if the place is not in one. */
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

/** A function of a profile that names no file for it. */
export interface UnmatchedFunction {
  /** The functions in the workspace that it could be. */
  readonly candidates: readonly DefinitionPlace[];
  /** The name and the places, as a sentence. */
  readonly message: string;
  /** The name in the profile. */
  readonly name: string;
}

/** What is shown, the choices, and the actions. */
export interface View {
  /** The commands to offer in menus. */
  readonly actions: readonly Action[];
  /** What percentages are relative to: the total or, with negative weights, the sum of |self| over all call paths. Null without a profile. */
  readonly base: Weight | null;
  /** The baseline. Null without a baseline. */
  readonly baseline: ProfileFile | null;
  /** The choices of `costline.setView`, in the order of menus. Choices with fewer than two options are omitted. */
  readonly choices: readonly Choice[];
  /** How the total changed since the baseline. Null without a baseline, and if it cannot be compared. */
  readonly comparison: TotalChange | null;
  /** Where the profile comes from, if `costline fetch` fetched it. Null otherwise. */
  readonly fleet: FleetNumbers | null;
  /** What is wrong with what is shown, the most severe first. Empty if a profile is shown, nothing is wrong with it, and the view is the default. */
  readonly health: readonly HealthEntry[];
  /** What `costline.hotspots` can list of the profile, in the order of menus. Empty without a profile. Their titles are in `capabilities.experimental.costline`. */
  readonly hotSpots: readonly HotSpotsBy[];
  /** Whether a profile is being read. */
  readonly loading: boolean;
  /** What is not default about the view, as short labels: `focus-function:work`, `2 of 7 threads`. */
  readonly marks: readonly string[];
  /** The metric. Null without a profile. */
  readonly metric: string | null;
  /** The functions from a root of the call tree to the chosen call node. Empty if none is chosen. */
  readonly node: readonly NodeFunction[];
  /** The second cost that is shown beside the first. Null without an overlay. */
  readonly overlay: ShownOverlay | null;
  /** The profile shown. Null without a profile. */
  readonly profile: ShownProfile | null;
  /** The time range that is shown, in milliseconds since the first sample: `2..5 ms`. Null: all. */
  readonly range: string | null;
  /** Whether addresses of the profile are still being resolved. Until then, names and lines may be missing, and `health` says nothing about them. */
  readonly resolving: boolean;
  /** Incremented when costs or labels of this root are replaced. */
  readonly revision: number;
  /** The workspace folder that this is about. Null if none is open. */
  readonly root: string | null;
  /** The search. Only samples whose stack has its terms are shown. Null: all. */
  readonly search: string | null;
  /** How the total is spread over the runs whose mean is shown: the sample standard deviation. Null if no mean is shown. */
  readonly spread: Weight | null;
  /** The user's choices by command. Pass them as `state` in the `initializationOptions` of the next server to restore them. The format is private. Null without choices. */
  readonly state: string | null;
  /** The total, or how it changed since the baseline, and the summary as one text, for status lines: `1.98 s · cpu · 2 of 7 threads`. Without the metric if the unit of the total is the same word. Empty without a profile. */
  readonly status: string;
  /** The metric and the marks as one text, for titles. Empty without a profile. */
  readonly summary: string;
  /** The total of the profile. Null without a profile, and if functions contain each other (`line_profiler`). */
  readonly total: Weight | null;
  /** The total for display: `1.98 s`. Null without a profile. */
  readonly totalText: string | null;
  /** The transforms, in order. The focus on the chosen call node is one of them. */
  readonly transforms: readonly AppliedTransform[];
  /** The unit of the metric. Null without a profile. */
  readonly unit: string | null;
  /** The name of the view that is shown, if it is one of the setting `views`. */
  readonly view: string | null;
}

/** A raw weight. Serialized as an integer if it is whole, and without the errors of sums of decimal fractions: 0.3, not 0.30000000000000004. */
export type Weight = number;

/** The arguments and the result of each command. */
export interface Commands {
  /** Return the current view, all choices and all actions: everything that menus need. With another profile as the argument, return the view that is requested for it. */
  readonly "costline.view": { readonly arguments: readonly [(OtherProfile | null)?]; readonly result: View };
  /** Change the view. The keys are those that the `choices` of `costline.view` list, and `pathMappings`. `null`, or the key's name in `reset`, restores the setting, except that it removes the baseline. A choice is kept when the profile is rewritten, and dropped when the user changes the setting with the same key. Returns the new view, like `costline.view`. */
  readonly "costline.setView": { readonly arguments: readonly [SetViewArgument]; readonly result: View };
  /** List the profiles that were found, newest first, and which of them is shown. */
  readonly "costline.profiles": { readonly arguments: readonly [(ProfilesArgument | null)?]; readonly result: Profiles };
  /** Show a profile. `null` or no argument selects the one in the settings, or else the newest. Returns the profiles, like `costline.profiles`. */
  readonly "costline.selectProfile": { readonly arguments: readonly [(string | PathObject | null)?]; readonly result: Profiles };
  /** Reload the profile. Returns the profiles, like `costline.profiles`. */
  readonly "costline.reload": { readonly arguments: readonly []; readonly result: Profiles };
  /** Set the baseline: the profile to compare costs with. Without an argument, it is the current profile in its present state. `null` removes the baseline. Returns the new view, like `costline.view`. */
  readonly "costline.setBaseline": { readonly arguments: readonly [(string | PathObject | null)?]; readonly result: View };
  /** Remove the baseline. Returns the new view, like `costline.view`. */
  readonly "costline.clearBaseline": { readonly arguments: readonly []; readonly result: View };
  /** Add a transform after the existing ones. A string has the form `KIND:NAME`, as on the command line. Returns the new view, like `costline.view`. */
  readonly "costline.pushTransform": { readonly arguments: readonly [string | TransformArgument]; readonly result: View };
  /** Remove the last transform. Returns the new view, like `costline.view`. */
  readonly "costline.popTransform": { readonly arguments: readonly []; readonly result: View };
  /** Remove all transforms. Returns the new view, like `costline.view`. */
  readonly "costline.clearTransforms": { readonly arguments: readonly []; readonly result: View };
  /** List the callers of a call hierarchy item. A message also shows the five hottest, unless `message` is false. An item of another server or profile has no entries. */
  readonly "costline.showCallers": { readonly arguments: readonly [ItemArgument, (ShowOptions | null)?]; readonly result: CallStep };
  /** List the callees of a call hierarchy item. Otherwise like `costline.showCallers`. */
  readonly "costline.showCallees": { readonly arguments: readonly [ItemArgument, (ShowOptions | null)?]; readonly result: CallStep };
  /** Write a flame graph (SVG) and open it, if the client supports `window/showDocument`. With `inline`, return the flame graph in the response instead. */
  readonly "costline.flamegraph": { readonly arguments: readonly [(FlameGraphArgument | null)?, (OtherProfile | null)?]; readonly result: DrawnFlameGraph };
  /** Add a path mapping to those in the setting `pathMappings`, or replace the one with the same `from`. A message tells the user how many of the profile's files are found with it, and which entry to add to the setting to keep it. The mapping is dropped when the user changes the setting. Returns the new view, like `costline.view`. */
  readonly "costline.setPathMapping": { readonly arguments: readonly [SetPathMappingArgument]; readonly result: View };
  /** List the profile sources that the workspace folder names (`.costline/sources.toml`), each with the command that fetches its profile. Nothing is run. */
  readonly "costline.sources": { readonly arguments: readonly []; readonly result: NamedSources };
  /** Export the profile, with the current view applied, to a file in another format. */
  readonly "costline.export": { readonly arguments: readonly [ExportArgument]; readonly result: Exported };
  /** List the hottest functions, lines, calls, files, modules, packages, libraries, threads, labels, cliques or fields of the profile, own code first, like `costline report`. Null without a profile. */
  readonly "costline.hotspots": { readonly arguments: readonly [(HotSpotsArgument | null)?, (OtherProfile | null)?]; readonly result: HotSpots | null };
  /** Return the hot line after that of the cursor, or before it, in any file of the workspace. Hot lines are those whose self cost is at least the setting `hints.minPercent`, hottest first, your own code, with the libraries that it calls, before other code, at most 200. From any other line it is the hottest; after the last one comes the first. */
  readonly "costline.hotLine": { readonly arguments: readonly [(HotLineArgument | null)?]; readonly result: HotLineStep };
  /** Return the descendants of a call node down to a depth: callees, or callers in the bottom-up tree. Null without a profile. */
  readonly "costline.callTree": { readonly arguments: readonly [(CallTreeArgument | null)?, (OtherProfile | null)?]; readonly result: CallTree | null };
  /** Return the weight of the samples over time, from the first sample to the last or over the chosen range, in buckets of equal length. Null without a profile. */
  readonly "costline.timeline": { readonly arguments: readonly [(TimelineArgument | null)?, (OtherProfile | null)?]; readonly result: Timeline | null };
  /** Return the cost of selected lines of an open document, together (a sample on several of them counts once) and of each line, the callers of the functions on them, and what the lines call. Null if none of the lines has a cost. */
  readonly "costline.selection": { readonly arguments: readonly [SelectionArgument]; readonly result: Selection | null };
  /** Explain why a line shows its cost, or why it shows none. */
  readonly "costline.explain": { readonly arguments: readonly [ExplainArgument]; readonly result: Explanation };
  /** List the files of the profile with the workspace file that each is mapped to, hottest first. Null without a profile. */
  readonly "costline.paths": { readonly arguments: readonly []; readonly result: Paths | null };
  /** List the programs, tests and benchmarks of a document, each with the commands that record a profile of it. Nothing is run. */
  readonly "costline.recipes": { readonly arguments: readonly [Question]; readonly result: readonly Recipe[] };
}

/** Notifications of the server. */
export interface Notifications {
  readonly "costline/changed": Shown;
}

/** Notifications of the client. */
export interface ClientNotifications {
  readonly "costline/activeDocument": ActiveDocumentParams;
}

/** Requests of the client. */
export interface Requests {
  readonly "costline/textDocumentContent": { readonly params: TextDocumentContentParams; readonly result: TextDocumentContent };
}
