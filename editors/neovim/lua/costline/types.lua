---@meta
--- Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.

--- A command to offer in menus.
---@class costline.Action
---@field arguments costline.SetViewArgument[] The arguments, without `null`.
---@field command costline.ActionCommand The command.
---@field title string The title in menus.

--- The command of an action.
---@alias costline.ActionCommand
---| '"costline.reload"' # Reads the profile again.
---| '"costline.flamegraph"' # Draws a flame graph.
---| '"costline.setView"' # Changes choices.
---| '"costline.popTransform"' # Removes the last transform.
---| '"costline.clearTransforms"' # Removes all transforms.

--- The parameters of `costline/activeDocument`.
---@class costline.ActiveDocumentParams
---@field uri string The URI of the document.

--- The profile shown, with its metrics.
---@class costline.ActiveProfile
---@field deleted boolean Whether the file was deleted. Its costs are still shown.
---@field dialect string|vim.NIL The dialect of the format, if it has several.
---@field format string The name of the format.
---@field formatVersion string|vim.NIL The version of the format, if the file states one.
---@field metric string The metric shown.
---@field metrics costline.MetricName[] All metrics of the profile.
---@field modified integer When it was written, in milliseconds since 1970.
---@field name string The name to show: the file name, and the number of other files.
---@field path string The path of the file; of the first one if there are several.
---@field picked boolean Whether the user selected it by command.
---@field producer string|vim.NIL The program that wrote the file and its version, or else the dialect.
---@field total costline.Weight|vim.NIL The total in the metric shown. Null if functions contain each other (`line_profiler`).
---@field truncated boolean|vim.NIL Whether the file is truncated. Null if this cannot be known, because a part of such a file is a valid file.
---@field unit string The unit of the metric.
---@field version string|vim.NIL The version of the format, or else `producer`.

--- An applied transform.
---@class costline.AppliedTransform
---@field text string The transform as text: `merge-function:parse`.
---@field transform costline.Transform The transform as JSON.

--- The baseline to compare with.
---@alias costline.BaselineChoice string|boolean

--- A caller or callee.
---@class costline.CallEntry
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field est boolean Whether the cost is estimated.
---@field item costline.Item The item of the extended path, to request its callers or callees with.
---@field leaf boolean Whether it has no callers or callees itself.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field name string The function's name.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field recursive boolean Whether it is a recursive call. Its cost is then not part of the sum.
---@field self costline.Weight|vim.NIL The self cost on this path. Null if it is unknown.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field text string The function's cost and name: `33.3% (2 samples) parse`.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight The total of the path that the function extends.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.

--- Callers or callees that have a call site, a function, a module or a clique in common.
---@class costline.CallGroup
---@field calls integer|vim.NIL The number of calls. Null if the profile does not record it.
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field est boolean Whether the cost is estimated.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field name string The name of the caller, callee or module, or the function names of a clique, separated by commas.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field recursive boolean Whether the calls are recursive. Their cost is then not part of the sum.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field text string The cost, the name and the number of calls, after a mark for recursion: `↻ 15.4% (2 callseqs) m.odd/2-0 · 2 calls`.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight The total of the calls.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.

--- The callers or callees of an item, grouped.
---@class costline.CallGroups
---@field contour boolean Whether callers that the contour file excludes are replaced by their nearest callers that are not excluded.
---@field groupBy costline.GroupBy What they are grouped by.
---@field rows costline.CallGroup[] The rows, hottest first, then what is without a caller or callee, and last recursive calls.
---@field sum costline.Weight The weight of the calls that are not recursive. It is the same for each `groupBy`.

--- A call site.
---@class costline.CallSite
---@field file string The name of the file in the profile.
---@field line0 integer The line, 0-based: in the current text if the file is in the workspace, or else as recorded.
---@field total costline.Weight The weight of its calls.

--- The callers or callees of an item, hottest first. Empty if the item is not in this profile.
---@class costline.CallStep
---@field direction? costline.Direction Whether the entries are callers or callees.
---@field entries costline.CallEntry[] The callers or callees, then what is without one (for callees `self`, for callers the samples whose stack begins at the item), whose item has an empty path, and last recursive calls.
---@field est? boolean Whether costs are estimated, because the recording is a call graph.
---@field exact? boolean Whether each recursive call is a function of the path. Otherwise consecutive calls of one function are one.
---@field groups? costline.CallGroups The callers or callees by the option `groupBy`. Missing without it.
---@field item? costline.Item|vim.NIL The item with its current costs.
---@field metric? string The metric of all costs.
---@field recursion? costline.Recursion|vim.NIL The recursion that the function takes part in. Null if there is none.
---@field self? costline.Weight|vim.NIL For callees, the item's self cost on this path. For callers, the weight of the samples in which it has no caller. Null if it is unknown.
---@field total? costline.Weight The total of the path.
---@field unit? string Its unit.

--- A part of the call tree.
---@class costline.CallTree
---@field est boolean Whether costs are estimated, because the recording is a call graph.
---@field hotPath? costline.HotNode[] The hot path, if requested: the hottest child of the requested node, the hottest child of that and so on, to a node whose self cost is as high as the total of each child.
---@field inverted boolean Whether callers are below callees.
---@field marks string[] What is not default about the view, as short labels.
---@field metric string The metric of all costs.
---@field more integer The number of children after those in the response.
---@field nodes costline.TreeNode[] The children of the requested node, in the requested order. Empty if the profile does not have the node.
---@field total costline.Weight The total of the profile.
---@field transforms string|vim.NIL Identifies the transforms that the paths were found under. Null without transforms.
---@field unit string Its unit.

--- The part of the call tree to return.
---@class costline.CallTreeArgument
---@field depth? integer|vim.NIL The number of levels, at most 30. Default: 1.
---@field fold? boolean Make one node of each chain of nodes of which all but the last have one child with the same total. It is the last of them, with the others in `folded`.
---@field hotPath? boolean Also return the hot path below the node.
---@field inverted? boolean Return the bottom-up tree, in which callers are below callees, sorted by self cost.
---@field limit? integer|vim.NIL The maximum number of children of each node. Default: 50. A response has at most 2000 nodes.
---@field path? costline.FunctionKeyArgument[] The node whose children to return, as the functions from the top of the tree to the node. Default: the top.
---@field skip? integer The number of children of the requested node to leave out, the first ones. Default: 0.
---@field sort? costline.CallTreeSort What to sort the children of each node by, before the limit. Default: total.
---@field transforms? string|vim.NIL `transforms` of the response that the path is from. The path is then followed through the transforms that were added since. Without this key, it is only followed if it does not exist.

--- An order of the call tree.
---@class costline.CallTreeOrder
---@field sort costline.CallTreeSort The value for `costline.callTree`.
---@field title string The title in menus.

--- What the children of a node are sorted by.
---@alias costline.CallTreeSort
---| '"total"' # Total, highest first.
---| '"self"' # Self cost, highest first. Where it is unknown, total.
---| '"name"' # Name, ignoring case.

--- Lists that are the same for all profiles.
---@class costline.Catalog
---@field callTreeOrders costline.CallTreeOrder[] The orders of the call tree, in the order of menus.
---@field exportFormats costline.ExportFormatInfo[] The formats that `costline.export` writes.
---@field groupings costline.GroupingInfo[] What callers and callees can be grouped by.
---@field hotSpots costline.HotSpotsInfo[] What `costline.hotspots` lists, in the order of menus. `costline.view` says which of them the profile shown has.
---@field hotSpotsOrders costline.HotSpotsOrder[] The orders of hot spots, in the order of menus.
---@field nodeActions costline.NodeAction[] What can be done with a node of the call tree, in the order of menus.
---@field profileFolders string[] Names of folders in which any file may be a profile.
---@field profileNames string[] Globs of the file names of profiles. Each name may also end in `.gz` or `.zst`.
---@field projectMarkers string[] Files and folders that mark the top folder of a project.
---@field tierPercents number[] The smallest percentages of tier 1, 2 and 3.
---@field transforms costline.TransformInfo[] The kinds of transforms.

--- A choice in a menu.
---@class costline.Choice
---@field key costline.ChoiceKey The key in the argument of `costline.setView`.
---@field multiple boolean Whether several values can be chosen, as a list.
---@field options costline.ChoiceOption[] The options, at least two.
---@field title string The title in menus.
---@field value costline.Chosen The current value.

--- The key of a choice.
---@alias costline.ChoiceKey
---| '"view"' # A view of the setting `views`.
---| '"profile"' # The profile.
---| '"combine"' # How to combine the profiles of several runs.
---| '"metric"' # The metric.
---| '"overlay"' # The overlay.
---| '"threads"' # The threads.
---| '"labels"' # Filters by labels.
---| '"implementation"' # Which functions to show.
---| '"inlines"' # Where to show the cost of inlined code.
---| '"own"' # Whether to charge libraries and the runtime to your code that called them.
---| '"unit"' # The unit of costs.
---| '"show"' # What hints show.
---| '"baseline"' # The baseline.
---| '"compare"' # How to compare costs with the baseline.

--- An option of a choice.
---@class costline.ChoiceOption
---@field active boolean Whether the option is chosen.
---@field description? string A short description.
---@field detail? string More details, to show on a separate line.
---@field label string The label in menus.
---@field value costline.ChoiceValue The value for `costline.setView`.

--- A value of a choice.
---@alias costline.ChoiceValue string|boolean|vim.NIL

--- The current value of a choice.
---@alias costline.Chosen costline.ChoiceValue|costline.ChoiceValue[]

--- How to combine the profiles of several runs.
---@alias costline.Combine
---| '"sum"' # Their sum.
---| '"average"' # Their mean, with its spread.

--- How to compare costs with the baseline.
---@alias costline.Compare
---| '"absolute"' # Costs as they are.
---| '"share"' # Shares of the total.

--- Another program whose output to reproduce byte for byte.
---@alias costline.Compat
---| '"rbspy"' # rbspy's callgrind output, in which each line of a function is a separate function

--- The change of a cost since the baseline.
---@class costline.CostChange
---@field self costline.PartChange|vim.NIL The change of the self cost. Null if it is unknown.
---@field total costline.PartChange|vim.NIL The change of the total. Null if it is unknown, or not exact.

--- What to do with the frames below the maximum depth.
---@alias costline.Cut
---| '"fold"' # Add their cost to the deepest frame that is kept
---| '"drop"' # Leave out their cost

--- The place of a function in the workspace.
---@class costline.DefinitionPlace
---@field line integer The line of its name, 1-based.
---@field path string The file.

--- The direction in which calls are followed.
---@alias costline.Direction
---| '"incoming"' # To callers.
---| '"outgoing"' # To callees.

--- A flame graph, as a file or for a panel.
---@alias costline.DrawnFlameGraph costline.Picture|costline.FlameGraph

--- `capabilities.experimental` of the server.
---@class costline.Experimental
---@field costline costline.Catalog Lists for clients.

--- The line to explain.
---@class costline.ExplainArgument
---@field line integer The line, 0-based.
---@field uri string The document.

--- The reason why a line shows a cost or none.
---@class costline.Explanation
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field code costline.ExplanationCode The reason as a code.
---@field message string The reason as text.
---@field metric? string The metric of both.
---@field overlay? costline.OverlayData The cost in the overlay. Missing without an overlay, and if it is zero or not known.
---@field report? string The report on the line as plain text, as in hovers. Missing if the line has neither a cost nor a count of executions, or is in no open document.
---@field self? costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfShare? number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText? string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share? number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field stale? boolean Whether the recorded text is not known, so that lines may have moved. Missing if the line has no cost.
---@field steps string[] How the cost got to the line, one sentence for each step: metric, code, file, text, line. Empty if the line has no cost.
---@field tier? 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total? costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText? string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field unit? string The unit of both.
---@field v? integer The version of this object: 1.

--- A reason why a line shows a cost or none.
---@alias costline.ExplanationCode
---| '"no-profile"' # No profile is loaded.
---| '"not-a-file"' # The document is not a file on disk.
---| '"not-open"' # The editor has not opened the document in this server.
---| '"unsymbolicated"' # The profile contains addresses that were not resolved.
---| '"no-debug-info"' # The program was built without debug info.
---| '"source-mapped"' # A source map moves the costs of this line, or of the whole file, to another file.
---| '"no-lines"' # The profile has functions of this file, but no lines.
---| '"function-ambiguous"' # The profile names no file for a function that could be this one or another one.
---| '"stale-line"' # The line was changed after the profile was recorded.
---| '"no-cost"' # The line has no samples.
---| '"out-of-view"' # The line has samples, but none in the view.
---| '"no-count"' # The profile has no execution count for the line.
---| '"file-not-in-profile"' # The profile has no file with this name.
---| '"file-not-matched"' # The profile has a file with this name that is not mapped to this file.
---| '"file-ambiguous"' # The profile has a file with this name that could be any of several workspace files.
---| '"file-excluded"' # The setting `exclude` hides the file.
---| '"file-outside"' # The file is neither in a workspace folder nor in a folder of the setting `sourceRoots`.
---| '"hints-off"' # Hints are disabled by the setting `hints.enable`.
---| '"below-threshold"' # The cost is below the setting `hints.minPercent`.
---| '"shown"' # The line has a hint.

--- The format and the file to write.
---@class costline.ExportArgument
---@field compat? costline.Compat|vim.NIL Write byte for byte what this program would write.
---@field format costline.ExportFormat The format to write.
---@field maxDepth? integer|vim.NIL The maximum number of frames of a stack below its root; 0 keeps the roots only.
---@field overwrite? boolean Overwrite the file if it exists.
---@field path string The file to write, relative to the workspace folder.
---@field truncate? costline.Cut What to do with the cost of frames that `maxDepth` removes.

--- A format to export to.
---@alias costline.ExportFormat
---| '"callgrind"' # For KCachegrind and QCachegrind
---| '"folded"' # Folded stacks: one line per stack, summed
---| '"flamechart"' # One line per call, in chronological order, not summed
---| '"flamegraph"' # A flame graph as SVG, to open in a browser
---| '"speedscope"' # For speedscope.app
---| '"firefox"' # For profiler.firefox.com
---| '"pprof"' # For `pprof` and `go tool pprof`, compressed

--- A format to export to.
---@class costline.ExportFormatInfo
---@field binary boolean Whether its files are binary.
---@field extension string The extension of its files, without the leading dot.
---@field format costline.ExportFormat The name, for `costline.export`.
---@field title string The title in menus.

--- A file that was written.
---@class costline.Exported
---@field bytes integer The size of the file in bytes.
---@field lost string[] What the format cannot represent.
---@field path string The absolute path of the file.

--- How the workspace file of a file of the profile was found.
---@alias costline.FileFoundBy
---| '"rule"' # By a rule of the setting `pathMappings`.
---| '"exact"' # The path exists in a workspace folder.
---| '"suffix"' # By the last components of the path.
---| '"module"' # By the path of a Go module, or the name of a package of Cargo, npm or Python.
---| '"mount"' # By the mount of a dev container.
---| '"link"' # The path exists in a workspace folder, through a symbolic link.
---| '"sourceMap"' # By a source map.
---| '"name"' # The profile names no file, and a function has its only definition there.
---| '"ambiguous"' # Not found: several files match.
---| '"unmapped"' # Not found.

--- A flame graph.
---@class costline.FlameGraph
---@field above integer The number of frames from the root to the requested node, each as wide as the image. They come first. If the profile does not have the node, only the existing part of its path.
---@field atLeast boolean Whether `omitted`, and `more` of frames, may be too low: frames below narrow ones are counted in the top-down tree of stacks only.
---@field est boolean Whether costs are estimated, because the recording is a call graph.
---@field found costline.FlameGraphFound|vim.NIL What was found. Null without a search.
---@field frames costline.FlameGraphFrame[] The frames, row by row, callers before callees.
---@field legend costline.FlameGraphLegendEntry[] The meaning of each `changeTier`, from costs that fell to costs that rose. Empty if no frame has one.
---@field marks string[] What is not default about the view, as short labels.
---@field metric string The metric of all costs.
---@field omitted integer The number of frames below the node that are too narrow, too deep or too many to draw.
---@field span costline.FlameGraphSpan|vim.NIL The time that is drawn. Null unless frames are ordered by time.
---@field timed boolean Whether the profile records times, so that it can be drawn ordered by time.
---@field total costline.Weight The total of the profile.
---@field totalText string The total of the profile for display: `1395 samples`.
---@field unit string Its unit.

--- Where to write the flame graph.
---@class costline.FlameGraphArgument
---@field depth? integer|vim.NIL With `inline`: the maximum number of rows below the node.
---@field function? costline.FunctionKeyArgument|vim.NIL With `inline`: draw what this function calls, merged from all call paths, or with `inverted` its callers. The paths of nodes begin with it.
---@field inline? boolean Return the frames in the response instead of writing a file.
---@field inverted? boolean With `inline`: draw the bottom-up tree: the functions with self cost, and their callers below them. The paths of its nodes begin at the functions with self cost.
---@field limit? integer|vim.NIL With `inline`: the maximum number of frames, at most 5000; the widest are kept.
---@field node? costline.FunctionKeyArgument[] With `inline`: the node at the top, as the functions from the root to it. Default: the whole call tree.
---@field order? costline.FlameGraphOrder With `inline`: how frames are ordered: by cost or by time. `node`, `skip` and `depth` apply only to ordering by cost.
---@field overwrite? boolean Overwrite the file if it exists.
---@field path? string|vim.NIL The file to write, relative to the workspace folder. By default, a file in the temporary folder, which is removed when the server ends.
---@field range? string|vim.NIL With `inline`, ordered by time: the range to draw, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. Default: all.
---@field search? costline.FlameGraphSearch|vim.NIL With `inline`: which frames to mark as found.
---@field skip? integer|vim.NIL With `inline`: leave out this number of the node's hottest callees, and draw the rest together as wide as the image.

--- What was found.
---@class costline.FlameGraphFound
---@field problem string|vim.NIL Why the text is not a regular expression.
---@field text string|vim.NIL The cost of the samples with at least one function that was found, for display: `12.3%`. Null for a call graph, in which it is unknown.

--- A frame of a flame graph. If ordered by time, it is a call, or a row of calls that are too short to be drawn. If there are several threads, each thread's frames are below a frame for the thread.
---@class costline.FlameGraphFrame
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field depth integer The row: the number of callers above the frame. If ordered by time, the rows of a thread are below the rows of earlier threads.
---@field difference number|vim.NIL The change of the total since the baseline as a share of the base, from -1 to 1. 0 if there is no change beyond noise. Null if it is unknown.
---@field found boolean Whether the search finds the function.
---@field key costline.FunctionKey|vim.NIL The function's key. The keys of all parents and of the frame are its path. Null for a thread and for several calls.
---@field leaf boolean Whether the frame has nothing below it, drawn or not.
---@field left number The left edge, as a share of the width of the image.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field more integer The number of frames that are not drawn below this frame and are not below another that is drawn. Request the frame's node to get them.
---@field name string The name of the function or thread, or `12 calls`.
---@field parent integer|vim.NIL The index of the caller's frame, which precedes this one. Null for a root.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field range string|vim.NIL If ordered by time: the range to request to draw this frame as wide as the image. Otherwise null.
---@field recursive boolean Whether the function is also one of its callers.
---@field self costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field shorterNames string[] The name of a function with less and less of its qualification, for frames that are too narrow for it: `b::c` and `c` of `a::b::c`.
---@field text string The frame's cost: `45.6% · self 4.0%`, and if ordered by time, when it began and how long it took: `45.6% · self 4.0% · 140 ms at 1.20 s`.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight The total.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.
---@field width number The width, as a share of the width of the image.

--- What a tier of changes means.
---@class costline.FlameGraphLegendEntry
---@field text string Its meaning for display: `▲ from 5%`.
---@field tier integer|vim.NIL The tier. Null stands for frames whose change is unknown.

--- The order of the frames of a flame graph.
---@alias costline.FlameGraphOrder
---| '"cost"' # The hottest first. Frames of one path are one frame, as wide as its cost.
---| '"time"' # Call by call, in chronological order. The width of a frame is its duration.

--- A search for functions by their names. Case is ignored.
---@class costline.FlameGraphSearch
---@field regex? boolean Whether it is a regular expression.
---@field text string A part of the name, or a regular expression.

--- A time range.
---@class costline.FlameGraphSpan
---@field range string The range, to request it with.
---@field text string The range for display: `1.20 s to 1.34 s`.

--- What was left out of a profile. Its weight is charged to callers or to the function `(cut)`.
---@class costline.FleetCut
---@field how string What was kept: `20 frames of each stack`.
---@field weight costline.Weight|vim.NIL The weight that was moved to other functions, in the unit of the profile. Null if the source does not state it.

--- What is known about a profile from `costline fetch`. Unknown values are null.
---@class costline.FleetNumbers
---@field cut costline.FleetCut|vim.NIL What was left out.
---@field hosts integer|vim.NIL The number of hosts.
---@field kind string The kind of the source: `pyroscope`, `parca`, `clickhouse`, `s3`, `folder`.
---@field labels table<string, any> The labels that everything in the profile has.
---@field profileType string|vim.NIL The type of profiles.
---@field profiles integer|vim.NIL The number of profiles that were merged.
---@field rangeMs integer[]|vim.NIL The time range: its start and end, in milliseconds since 1970.
---@field repository string|vim.NIL The repository of the revision.
---@field revision string|vim.NIL The revision that the program was built from.
---@field source string|vim.NIL The name of the source, if it has one. It can be fetched again.
---@field text string All of this as one line: `shop · 12 hosts · 3400 profiles · 2025-11-24 10:00 to 11:00 UTC`.

--- A profile that was found: the files of one run.
---@class costline.FoundProfile
---@field active boolean Whether the profile is shown.
---@field bytes integer The length of the first file in bytes.
---@field files string[] The paths of all files.
---@field format string The name of the format.
---@field metric string|vim.NIL Its default metric. Null if it was not read.
---@field modified integer When the first file was written, in milliseconds since 1970.
---@field path string The path of the first file.
---@field problem string|vim.NIL Why the profile could not be read. Null if it could, or was not tried.
---@field total costline.Weight|vim.NIL Its total in this metric. Null if it was not read.
---@field totalText string|vim.NIL The total for display: `1.98 s`. Null if it was not read.

--- Identifies a function in all recordings of a program.
---@class costline.FunctionKey
---@field file string|vim.NIL The name of its file in the profile.
---@field lib string|vim.NIL The short name of its library.
---@field name string The function's name.
---@field start? [integer, integer]|vim.NIL Its start as 1-based line and column. Only if the profile has several functions with the same name, file and library.

--- Identifies a function in all recordings of a program.
---@class costline.FunctionKeyArgument
---@field file? string|vim.NIL The name of its file in the profile.
---@field lib? string|vim.NIL The short name of its library.
---@field name string The function's name.
---@field start? [integer, integer]|vim.NIL Its start as 1-based line and column. Only if the profile has several functions with the same name, file and library.

--- A function: its key, as in results, or its name, which only one function may match.
---@alias costline.FunctionKeyOrName costline.FunctionKey|string

--- A function: its key, as in results, or its name, which only one function may match.
---@alias costline.FunctionKeyOrNameArgument costline.FunctionKeyArgument|string

--- What callers or callees are grouped by.
---@alias costline.GroupBy
---| '"site"' # The line of the call.
---| '"function"' # The function.
---| '"module"' # The module of a Mercury procedure; the file of other functions, or else the library.
---| '"clique"' # The functions that call each other, directly or not; most functions are alone.

--- What callers and callees can be grouped by.
---@class costline.GroupingInfo
---@field description string What one group contains.
---@field groupBy costline.GroupBy The value for `costline.showCallers` and `costline.showCallees`.
---@field title string The title in menus.

--- A problem with what is shown, or a part of the view that is not the default.
---@class costline.HealthEntry
---@field code string The kind: the code of a warning, or another code (docs/reference/warnings.md).
---@field fix? costline.Action A command that fixes it.
---@field message string What happened, to which file, and what to do.
---@field severity costline.Severity How bad it is.

--- The `data` of a hint.
---@class costline.HintData
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field columnText string The number of the label in at most seven characters, for a column: `12.3%`, `1.23s`, `12.3k×`. With `▲` or `▼` before it if it changed since the baseline, else with `≥` if it may be more, else with `~` if it is an estimate or the line may have moved.
---@field line0 integer The line, 0-based.
---@field metric string The metric of both.
---@field overlay? costline.OverlayData The cost in the overlay. Missing without an overlay, and if it is zero or not known.
---@field self costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfChangeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change of the self cost, as `changeTier`.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field selfTier 0|1|2|3 The tier of the self cost, 0 if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field stale boolean Whether the recorded text is not known, so that lines may have moved.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field unit string The unit of both.
---@field uri string The document.
---@field v integer The version of this object: 1.

--- The cost of a row.
---@class costline.HotCost
---@field calls? integer The number of calls, if they are counted.
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field charged? costline.Weight Of own functions, if rows are sorted by it: the self cost and that of the libraries that it calls, down to the next own function. An estimate in call graphs.
---@field chargedText? string The same for display: `91.0%`, `58.0% est.`.
---@field detail string The rest of self and total cost, formatted as in hints: `total 12.3%`. Empty if there is nothing else.
---@field label string What rows are sorted by, formatted as in hints.
---@field metric string The metric of both.
---@field overlay? costline.OverlayData The cost in the overlay. Missing without an overlay, and if it is zero or not known.
---@field perCall? costline.PerCall The cost of one call on average, if that was requested.
---@field self costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field spread? costline.SpreadData How the cost of a function or line is spread over the runs, if their mean is shown.
---@field text string Self and total cost, formatted as in lenses.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field unit string The unit of both.
---@field v integer The version of this object: 1.

--- A group of hot spots, which begins with the first row whose `own` is the same.
---@class costline.HotGroup
---@field note string How its rows relate to its sum. Empty if they add up to it.
---@field own boolean Whether it has your code.
---@field sum costline.Weight Its sum. Your code: its cost with the libraries that it calls. Others: what no own code calls.
---@field text string Its name and sum, in the unit of the setting `unit`: `Your code 92.4%`.

--- The hot line to go to.
---@class costline.HotLineArgument
---@field line0? integer The line of the cursor, 0-based.
---@field previous? boolean Go to the next hotter line instead of the next colder one.
---@field uri? string|vim.NIL The document that the cursor is in. Default: none, which leads to the hottest line.

--- A hot line to go to.
---@class costline.HotLineStep
---@field count integer The number of hot lines.
---@field line0 integer The line in the current text, 0-based.
---@field rank integer Its rank among the hot lines; the hottest is 1.
---@field text string The line for display: `Hot line 2 of 14: app.py:12, self 4.0% (4 samples) · total 12.3% (12 samples)`.
---@field uri string The workspace file.

--- A function of a row.
---@class costline.HotMember
---@field item costline.Item|vim.NIL Its item, to request callers and callees with.
---@field key costline.FunctionKey Its key.
---@field name string Its name.
---@field qualifier? string What precedes it: `exprlab_engine`. Missing if nothing does.
---@field shortName string The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part.

--- Functions of a row.
---@class costline.HotMembers
---@field cost? costline.HotCost Their part of the cost. Only of fields.
---@field functions costline.HotMember[] The functions.
---@field role costline.HotRole What they are in it.

--- A node of the hot path.
---@class costline.HotNode
---@field key costline.FunctionKey The function's key.
---@field rank integer The number of its siblings before it, in the requested order.

--- What functions are in a row.
---@alias costline.HotRole
---| '"caller"' # The calling function.
---| '"callee"' # The called function.
---| '"clique"' # Functions that call each other.
---| '"getter"' # Procedures that get a field.
---| '"setter"' # Procedures that set a field.

--- A function, line, call, file, module, package, library, thread, label, clique or field.
---@class costline.HotRow
---@field calls? integer The number of calls, if they are counted.
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field charged? costline.Weight Of own functions, if rows are sorted by it: the self cost and that of the libraries that it calls, down to the next own function. An estimate in call graphs.
---@field chargedText? string The same for display: `91.0%`, `58.0% est.`.
---@field detail string The rest of self and total cost, formatted as in hints: `total 12.3%`. Empty if there is nothing else.
---@field file? string The name of the file in the profile: that of a function's definition, a line or a file.
---@field item? costline.Item The item of a function, to request callers and callees with.
---@field key? costline.FunctionKey The key of a function.
---@field label string The key of a label. Its value is the name, which is missing for what has no such label.
---@field lib? string The short name of the library of a function, or the module of a field.
---@field line? integer The recorded line of a function's definition, or the recorded line, 1-based.
---@field line0? integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field members? costline.HotMembers[] The functions of a call, clique or field.
---@field metric string The metric of both.
---@field name? string The recorded name. Missing for lines, calls and cliques, and for functions without a file, library or whatever is listed.
---@field overlay? costline.OverlayData The cost in the overlay. Missing without an overlay, and if it is zero or not known.
---@field own? boolean Whether it is, or has, own code: its source is in the workspace, not in a folder of libraries. Missing for threads, labels and fields.
---@field perCall? costline.PerCall The cost of one call on average, if that was requested.
---@field pid? string The process id of a thread, as spelled in the profile.
---@field placeText? string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field qualifier? string What precedes it: `exprlab_engine`. Missing if nothing does.
---@field recursive? boolean Whether the functions of a clique call each other, or themselves.
---@field self costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field shortName? string The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part.
---@field spread? costline.SpreadData How the cost of a function or line is spread over the runs, if their mean is shown.
---@field text string Self and total cost, formatted as in lenses.
---@field tid? string The thread id, as spelled in the profile.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field title string The text for display: `app.py:12`, `main → build`, `no library`, `even, odd`.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field unit string The unit of both.
---@field uri? string|vim.NIL The workspace file. Null if the place is not in one.
---@field v integer The version of this object: 1.

--- The hot spots of a profile, hottest first.
---@class costline.HotSpots
---@field cliques? costline.HotRow[] The cliques. Missing if something else was requested.
---@field edges? costline.HotRow[] The calls. Missing if something else was requested.
---@field fields? costline.HotRow[] The fields. Missing if something else was requested.
---@field files? costline.HotRow[] The files. Missing if something else was requested.
---@field functions? costline.HotRow[] The functions. Missing if something else was requested.
---@field groups costline.HotGroup[] The two groups of rows, your code and other code, if they are sorted by `charged` without a `filter` and the profile has both. Otherwise empty.
---@field labels? costline.HotRow[] The labels. Missing if something else was requested.
---@field libraries? costline.HotRow[] The libraries. Missing if something else was requested.
---@field lines? costline.HotRow[] The lines. Missing if something else was requested.
---@field marks string[] What is not default about the view, as short labels.
---@field metric string The metric of all costs.
---@field modules? costline.HotRow[] The modules. Missing if something else was requested.
---@field packages? costline.HotRow[] The packages. Missing if something else was requested.
---@field threads? costline.HotRow[] The threads. Missing if something else was requested.
---@field total costline.Weight|vim.NIL The total of the profile. Null if functions contain each other (`line_profiler`).
---@field unit string Its unit.
---@field withoutCalls integer The number of rows that `perCall` omits, because their calls are not counted.

--- The hot spots to return.
---@class costline.HotSpotsArgument
---@field by? costline.HotSpotsBy|string|vim.NIL What to list. Default: functions. `label:KEY`: the labels with one key, and what has none.
---@field filter? string|vim.NIL List only rows whose name or file contains this text, ignoring case. Default: all.
---@field limit? integer|vim.NIL The maximum number. Default: 50.
---@field min? number|vim.NIL The least value in units of the metric, in what rows are sorted by. Default: none.
---@field minPercent? number|vim.NIL The least percentage, in what rows are sorted by. Default: none.
---@field module? string|vim.NIL The Mercury module or the library of the functions or fields. Default: all.
---@field perCall? boolean|vim.NIL Divide costs by the number of calls. Rows without counted calls are omitted. Default: false.
---@field scope? costline.HotSpotsScope|vim.NIL Whether to list only your own code. Default: all, own code first.
---@field sort? costline.HotSpotsSort|vim.NIL What to sort by. Default: functions, lines, files and packages: charged, unless `perCall` or `module` is given; modules and libraries: charged if only your own code is listed, else self; threads and labels: self; others: total.

--- What to list.
---@alias costline.HotSpotsBy
---| '"function"' # Functions.
---| '"line"' # Source lines.
---| '"edge"' # Calls: caller → callee, with the hottest call site.
---| '"file"' # Source files.
---| '"module"' # Modules of Mercury, or else libraries.
---| '"package"' # Crates, npm packages, Python distributions, Go modules, or else libraries.
---| '"library"' # Shared libraries and programs.
---| '"thread"' # Threads.
---| '"label"' # Labels of samples with their values; `label:KEY` lists those of one key.
---| '"clique"' # Functions that call each other (call graphs only).
---| '"field"' # Fields of Mercury data structures, with the procedures that get and set them.

--- What hot spots can be listed by.
---@class costline.HotSpotsInfo
---@field by costline.HotSpotsBy The value for `costline.hotspots`.
---@field list string The key of the rows in its result, which is also a word for command lines.
---@field title string The title in menus.

--- An order of hot spots.
---@class costline.HotSpotsOrder
---@field perCall boolean Whether costs are divided by the number of calls.
---@field sort costline.HotSpotsSort The value for `costline.hotspots`.
---@field title string The title in menus.

--- Which functions, files and other rows to list.
---@alias costline.HotSpotsScope
---| '"own"' # Your own code: what has a source in the workspace.
---| '"all"' # All, own code first.

--- What rows are sorted and limited by.
---@alias costline.HotSpotsSort
---| '"self"' # Self cost.
---| '"charged"' # Self cost; of own code with that of the libraries that it calls.
---| '"total"' # Total cost.
---| '"calls"' # The number of calls.
---| '"change"' # The change of the self cost since the baseline, without noise.

--- Whether to show JavaScript or native functions, if the profile distinguishes them.
---@alias costline.Implementation
---| '"all"' # All of them.
---| '"js"' # JavaScript functions. The cost of native code is charged to the JavaScript that calls it.
---| '"native"' # Native functions. The cost of JavaScript is charged to the engine that runs it.

--- Where to show the cost of inlined code.
---@alias costline.Inlines
---| '"body"' # On the lines of the inlined function.
---| '"callSite"' # On the line of the outermost inlined call, in the function that was compiled.

--- A function at the end of a call path, serialized as an LSP `CallHierarchyItem`. Clients pass it to the call hierarchy and to commands.
---@class costline.Item
---@field data costline.ItemData The data that the server needs to follow calls.
---@field detail string `costline`, and `detail` of the data.
---@field kind integer The LSP symbol kind: 12, a function.
---@field name string The function's cost and name: `45.6% parse_value`, with a baseline `45.6% ▲1.20 s parse_value`.
---@field range costline.Range The line of the definition.
---@field selectionRange costline.Range The name in that line.
---@field uri string The file, or a `costline:` document.

--- An item that a client passes to the server. It may come from another server, with any `data`.
---@class costline.ItemArgument
---@field data? any The data of the item.
---@field detail? string|vim.NIL The detail of the item.
---@field kind integer The LSP symbol kind.
---@field name string The name of the item.
---@field range costline.Range The range of the item.
---@field selectionRange costline.Range The selection range of the item.
---@field tags? integer[]|vim.NIL The LSP symbol tags.
---@field uri string The URI of the item.

--- The `data` of an item.
---@class costline.ItemData
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field detail string The place and the self cost for display: `app.py:12 · self 4.0%`. Of a caller, the cost of the samples that start there: `app.py:12 · starts here 4.0%`.
---@field dir costline.Direction|vim.NIL The direction in which the path was followed. Null for a root.
---@field exact boolean Whether each recursive call is a function of the path. Otherwise consecutive calls of one function are one.
---@field folder? string The workspace folder whose profile has the cost. Missing if there is only one.
---@field leaf boolean|vim.NIL Whether it has no calls in the direction of `dir`. Null for a root.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field metric string The metric of both.
---@field name string The function's full name.
---@field overlay? costline.OverlayData The cost in the overlay. Missing without an overlay, and if it is zero or not known.
---@field path costline.FunctionKey[] The path from the root to this function. Empty for what no caller or callee accounts for, which has no calls.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field qualifier? string What precedes it: `exprlab_engine`. Missing if nothing does.
---@field recursive boolean Whether it is a recursive call. Its cost is then not part of the sum of its siblings.
---@field self costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field shortName string The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part.
---@field sites? costline.CallSite[] Call sites that are not within the definition of the caller.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field transforms? string Identifies the transforms that the path was found under. Missing without transforms.
---@field unit string The unit of both.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.
---@field v integer The version of this object: 1.

--- The `data` of a lens.
---@class costline.LensData
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field func costline.FunctionKey The function's key.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field metric string The metric of both.
---@field name string The function's name.
---@field overlay? costline.OverlayData The cost in the overlay. Missing without an overlay, and if it is zero or not known.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field self costline.Weight|vim.NIL The self cost. Null if it is unknown.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field unit string The unit of both.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.
---@field v integer The version of this object: 1.

--- A caller of the chosen node.
---@class costline.Levels
---@field levels integer The number of functions of the chosen path to keep, at least 1.

--- A metric of a profile.
---@class costline.MetricName
---@field name string The name.
---@field unit string The unit.

--- A source of profiles. Clients run the command in a terminal after the user has agreed; the server never runs it.
---@class costline.NamedSource
---@field baseline string|vim.NIL The profile to compare with that was fetched together with it. Null if there is none.
---@field command costline.RecipeCommand The command that fetches it.
---@field folder string The folder to run the command in.
---@field kind string The kind of source: `pyroscope`.
---@field name string The name.
---@field place string The address or folder, for display.
---@field profile string|vim.NIL The profile that was fetched last. Null if there is none.
---@field shown boolean Whether its profile is shown.
---@field text string The command as text, for display.

--- The named sources of a workspace folder.
---@class costline.NamedSources
---@field file string|vim.NIL The file that names them. Null without a workspace folder.
---@field problem string|vim.NIL Why the file cannot be read. Null if it can, or does not exist.
---@field sources costline.NamedSource[] The sources, by name.

--- What can be done with a node of the call tree.
---@class costline.NodeAction
---@field bottomUp boolean Whether it is for nodes of the bottom-up tree, or else for those of the other one.
---@field title string The title in menus.
---@field type costline.TransformKind|vim.NIL The kind of transform, for `costline.pushTransform` with the path of the node. Null: show the costs of the node only, by `node` of `costline.setView`.

--- A choice of a call node.
---@alias costline.NodeChoice costline.FunctionKey[]|costline.Levels

--- A choice of a call node.
---@alias costline.NodeChoiceArgument costline.FunctionKeyArgument[]|costline.Levels

--- A function of the path of the chosen call node.
---@class costline.NodeFunction
---@field key costline.FunctionKey The function's key.
---@field name string The function's name.
---@field view costline.NodeOfView The argument of `costline.setView` that chooses this function of the path.

--- The argument of `costline.setView` that chooses a caller of the chosen call node.
---@class costline.NodeOfView
---@field node costline.Levels The caller.

--- A profile other than the one shown, to query without showing its costs in the code.
---@class costline.OtherProfile
---@field path string A file of the profile, relative to the workspace folder.
---@field view? costline.SetViewArgument|vim.NIL Its view: choices of `costline.setView`, apart from profiles and the baseline, instead of the settings. Default: the current view if the file belongs to the profile shown; otherwise the view in the settings.

--- A second cost in results.
---@class costline.OverlayData
---@field metric string The metric of both.
---@field self costline.Weight The self cost.
---@field text string The total, or else the self cost, for display: `4.00 MiB`.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field unit string The unit of both.

--- The change of a weight since the baseline.
---@class costline.PartChange
---@field before costline.Weight The weight in the baseline.
---@field change costline.Weight The change. If shares are compared, the weight before is scaled to the same total.
---@field mayBeNoise boolean Whether the change may be noise: the samples of the two profiles are not enough to tell. Labels leave it out.
---@field text string|vim.NIL The change for display: `▲1.20 s`, or `▼2.1` in percentage points. Null if there is none.

--- A prefix of file names in profiles, and the folder that replaces it.
---@class costline.PathMapping
---@field from string The prefix in the profile.
---@field to string The folder that replaces it: an absolute path, or a path relative to each workspace folder. It may begin with `~`, `${workspaceFolder}`, `${workspaceFolder:NAME}` or `${userHome}`.

--- A prefix of file names in profiles, and the folder that replaces it.
---@class costline.PathMappingArgument
---@field from string The prefix in the profile.
---@field to string The folder that replaces it: an absolute path, or a path relative to each workspace folder. It may begin with `~`, `${workspaceFolder}`, `${workspaceFolder:NAME}` or `${userHome}`.

--- A path in an object.
---@class costline.PathObject
---@field path? string|vim.NIL The path, relative to the workspace folder; null for none.

--- The files of a profile.
---@class costline.Paths
---@field ambiguousFunctions costline.UnmatchedFunction[] The functions without a file whose name matches several functions in the workspace.
---@field files costline.RecordedFile[] All files, hottest first.
---@field mapped integer The number of files that are mapped to a workspace file.
---@field missingRoots string[]|vim.NIL Workspace folders, and folders of the setting `sourceRoots`, that do not exist. Null before the first profile.
---@field roots string[] The workspace folders.

--- The cost of one call on average.
---@class costline.PerCall
---@field self costline.Weight The self cost.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.

--- A flame graph that was written to a file.
---@class costline.Picture
---@field bytes integer The size of the file in bytes.
---@field lost string[] What the format cannot represent.
---@field path string The absolute path of the file.
---@field uri string|vim.NIL The URI of the file.

--- A position in a text, serialized like an LSP `Position`. Both numbers are 0-based. [`Encoding`] is the unit of columns.
---@class costline.Position
---@field character integer The column.
---@field line integer The line.

--- A file of a profile, as of when it was read.
---@class costline.ProfileFile
---@field format string The name of the format.
---@field modified integer When it was written, in milliseconds since 1970.
---@field name string The name to show: the file name, and the number of other files.
---@field path string The path of the file; of the first one if there are several.

--- The profiles that were found.
---@class costline.Profiles
---@field active costline.ActiveProfile|vim.NIL The profile shown. Null without a profile.
---@field profiles costline.FoundProfile[] The profiles, newest first.
---@field revision integer Incremented when costs or labels of this root are replaced.
---@field root string|vim.NIL The workspace folder that this is about. Null if none is open.

--- What to list about the profiles.
---@class costline.ProfilesArgument
---@field totals? boolean Read the profiles of up to 64 MiB that were not read yet, so that they have a total. The choices of `costline.view` then have it too. Default: false.

--- What to list.
---@class costline.Question
---@field uri string The document, which must be open.

--- A part of a text, excluding its end.
---@class costline.Range
---@field end costline.Position The position after the last character.
---@field start costline.Position The position of the first character.

--- How to record a profile of a program, test or benchmark. Clients run the commands in a terminal, after the user has agreed; the server never runs them.
---@class costline.Recipe
---@field commands costline.RecipeCommand[] The commands. Each runs if the one before it succeeded.
---@field folder string The folder to run the commands in.
---@field install string|vim.NIL The command that installs the profiler. Null if it comes with the language.
---@field line0 integer The line of the document, 0-based.
---@field name string What is recorded: `words`, `test empty_text`.
---@field profiler string The name of the profiler.
---@field text string The commands as one line of text, for display.

--- A command of a recipe. It is not for a shell: arguments are passed unchanged.
---@class costline.RecipeCommand
---@field arguments string[] Its arguments.
---@field program string The program, which is on the PATH, or relative to the folder.

--- A file of a profile.
---@class costline.RecordedFile
---@field candidates string[]|vim.NIL The workspace files that it could be. Null unless `how` is `ambiguous`.
---@field hottestLine costline.Weight The cost of its hottest line.
---@field how costline.FileFoundBy How the workspace file was found, or why not.
---@field name string The name in the profile.
---@field path string|vim.NIL The workspace file. Null if there is none.
---@field reason string|vim.NIL Why there is no workspace file, as text to follow the name. Null if there is one.
---@field rules costline.PathMapping[] The entries of the setting `pathMappings` that map it to a workspace file that it could be, one for each of these files.
---@field self costline.Weight The self cost of its lines.

--- The recursion that a function takes part in.
---@class costline.Recursion
---@field callsPerEntry number|vim.NIL Calls per call from outside, including that one. Null if calls are not counted.
---@field functions integer The number of functions in it.
---@field kind "single"|"several"|"mutual" Whether the function calls itself at one call site (a line, where calls are not told apart) or at several, or several functions call each other. If one call passes several call sites, that is divide and conquer.
---@field maxDepth integer|vim.NIL The most of its calls on a stack. Null if there are no stacks.
---@field meanDepth number|vim.NIL The mean number of its calls on a stack that has one. Null if there are no stacks.
---@field sites integer The number of call sites, or of lines with some.
---@field text string All of this as text: `recursion at one line: 2.0 calls deep on average, at most 3`.

--- One of the selected lines.
---@class costline.SelectedLine
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field line0 integer The line, 0-based.
---@field self costline.Weight The self cost.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field shareOfSelection number|vim.NIL The total as a share of the selection's total, from 0 to 1; the same for self costs where totals are unknown. Null if it is unknown.
---@field shareOfSelectionText string|vim.NIL The same for display: `60.0%`.
---@field text string Its cost, and its share of the selection's cost: `12.3% · self 4.0% · 60.0% of the selection`.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.

--- What the selected lines cost. A sample on several of them counts once.
---@class costline.Selection
---@field callees costline.SelectionCall[] What these lines call, hottest first, recursive calls last. Empty if the profile does not have the lines of calls.
---@field callers costline.SelectionCall[]|vim.NIL The callers of the functions on these lines, hottest first, recursive ones last. Direct recursion is collapsed. Null if the recording is a call graph, in which they are unknown.
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field lines costline.SelectedLine[] The lines with a cost, hottest first.
---@field marks string[] What is not default about the view, as short labels.
---@field metric string The metric of all costs.
---@field self costline.Weight The self cost.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field text string The lines and their cost: `lines 3 to 9: self 1.0% (1 sample) · total 12.3% (12 samples)`. With a leading `~` if the lines may have moved since the recording.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight|vim.NIL The total. Null if it is not exact.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field unit string Its unit.

--- The selected lines.
---@class costline.SelectionArgument
---@field firstLine0 integer The first line, 0-based.
---@field lastLine0 integer The last line, 0-based.
---@field uri string The document.

--- A caller or callee of the selected lines.
---@class costline.SelectionCall
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field item costline.Item|vim.NIL The function's item, to request callers and callees with.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field name string The function's name.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field qualifier? string What precedes it: `exprlab_engine`. Missing if nothing does.
---@field recursive boolean Whether it is a recursive call. Its cost is then not part of the sum.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field shortName string The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part.
---@field text string The cost of the calls: those that lead to the selection, or those on its lines: `33.3% (2 samples)`.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field total costline.Weight The weight of these calls, or the most that it may be.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.

--- A path mapping.
---@class costline.SetPathMappingArgument
---@field from string The prefix in the profile.
---@field to string The folder that replaces it, as in the setting `pathMappings`.

--- The values that `costline.setView` changes. A missing key leaves the value unchanged, `null` resets it to the setting.
---@class costline.SetViewArgument
---@field baseline? costline.BaselineChoice|vim.NIL The baseline: a profile, relative to the workspace folder, `"previous"` for the run before the one shown, `"previous:5"` for the mean of the last 5 runs, `"git:main"` for the newest run at a Git revision, or `true` for the profile shown now. `null` or `false`: no baseline.
---@field combine? costline.Combine|vim.NIL How to combine the profiles of several runs.
---@field compare? costline.Compare|vim.NIL How to compare costs with the baseline.
---@field implementation? costline.Implementation|vim.NIL Which functions to show.
---@field inlines? costline.Inlines|vim.NIL Where to show the cost of inlined code.
---@field labels? string[]|vim.NIL Filters by labels, all of which a sample must pass: `size=large`, `size!=large`, `url=~^/api/` (a regular expression), `size` (has the key), `!size`, `bytes=100..200`, `bytes>=1kb`. Empty: all samples.
---@field metric? string|vim.NIL The metric to show, by name or unit.
---@field node? costline.NodeChoiceArgument|vim.NIL The call node to show the costs of, with what it calls: the path of a node in the result of `costline.callTree`. `{"levels": N}` shows the first N functions of the chosen path. `null`: all nodes.
---@field overlay? string|vim.NIL A second cost to show beside the first: a metric of the profile, by name or unit, or the path of another profile, relative to the workspace folder. Empty: none, whatever the setting names.
---@field own? boolean|vim.NIL Whether to charge the cost of libraries and the runtime to your code that called them, and to leave out procedures that a contour file of Mercury excludes from lists of callers.
---@field pathMappings? costline.PathMappingArgument[]|vim.NIL The path mappings, instead of those in the setting `pathMappings`.
---@field profile? string|vim.NIL The profile to show, relative to the workspace folder. `null`: the profile in the settings, or the newest one.
---@field profiles? string[]|vim.NIL The profiles to show as one instead of `profile`: repeated runs, or the parts of a run on several machines. They must have the same format.
---@field range? string|vim.NIL The time range to show, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. A sample at the end is not in it.
---@field reset? string[] Keys to reset, which is the same as `null` for each. Some clients, such as Neovim, drop keys with `null` from arguments that the server sent.
---@field search? string|vim.NIL Show only samples in which each of these terms, separated by commas, is in the name, file or library of some function on the stack.
---@field show? costline.Show|vim.NIL What hints show.
---@field threads? string[]|vim.NIL The threads to show, by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`), glob or `/regex/`. Empty: all threads.
---@field transforms? costline.TransformArgument[]|vim.NIL The transforms, in order, instead of those that are applied. `null`: none.
---@field unit? costline.Unit|vim.NIL The unit of costs.
---@field view? string|vim.NIL A view of the setting `views`, which replaces all choices. The other keys change it. `null`: the view in the settings.

--- How bad a problem is.
---@alias costline.Severity
---| '"error"' # Nothing can be shown, or not what the user chose.
---| '"warning"' # Costs are missing, or could be better.
---| '"info"' # Useful to know.

--- What labels show.
---@alias costline.Show
---| '"total"' # Total cost, callees included.
---| '"self"' # Self cost, without callees.
---| '"both"' # Both.
---| '"counts"' # How often lines were executed: `3×`, `never executed`. The same as `both` if the profile has no such counts.

--- Options of `costline.showCallers` and `costline.showCallees`.
---@class costline.ShowOptions
---@field groupBy? costline.GroupBy|vim.NIL Also group the callers or callees, in `groups`.
---@field message? boolean|vim.NIL Show the five hottest to the user in a message. The default is true.

--- A summary of what is shown.
---@class costline.Shown
---@field base costline.Weight|vim.NIL What percentages are relative to: the total or, with negative weights, the sum of |self| over all call paths. Null without a profile.
---@field baseline costline.ProfileFile|vim.NIL The baseline. Null without a baseline.
---@field comparison costline.TotalChange|vim.NIL How the total changed since the baseline. Null without a baseline, and if it cannot be compared.
---@field fleet costline.FleetNumbers|vim.NIL Where the profile comes from, if `costline fetch` fetched it. Null otherwise.
---@field health costline.HealthEntry[] What is wrong with what is shown, the most severe first. Empty if a profile is shown, nothing is wrong with it, and the view is the default.
---@field loading boolean Whether a profile is being read.
---@field marks string[] What is not default about the view, as short labels: `focus-function:work`, `2 of 7 threads`.
---@field metric string|vim.NIL The metric. Null without a profile.
---@field overlay costline.ShownOverlay|vim.NIL The second cost that is shown beside the first. Null without an overlay.
---@field profile costline.ShownProfile|vim.NIL The profile shown. Null without a profile.
---@field revision integer Incremented when costs or labels of this root are replaced.
---@field root string|vim.NIL The workspace folder that this is about. Null if none is open.
---@field spread costline.Weight|vim.NIL How the total is spread over the runs whose mean is shown: the sample standard deviation. Null if no mean is shown.
---@field state string|vim.NIL The user's choices by command. Pass them as `state` in the `initializationOptions` of the next server to restore them. The format is private. Null without choices.
---@field status string The total, or how it changed since the baseline, and the summary as one text, for status lines: `1.98 s · cpu · 2 of 7 threads`. Without the metric if the unit of the total is the same word. Empty without a profile.
---@field summary string The metric and the marks as one text, for titles. Empty without a profile.
---@field total costline.Weight|vim.NIL The total of the profile. Null without a profile, and if functions contain each other (`line_profiler`).
---@field totalText string|vim.NIL The total for display: `1.98 s`. Null without a profile.
---@field unit string|vim.NIL The unit of the metric. Null without a profile.

--- The overlay.
---@class costline.ShownOverlay
---@field metric string The metric.
---@field name string The name to show: `alloc_space`, of another profile `alloc_space of heap.pb.gz`.
---@field profile string The path of the profile.
---@field total costline.Weight|vim.NIL The total in this metric. Null if functions contain each other (`line_profiler`).
---@field unit string The unit of the metric.

--- The profile shown.
---@class costline.ShownProfile
---@field deleted boolean Whether the file was deleted. Its costs are still shown.
---@field format string The name of the format.
---@field modified integer When it was written, in milliseconds since 1970.
---@field name string The name to show: the file name, and the number of other files.
---@field path string The path of the file; of the first one if there are several.
---@field picked boolean Whether the user selected it by command.
---@field truncated boolean|vim.NIL Whether the file is truncated. Null if this cannot be known, because a part of such a file is a valid file.

--- How a cost is spread over runs: sample standard deviations.
---@class costline.SpreadData
---@field self costline.Weight The spread of the self cost.
---@field text string The spread of the sorted column, for display: `±40.0 ms`. Empty if it is not known.
---@field total costline.Weight|vim.NIL The spread of the total. Null if it is not exact.

--- The operand of a transform.
---@alias costline.Takes
---| '"function"' # A function, in `function`.
---| '"path"' # The functions of a path, in `path`.
---| '"category"' # A category of frames, in `category`.
---| '"resource"' # A library, in `resource`.
---| '"label"' # The key of a label, in `label`.

--- A `costline:` document.
---@class costline.TextDocumentContent
---@field found boolean Whether the profile shown has the function. If not, the text says so.
---@field text string The text of the document.

--- The parameters of `costline/textDocumentContent`.
---@class costline.TextDocumentContentParams
---@field uri string The URI of the document.

--- The weight of what is shown over time.
---@class costline.Timeline
---@field bucketMs number|vim.NIL The length of a bucket in milliseconds. Null if times are unknown.
---@field buckets costline.TimelineBucket[] The buckets, in chronological order. A sample at the end of a bucket is in the next one; at the end of the recording, in the last one. Empty if times are unknown.
---@field collected? costline.TimelineCollected The weight over time that the source of a fetched profile states. It covers the whole profile, whatever is shown. Missing if the source states none.
---@field edges costline.TimelineEdge[] When each bucket starts, and when the last one ends. Empty if times are unknown.
---@field endMs number|vim.NIL When the last bucket ends: at the last sample of the recording, or at the end of the chosen range. In milliseconds since the first sample. Null if times are unknown.
---@field marks string[] What is not default about the view: `2..5 ms`.
---@field metric string The metric.
---@field problem string|vim.NIL Why there is no timeline: the profile does not record times. Null if there is one.
---@field startMs number|vim.NIL When the first bucket starts: at the first sample of the recording, or at the start of the chosen range. In milliseconds since the first sample. Null if times are unknown.
---@field threads? costline.TimelineThread[] The timelines of the chosen threads. Missing if they were not requested.
---@field total costline.Weight The total of the view. If times are known, the sum of all buckets and of `withoutTime`.
---@field unit string The unit of weights.
---@field withoutTime costline.Weight|vim.NIL The weight of the samples whose time is unknown. They are in no bucket.

--- The timeline to return.
---@class costline.TimelineArgument
---@field buckets? integer|vim.NIL The number of buckets, at most 10000. Default: 100.
---@field byThread? boolean|vim.NIL Whether to return the timeline of each thread too. Default: false.

--- A span of time.
---@class costline.TimelineBucket
---@field text string The weight for display: `45 samples`.
---@field weight costline.Weight The weight of the samples that were taken in it, in the unit of the metric. A sample that stands for a duration is in the bucket in which it starts. A recorded call is in each bucket that contains self time of the call, with that part of the time.

--- The weight over time that the source of a fetched profile states.
---@class costline.TimelineCollected
---@field bucketMs integer The length of a bucket in milliseconds.
---@field buckets costline.TimelineBucket[] The buckets, in chronological order.
---@field edges string[] When each bucket starts, and when the last one ends, for display: `2025-11-24 10:00`.
---@field startMs integer When the first bucket starts, in milliseconds since 1970.
---@field text string What it is, for display: `CPU of the whole profile, as stated by shop: 2025-11-24 10:00 to 11:00 UTC`.

--- The start of a bucket, or the end of the last one.
---@class costline.TimelineEdge
---@field ms number|vim.NIL The time in milliseconds since the first sample. `costline.setView` with the range from one edge to another shows the buckets between them. Null at the end of the recording, where the range must be open to include a sample at the end.
---@field text string The time for display: `1.20 s`.

--- The timeline of a thread.
---@class costline.TimelineThread
---@field buckets costline.TimelineBucket[] The buckets, in chronological order. A sample at the end of a bucket is in the next one; at the end of the recording, in the last one. Empty if times are unknown.
---@field name string The name of the thread, or else of its process.
---@field pid string|vim.NIL The process id.
---@field tid string|vim.NIL The thread id.
---@field withoutTime costline.Weight|vim.NIL The weight of the samples whose time is unknown. They are in no bucket.

--- How the total changed since the baseline.
---@class costline.TotalChange
---@field after costline.Weight The total of the profile shown.
---@field before costline.Weight The total of the baseline.
---@field mayBeNoise boolean Whether the change may be noise.
---@field percent number|vim.NIL The change in percent of the baseline's total. Null if that is 0.
---@field text string The change for display: `1.98 s → 1.17 s −41%`.

--- A transform in JSON. It has one of `function`, `path`, `category`, `resource` and `label`, depending on its kind.
---@class costline.Transform
---@field category? string|vim.NIL The category of frames.
---@field function? costline.FunctionKeyOrName|vim.NIL The function to transform.
---@field implementation? costline.Implementation|vim.NIL The functions that the transform applies to, if they differ from the view's.
---@field label? string|vim.NIL The key of a label.
---@field path? costline.FunctionKeyOrName[]|vim.NIL The functions of a path from the root, or from the leaf for `focus-subtree-inverted`.
---@field resource? string|vim.NIL The library.
---@field type costline.TransformKind The kind of transform.

--- A transform in JSON. It has one of `function`, `path`, `category`, `resource` and `label`, depending on its kind.
---@class costline.TransformArgument
---@field category? string|vim.NIL The category of frames.
---@field function? costline.FunctionKeyOrNameArgument|vim.NIL The function to transform.
---@field implementation? costline.Implementation|vim.NIL The functions that the transform applies to, if they differ from the view's.
---@field label? string|vim.NIL The key of a label.
---@field path? costline.FunctionKeyOrNameArgument[]|vim.NIL The functions of a path from the root, or from the leaf for `focus-subtree-inverted`.
---@field resource? string|vim.NIL The library.
---@field type costline.TransformKind The kind of transform.

--- A kind of transform.
---@class costline.TransformInfo
---@field bottomUp boolean Whether it takes a path of the bottom-up tree, which begins with the leaf.
---@field takes costline.Takes The kind of operand.
---@field title string The title in menus.
---@field type costline.TransformKind The name.

--- A kind of transform.
---@alias costline.TransformKind
---| '"merge-function"' # Merge function into its callers
---| '"merge-node"' # Merge node into its caller
---| '"merge-subtree"' # Merge node and what it calls into its caller
---| '"drop-function"' # Hide samples with function
---| '"drop-node"' # Hide samples with node
---| '"focus-function"' # Focus on function
---| '"focus-subtree"' # Focus on node
---| '"focus-subtree-inverted"' # Focus on node and its callers
---| '"focus-self"' # Focus on self cost of function
---| '"focus-category"' # Focus on category
---| '"collapse-resource"' # Collapse library
---| '"collapse-recursion"' # Collapse recursion
---| '"collapse-direct-recursion"' # Collapse direct recursion
---| '"collapse-function-subtree"' # Collapse function with what it calls
---| '"split-by-label"' # Split stacks by label

--- A node of the call tree.
---@class costline.TreeNode
---@field change? costline.CostChange The change since the baseline. Missing without a baseline, and if it does not have the same line, function or path.
---@field changeTier? -3|-2|-1|0|1|2|3|null With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change is unknown. Missing without a baseline.
---@field children costline.TreeNode[] The children, in the requested order.
---@field est boolean Whether the cost is estimated.
---@field folded? string[] The names of the functions that were folded into the node, outermost first. Missing if there are none.
---@field hasChildren boolean Whether the node has children, in the response or not.
---@field item costline.Item|vim.NIL The function's item, to request callers and callees with.
---@field key costline.FunctionKey The function's key.
---@field leaf boolean Whether the node has no children.
---@field line0 integer|vim.NIL The 0-based line in the current text. Null if `uri` is null.
---@field more integer The number of children that are not in the response.
---@field name string The function's name.
---@field path costline.FunctionKey[] The functions from the top of the tree to the node, to request its children with.
---@field percent number|vim.NIL `total` as a percentage of the base. Null if the base is 0.
---@field placeText string The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to the file), `[libc.so.6]`, `no source`.
---@field qualifier? string What precedes it: `exprlab_engine`. Missing if nothing does.
---@field recursive boolean Whether the node's function is also on the path above the node.
---@field self costline.Weight|vim.NIL The node's self cost. Null if it is unknown, and below the first level of the bottom-up tree.
---@field selfShare number|vim.NIL The self cost as a share of the base, from 0 to 1. Null if it is unknown.
---@field selfText string|vim.NIL The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
---@field share number The total as a share of the base, from 0 to 1. If the total is unknown, the share of the self cost.
---@field shortName string The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of `exprlab_engine::simplify`. Equal to the name if that has one part.
---@field text string The node's cost: `45.6% · self 4.0%`, with a baseline `45.6% ▲1.20 s · self 4.0%`. In profiles with JIT tiers, the tiers of the total follow: `45.6% · self 4.0% · Ion 62.1%`.
---@field tier 0|1|2|3 The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3 from 20%.
---@field title string The short name, or of a chain `clone3 › … 12 frames › work`.
---@field total costline.Weight The node's total.
---@field totalText string|vim.NIL The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a line `4.0% + recursion`. Null if it is unknown.
---@field uri string|vim.NIL The workspace file. Null if the place is not in one.

--- The unit of costs in labels.
---@alias costline.Unit
---| '"percent"' # Share of the total.
---| '"absolute"' # The profile's own unit: seconds, bytes, samples.
---| '"both"' # Both.

--- A function of a profile that names no file for it.
---@class costline.UnmatchedFunction
---@field candidates costline.DefinitionPlace[] The functions in the workspace that it could be.
---@field message string The name and the places, as a sentence.
---@field name string The name in the profile.

--- What is shown, the choices, and the actions.
---@class costline.View
---@field actions costline.Action[] The commands to offer in menus.
---@field base costline.Weight|vim.NIL What percentages are relative to: the total or, with negative weights, the sum of |self| over all call paths. Null without a profile.
---@field baseline costline.ProfileFile|vim.NIL The baseline. Null without a baseline.
---@field choices costline.Choice[] The choices of `costline.setView`, in the order of menus. Choices with fewer than two options are omitted.
---@field comparison costline.TotalChange|vim.NIL How the total changed since the baseline. Null without a baseline, and if it cannot be compared.
---@field fleet costline.FleetNumbers|vim.NIL Where the profile comes from, if `costline fetch` fetched it. Null otherwise.
---@field health costline.HealthEntry[] What is wrong with what is shown, the most severe first. Empty if a profile is shown, nothing is wrong with it, and the view is the default.
---@field hotSpots costline.HotSpotsBy[] What `costline.hotspots` can list of the profile, in the order of menus. Empty without a profile. Their titles are in `capabilities.experimental.costline`.
---@field loading boolean Whether a profile is being read.
---@field marks string[] What is not default about the view, as short labels: `focus-function:work`, `2 of 7 threads`.
---@field metric string|vim.NIL The metric. Null without a profile.
---@field node costline.NodeFunction[] The functions from a root of the call tree to the chosen call node. Empty if none is chosen.
---@field overlay costline.ShownOverlay|vim.NIL The second cost that is shown beside the first. Null without an overlay.
---@field profile costline.ShownProfile|vim.NIL The profile shown. Null without a profile.
---@field range string|vim.NIL The time range that is shown, in milliseconds since the first sample: `2..5 ms`. Null: all.
---@field resolving boolean Whether addresses of the profile are still being resolved. Until then, names and lines may be missing, and `health` says nothing about them.
---@field revision integer Incremented when costs or labels of this root are replaced.
---@field root string|vim.NIL The workspace folder that this is about. Null if none is open.
---@field search string|vim.NIL The search. Only samples whose stack has its terms are shown. Null: all.
---@field spread costline.Weight|vim.NIL How the total is spread over the runs whose mean is shown: the sample standard deviation. Null if no mean is shown.
---@field state string|vim.NIL The user's choices by command. Pass them as `state` in the `initializationOptions` of the next server to restore them. The format is private. Null without choices.
---@field status string The total, or how it changed since the baseline, and the summary as one text, for status lines: `1.98 s · cpu · 2 of 7 threads`. Without the metric if the unit of the total is the same word. Empty without a profile.
---@field summary string The metric and the marks as one text, for titles. Empty without a profile.
---@field total costline.Weight|vim.NIL The total of the profile. Null without a profile, and if functions contain each other (`line_profiler`).
---@field totalText string|vim.NIL The total for display: `1.98 s`. Null without a profile.
---@field transforms costline.AppliedTransform[] The transforms, in order. The focus on the chosen call node is one of them.
---@field unit string|vim.NIL The unit of the metric. Null without a profile.
---@field view string|vim.NIL The name of the view that is shown, if it is one of the setting `views`.

--- A raw weight. Serialized as an integer if it is whole, and without the errors of sums of decimal fractions: 0.3, not 0.30000000000000004.
---@alias costline.Weight number
