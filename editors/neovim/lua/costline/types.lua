---@meta
--- Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.

--- A command to run as it is.
---@class costline.Action
---@field arguments costline.SetViewArgument[] Its arguments.
---@field command costline.ActionCommand The command.
---@field title string Its title in menus.

--- A command that is offered as an action.
---@alias costline.ActionCommand
---| '"costline.reload"' # Reads the profile again.
---| '"costline.flamegraph"' # Draws a flame graph.
---| '"costline.setView"' # Chooses something.
---| '"costline.popTransform"' # Removes the last transform.
---| '"costline.clearTransforms"' # Removes all transforms.

--- The profile that is shown, with its metrics.
---@class costline.ActiveProfile
---@field deleted boolean Whether the file was deleted; its costs are still shown.
---@field dialect string|vim.NIL The dialect of the format, where it has several.
---@field format string The name of its format.
---@field formatVersion string|vim.NIL The version of the format, where the file states one.
---@field metric string The metric that is shown.
---@field metrics costline.MetricName[] All metrics of the profile.
---@field modified integer When it was written, in milliseconds since 1970.
---@field name string The name to show: that of the file, and how many there are.
---@field path string The path of the file, the first of several.
---@field picked boolean Whether the user picked it, instead of the newest.
---@field producer string|vim.NIL The program that wrote the file with its version, or else the dialect.
---@field total costline.Weight The total in the metric shown.
---@field unit string Its unit.
---@field version string|vim.NIL The version of the format, else the program that wrote the file.

--- A transform that is applied.
---@class costline.AppliedTransform
---@field text string As text: `merge-function:parse`.
---@field transform costline.Transform As JSON.

--- What to compare with.
---@alias costline.BaselineChoice string|boolean

--- A caller or callee.
---@class costline.CallEntry
---@field est boolean Whether the cost is estimated.
---@field item costline.Item Its item, to go on from.
---@field leaf boolean Whether it has no callers or callees of its own.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field name string The function's name.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field recursive boolean Whether it is a recursive call, whose cost is outside the sum.
---@field self costline.Weight|vim.NIL Its self cost on this path; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field text string Its cost and name: `33.3% (2 samples) parse`.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight The cost of the path extended by it.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.

--- A line that calls.
---@class costline.CallSite
---@field file string The file, as the profile spells it.
---@field line0 integer The line, 0-based, as recorded.
---@field total costline.Weight The weight of the calls from there.

--- The callers or callees of an item, costliest first; of an item that is not of this profile there are none, and nothing else is known of it.
---@class costline.CallStep
---@field direction? costline.Direction Whether the entries are callers or callees.
---@field entries costline.CallEntry[] The callers or callees. Recursive ones come last.
---@field est? boolean Whether costs are estimated, as in recordings without stacks.
---@field item? costline.Item|vim.NIL The item itself, with its costs as they are now.
---@field metric? string The metric of all costs.
---@field self? costline.Weight|vim.NIL What stops at the item: for callees its self cost on this path, for callers the samples that start there. Null where it is not known.
---@field total? costline.Weight The cost of the path.
---@field unit? string Its unit.

--- A part of the call tree.
---@class costline.CallTree
---@field est boolean Whether costs are estimated, as in recordings without stacks.
---@field inverted boolean Whether callers are below callees.
---@field metric string The metric of all costs.
---@field more integer Children of the node asked for that are not in the answer.
---@field nodes costline.TreeNode[] Its children, costliest first; none for a node that the profile does not have.
---@field total costline.Weight The total of the profile.
---@field unit string Its unit.

--- Which part of the call tree is asked for.
---@class costline.CallTreeArgument
---@field depth? integer|vim.NIL How many levels, at most 30; one if it is left out.
---@field inverted? boolean The bottom-up tree: callers below callees, by self cost.
---@field limit? integer|vim.NIL How many children of each node; 50 if it is left out.
---@field path? costline.FunctionKeyArgument[] The node whose children are wanted, as functions from the top; the top if it is left out.

--- What the server offers beyond the protocol, the same for all profiles.
---@class costline.Catalog
---@field exportFormats costline.ExportFormatInfo[] The formats that `costline.export` writes.
---@field profileFolders string[] Folders of which every file may be a profile.
---@field profileNames string[] Globs of the names of profiles. Each name may also end in `.gz` or `.zst`.
---@field projectMarkers string[] Files and folders that mark the top folder of a project.
---@field tierPercents number[] From which percentage on a cost is of tier 1, 2 and 3.
---@field transforms costline.TransformInfo[] The kinds of transforms.

--- Something to choose.
---@class costline.Choice
---@field key costline.ChoiceKey The key that `costline.setView` takes it under.
---@field multiple boolean Whether several values can be chosen, as a list.
---@field options costline.ChoiceOption[] What there is to choose, at least two.
---@field title string Its title in menus.
---@field value costline.Chosen What is chosen.

--- What can be chosen.
---@alias costline.ChoiceKey
---| '"profile"' # The profile.
---| '"metric"' # The metric.
---| '"threads"' # The threads.
---| '"implementation"' # Which functions are visible.
---| '"inlines"' # Where the cost of inlined code is shown.
---| '"unit"' # The unit of costs.
---| '"show"' # What hints show.
---| '"baseline"' # What to compare with.

--- A value that can be chosen.
---@class costline.ChoiceOption
---@field active boolean Whether it is chosen.
---@field description? string A few words more.
---@field detail? string And more, for a line of its own.
---@field label string Its label in menus.
---@field value costline.ChoiceValue The value for `costline.setView`.

--- A value of a choice.
---@alias costline.ChoiceValue string|boolean|vim.NIL

--- What is chosen.
---@alias costline.Chosen costline.ChoiceValue|costline.ChoiceValue[]

--- Another program whose output is imitated byte for byte.
---@alias costline.Compat
---| '"rbspy"' # rbspy's callgrind output: every line of a function is a function of its own

--- What becomes of frames deeper than wanted.
---@alias costline.Cut
---| '"fold"' # Their cost goes to the last frame that is kept
---| '"drop"' # Their cost is left out

--- In which direction calls are followed.
---@alias costline.Direction
---| '"incoming"' # To callers.
---| '"outgoing"' # To callees.

--- A flame graph, as a file or for a panel.
---@alias costline.DrawnFlameGraph costline.Picture|costline.FlameGraph

--- `capabilities.experimental` of the server.
---@class costline.Experimental
---@field costline costline.Catalog Lists for clients.

--- Which line is asked about.
---@class costline.ExplainArgument
---@field line integer The line, 0-based.
---@field uri string The document.

--- Why a line shows what it shows.
---@class costline.Explanation
---@field code costline.ExplanationCode The reason, for programs.
---@field message string The reason as a sentence.
---@field metric? string The metric of both.
---@field self? costline.Weight|vim.NIL Self cost; null where it is not known.
---@field selfShare? number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText? string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share? number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field stale? boolean Whether the file is newer than the profile; only where the line has a cost.
---@field tier? 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total? costline.Weight|vim.NIL Inclusive cost; null where no exact number is known.
---@field totalText? string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field unit? string The unit of both.
---@field v? integer The version of this object: 1.

--- A reason why a line shows what it shows.
---@alias costline.ExplanationCode
---| '"no-profile"' # No profile is shown.
---| '"not-a-file"' # The document is no file on disk.
---| '"not-open"' # The editor has not opened the document at this server.
---| '"unsymbolicated"' # The profile holds addresses whose names and lines are not known.
---| '"no-debug-info"' # The program was built without debug info.
---| '"source-mapped"' # A source map moves the costs of this line, or of the whole file, to another file.
---| '"no-lines"' # The profile has functions of this file, but no lines.
---| '"stale-line"' # The line was changed after the profile was recorded.
---| '"no-cost"' # No sample is on this line.
---| '"file-not-in-profile"' # The profile names no file like this one.
---| '"file-not-matched"' # The profile names a file like this one that is another.
---| '"file-ambiguous"' # The profile names a file that could be this one or another.
---| '"hints-off"' # Hints are disabled by the setting `hints.enable`.
---| '"below-threshold"' # The cost is below the setting `hints.minPercent`.
---| '"shown"' # The line has a hint.

--- The format and the file to write.
---@class costline.ExportArgument
---@field compat? costline.Compat|vim.NIL Write byte for byte what this program would write.
---@field format costline.ExportFormat The format to write.
---@field maxDepth? integer|vim.NIL The maximum number of frames of a stack below its root; 0 keeps the roots only.
---@field overwrite? boolean Overwrite the file if it exists.
---@field path string The file to write, relative to the first workspace folder.
---@field truncate? costline.Cut What to do with the cost of frames that `maxDepth` removes.

--- A format that is written.
---@alias costline.ExportFormat
---| '"callgrind"' # For KCachegrind and QCachegrind
---| '"folded"' # Folded stacks: one line per stack, summed
---| '"flamechart"' # One line per call, in order of time, not summed
---| '"flamegraph"' # A flame graph as SVG, to be opened in a browser
---| '"speedscope"' # For speedscope.app
---| '"firefox"' # For profiler.firefox.com
---| '"pprof"' # For `pprof` and `go tool pprof`, compressed

--- A format to export to.
---@class costline.ExportFormatInfo
---@field binary boolean Whether its files are no text.
---@field extension string The end of the names of its files, without the dot before it.
---@field format costline.ExportFormat Its name, for `costline.export`.
---@field title string What it is for, for menus.

--- A file that was written.
---@class costline.Exported
---@field bytes integer The size of the file in bytes.
---@field lost string[] What the format cannot represent.
---@field path string The absolute path of the file.

--- How the workspace file of a recorded file was found.
---@alias costline.FileFoundBy
---| '"rule"' # By a rule of the setting `pathMappings`.
---| '"exact"' # The path exists in a folder of the workspace.
---| '"suffix"' # By the end of the path.
---| '"link"' # The path exists in a folder of the workspace, spelled through a symbolic link.
---| '"sourceMap"' # The source map of a recorded file names it.
---| '"ambiguous"' # It was not: several files could be meant.
---| '"unmapped"' # It was not.

--- A flame graph.
---@class costline.FlameGraph
---@field frames costline.FlameGraphFrame[] The frames, row by row, callers before callees.
---@field metric string The metric of all costs.
---@field omitted integer Frames that are too narrow or too deep to be drawn.
---@field svg string The picture. It has no scripts, styles or links; each frame is a `<g data-frame="17">`, the number its index in `frames`.
---@field total costline.Weight The total of the profile.
---@field unit string Its unit.

--- Where to write the flame graph.
---@class costline.FlameGraphArgument
---@field inline? boolean Return the SVG and its frames in the answer, and write no file.
---@field overwrite? boolean Overwrite the file if it exists.
---@field path? string|vim.NIL The file to write, relative to the first workspace folder. By default, a file in the temporary folder, which is removed when the server ends.

--- A frame of a flame graph.
---@class costline.FlameGraphFrame
---@field depth integer How many callers are above it.
---@field key costline.FunctionKey What identifies the function. The keys of a frame and its parents are its path.
---@field leaf boolean Whether it calls nothing, drawn or not.
---@field left number Where it starts, as a share of the whole width.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field name string The function's name.
---@field parent integer|vim.NIL The index of its caller, which stands before it; null for a root.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field recursive boolean Whether the function is among the callers above it too.
---@field self costline.Weight|vim.NIL The self cost; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field text string Its cost: `45.6% · self 4.0%`.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight The cost of the frame and all that it calls.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.
---@field width number Its width, as a share of the whole.

--- A profile that was found: what one run wrote.
---@class costline.FoundProfile
---@field active boolean Whether it is shown.
---@field bytes integer The length of its first file.
---@field files string[] The paths of all its files.
---@field format string The name of its format.
---@field modified integer When it was written, in milliseconds since 1970.
---@field path string The path of its first file.
---@field problem string|vim.NIL Why it could not be read; null where it could, or was not tried.

--- What identifies a function, in this recording and in the next.
---@class costline.FunctionKey
---@field file string|vim.NIL Its file, as the profile spells it.
---@field lib string|vim.NIL Its library's short name.
---@field name string Its name.
---@field start? [integer, integer]|vim.NIL Its start, 1-based line and column, where the profile has several functions of the same name, file and library.

--- What identifies a function, in this recording and in the next.
---@class costline.FunctionKeyArgument
---@field file? string|vim.NIL Its file, as the profile spells it.
---@field lib? string|vim.NIL Its library's short name.
---@field name string Its name.
---@field start? [integer, integer]|vim.NIL Its start, 1-based line and column, where the profile has several functions of the same name, file and library.

--- The `data` of a hint.
---@class costline.HintData
---@field line0 integer The line, 0-based.
---@field metric string The metric of both.
---@field self costline.Weight|vim.NIL Self cost; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field stale boolean Whether the file is newer than the profile, so that lines may have moved.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight|vim.NIL Inclusive cost; null where no exact number is known.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field unit string The unit of both.
---@field uri string The document.
---@field v integer The version of this object: 1.

--- A hot function.
---@class costline.HotFunction
---@field file? string The file of the definition, as the profile spells it.
---@field item costline.Item|vim.NIL Its item, to ask for callers and callees.
---@field key costline.FunctionKey What identifies it.
---@field label string The inclusive cost alone, as hints have it.
---@field lib string|vim.NIL Its library's short name.
---@field line? integer The line of the definition, 1-based, as recorded.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field metric string The metric of both.
---@field name string Its name.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field self costline.Weight|vim.NIL Self cost; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field text string All of its cost, as its lens has it.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight|vim.NIL Inclusive cost; null where no exact number is known.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field unit string The unit of both.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.
---@field v integer The version of this object: 1.

--- A hot line.
---@class costline.HotLine
---@field file string The file, as the profile spells it.
---@field label string The inclusive cost alone, as hints have it.
---@field line integer The line, 1-based, as recorded.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field metric string The metric of both.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field self costline.Weight|vim.NIL Self cost; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field text string All of its cost, worded as that of a function.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight|vim.NIL Inclusive cost; null where no exact number is known.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field unit string The unit of both.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.
---@field v integer The version of this object: 1.

--- The hot spots of a profile, hottest first.
---@class costline.HotSpots
---@field functions? costline.HotFunction[] The functions; only where these were asked for.
---@field lines? costline.HotLine[] The lines; only where these were asked for.
---@field metric string The metric of all costs.
---@field total costline.Weight The total of the profile.
---@field unit string Its unit.

--- Which hot spots are asked for.
---@class costline.HotSpotsArgument
---@field by? costline.HotSpotsBy|vim.NIL What is listed; functions if it is left out.
---@field limit? integer|vim.NIL How many; 50 if it is left out.

--- What hot spots are.
---@alias costline.HotSpotsBy
---| '"function"' # Functions.
---| '"line"' # Lines.

--- Which functions to show, in profiles that record which ones are JavaScript.
---@alias costline.Implementation
---| '"all"' # All of them.
---| '"js"' # JavaScript functions. The cost of native code is charged to the JavaScript that calls it.
---| '"native"' # Native functions. The cost of JavaScript is charged to the engine that runs it.

--- Where to show the cost of inlined code.
---@alias costline.Inlines
---| '"body"' # On the lines of the inlined function.
---| '"callSite"' # On the line of the outermost inlined call, in the function that was compiled.

--- A function at the end of a call path, serialized as an LSP `CallHierarchyItem`: clients pass it back to the call hierarchy and to commands.
---@class costline.Item
---@field data costline.ItemData What the server needs to follow its calls.
---@field detail string Place and self cost, for clients that show them.
---@field kind integer The LSP symbol kind: 12, a function.
---@field name string Its cost and name: `45.6% parse_value`.
---@field range costline.Range The line of the definition.
---@field selectionRange costline.Range The name in it.
---@field uri string The file, or a `costline:` document.

--- An item as a client passes it back. Everything but `data` is what the protocol wants of an item; `data` of another server's item can be anything.
---@class costline.ItemArgument
---@field data? any What the server put into the item.
---@field detail? string|vim.NIL As in the item.
---@field kind integer As in the item.
---@field name string As in the item.
---@field range costline.Range As in the item.
---@field selectionRange costline.Range As in the item.
---@field tags? integer[]|vim.NIL As in the item.
---@field uri string As in the item.

--- The `data` of an item.
---@class costline.ItemData
---@field dir costline.Direction|vim.NIL In which direction the path was followed; null for a root.
---@field leaf boolean|vim.NIL Whether it has no calls in the direction of `dir`. Null for a root.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field metric string The metric of both.
---@field name string The function's name, of any length.
---@field path costline.FunctionKey[] The path from the root to this function.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field recursive boolean Whether it is a recursive call, whose cost is outside the sum of its siblings.
---@field self costline.Weight|vim.NIL Self cost; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field sites? costline.CallSite[] Call sites in other files than the caller's own.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight|vim.NIL Inclusive cost; null where no exact number is known.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field unit string The unit of both.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.
---@field v integer The version of this object: 1.

--- The `data` of a lens.
---@class costline.LensData
---@field func costline.FunctionKey The function.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field metric string The metric of both.
---@field name string Its name.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field self costline.Weight|vim.NIL Self cost; null where it is not known.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight|vim.NIL Inclusive cost; null where no exact number is known.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field unit string The unit of both.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.
---@field v integer The version of this object: 1.

--- A metric of a profile.
---@class costline.MetricName
---@field name string Its name.
---@field unit string Its unit.

--- A path in an object.
---@class costline.PathObject
---@field path? string|vim.NIL The path, relative to the first workspace folder; null for none.

--- The files of a profile.
---@class costline.Paths
---@field files costline.RecordedFile[] All files, costliest first.
---@field mapped integer How many of the files are files of the workspace.
---@field missingRoots string[]|vim.NIL Folders of the workspace and of the setting `sourceRoots` that do not exist. Null before the first profile.
---@field roots string[] The workspace folders.

--- A flame graph that was written to a file.
---@class costline.Picture
---@field bytes integer The size of the file in bytes.
---@field lost string[] What the format cannot represent.
---@field path string The absolute path of the file.
---@field uri string|vim.NIL The URI of the file.

--- A position in a text, serialized as LSP does. Both numbers are 0-based; what a column counts is up to [`Encoding`].
---@class costline.Position
---@field character integer The column.
---@field line integer The line.

--- A file of a profile as it was when it was read.
---@class costline.ProfileFile
---@field format string The name of its format.
---@field modified integer When it was written, in milliseconds since 1970.
---@field name string The name to show: that of the file, and how many there are.
---@field path string The path of the file, the first of several.

--- The profiles that were found.
---@class costline.Profiles
---@field active costline.ActiveProfile|vim.NIL What is shown; null without a profile.
---@field profiles costline.FoundProfile[] The profiles, newest first.
---@field revision integer Goes up when costs or labels are replaced.

--- A part of a text, without its end.
---@class costline.Range
---@field end costline.Position Behind its last character.
---@field start costline.Position Where it starts.

--- A file that a profile names.
---@class costline.RecordedFile
---@field candidates string[]|vim.NIL The workspace files that it could be, where these are several.
---@field hottestLine costline.Weight The cost of its hottest line.
---@field how costline.FileFoundBy How it was found, or why not.
---@field name string The name in the profile.
---@field path string|vim.NIL The workspace file; null where there is none.
---@field reason string|vim.NIL Why it has no workspace file, to stand behind the name. Null where it has one.
---@field self costline.Weight The self cost of its lines.

--- What `costline.setView` changes. A key that is left out stays as it is; `null` goes back to the setting.
---@class costline.SetViewArgument
---@field baseline? costline.BaselineChoice|vim.NIL What to compare with: a profile, relative to the first workspace folder; `true` for what is shown now; `null` or `false` for nothing.
---@field implementation? costline.Implementation|vim.NIL Which functions are visible.
---@field inlines? costline.Inlines|vim.NIL Where the cost of inlined code is shown.
---@field metric? string|vim.NIL The metric to show, by name or unit.
---@field profile? string|vim.NIL The profile to show, relative to the first workspace folder. `null`: that of the settings, or the newest.
---@field show? costline.Show|vim.NIL What hints show.
---@field threads? string[]|vim.NIL The threads to show, by name (or its end), id, glob or `/regex/`; none for all.
---@field unit? costline.Unit|vim.NIL The unit of costs.

--- What labels show.
---@alias costline.Show
---| '"total"' # Total cost, callees included.
---| '"self"' # Self cost, without callees.
---| '"both"' # Both.

--- Options of `costline.showCallers` and `costline.showCallees`.
---@class costline.ShowOptions
---@field message? boolean|vim.NIL Show the five hottest to the user in a message. The default is true.

--- What is shown, in short.
---@class costline.Shown
---@field base costline.Weight|vim.NIL What percentages are of: the total, or with negative weights the sum of |self| over all call paths. Null without a profile.
---@field baseline costline.ProfileFile|vim.NIL What costs are compared with; null without a baseline.
---@field loading boolean Whether a profile is being read.
---@field metric string|vim.NIL The metric; null without a profile.
---@field profile costline.ShownProfile|vim.NIL The profile; null without one.
---@field revision integer Goes up when costs or labels are replaced.
---@field state string|vim.NIL What was chosen by command instead of the settings, to be passed back as `state` in the `initializationOptions` of the next server. Opaque; null where nothing was chosen.
---@field total costline.Weight|vim.NIL The total of the profile; null without one.
---@field unit string|vim.NIL The unit of the metric; null without a profile.

--- The profile that is shown.
---@class costline.ShownProfile
---@field deleted boolean Whether the file was deleted; its costs are still shown.
---@field format string The name of its format.
---@field modified integer When it was written, in milliseconds since 1970.
---@field name string The name to show: that of the file, and how many there are.
---@field path string The path of the file, the first of several.
---@field picked boolean Whether the user picked it, instead of the newest.

--- What a transform is done to.
---@alias costline.Takes
---| '"function"' # A function, under `function`.
---| '"path"' # Functions along a path, under `path`.
---| '"category"' # A category of frames, under `category`.
---| '"resource"' # A library, under `resource`.

--- A `costline:` document.
---@class costline.TextDocumentContent
---@field text string The text of the document.

--- The parameters of `costline/textDocumentContent`.
---@class costline.TextDocumentContentParams
---@field uri string The URI of the document.

--- A transform in JSON. Of `function`, `path`, `category` and `resource` it has the one that its kind takes.
---@class costline.Transform
---@field category? string|vim.NIL The category of frames.
---@field function? string|vim.NIL The function that it is done to.
---@field implementation? costline.Implementation|vim.NIL The filter under which it was made, if not that of the view.
---@field path? string[]|vim.NIL The functions of a path from the root, or for `focus-subtree-inverted` from the leaf.
---@field resource? string|vim.NIL The library.
---@field type costline.TransformKind What is done.

--- A kind of transform.
---@class costline.TransformInfo
---@field takes costline.Takes What it is done to.
---@field title string What it does, for menus.
---@field type costline.TransformKind Its name.

--- A kind of transform.
---@alias costline.TransformKind
---| '"merge-function"' # Merge function into its callers
---| '"merge-node"' # Merge node into its caller
---| '"merge-subtree"' # Merge node and what it calls into its caller
---| '"drop-function"' # Drop samples with function
---| '"drop-node"' # Drop samples with node
---| '"focus-function"' # Focus on function
---| '"focus-subtree"' # Focus on subtree
---| '"focus-subtree-inverted"' # Focus on subtree of the bottom-up tree
---| '"focus-self"' # Focus on self cost of function
---| '"focus-category"' # Focus on category
---| '"collapse-resource"' # Collapse library
---| '"collapse-recursion"' # Collapse recursion
---| '"collapse-direct-recursion"' # Collapse direct recursion
---| '"collapse-function-subtree"' # Collapse function with what it calls

--- A node of the call tree.
---@class costline.TreeNode
---@field children costline.TreeNode[] Children, costliest first.
---@field est boolean Whether the cost is estimated.
---@field hasChildren boolean Whether something is below it, in the answer or not.
---@field item costline.Item|vim.NIL The function's item, to ask for callers and callees.
---@field key costline.FunctionKey What identifies the function.
---@field leaf boolean Whether nothing is below it.
---@field line0 integer|vim.NIL The line in it, 0-based, as the text is now. Null without a document.
---@field more integer Children that are not in the answer.
---@field name string The function's name.
---@field path costline.FunctionKey[] The path from the top to it, to ask for its children.
---@field percent number|vim.NIL `total` in percent of what percentages are of; null where that is 0.
---@field placeText string The place in few words: `app.py:12` (as recorded), `[libc.so.6]`, `no source`.
---@field recursive boolean Whether the function is in the path above it too.
---@field self costline.Weight|vim.NIL The self cost of the node; null where it is not known, and below the top of the inverted tree.
---@field selfShare number|vim.NIL The self cost as such a share. Null where it is not known.
---@field selfText string|vim.NIL The self cost, in the unit that the setting `unit` asks for: `4.0%`. Null where it is not known.
---@field share number The inclusive cost as a share of what percentages are of, from 0 to 1. Where only the self cost is known, that.
---@field text string Its cost: `45.6% · self 4.0%`.
---@field tier 0|1|2|3 How hot it is, by `share`: 0 below 1 %, 1 from 1 %, 2 from 5 %, 3 from 20 %.
---@field total costline.Weight The cost of the node and all below it.
---@field totalText string|vim.NIL The inclusive cost likewise: `12.3%`, `12.3% est.`, `4.0% to 10.0%`. Null where it is not known.
---@field uri string|vim.NIL The document in the workspace. Null for code that is in none.

--- The unit of costs in labels.
---@alias costline.Unit
---| '"percent"' # Share of the total.
---| '"absolute"' # The profile's own unit: seconds, bytes, samples.
---| '"both"' # Both.

--- What is shown, and what can be chosen and run.
---@class costline.View
---@field actions costline.Action[] Commands to run as they are.
---@field base costline.Weight|vim.NIL What percentages are of: the total, or with negative weights the sum of |self| over all call paths. Null without a profile.
---@field baseline costline.ProfileFile|vim.NIL What costs are compared with; null without a baseline.
---@field choices costline.Choice[] What can be chosen by `costline.setView`, in the order of menus. What has a single possible value is left out.
---@field loading boolean Whether a profile is being read.
---@field metric string|vim.NIL The metric; null without a profile.
---@field profile costline.ShownProfile|vim.NIL The profile; null without one.
---@field revision integer Goes up when costs or labels are replaced.
---@field state string|vim.NIL What was chosen by command instead of the settings, to be passed back as `state` in the `initializationOptions` of the next server. Opaque; null where nothing was chosen.
---@field total costline.Weight|vim.NIL The total of the profile; null without one.
---@field transforms costline.AppliedTransform[] The transforms, in order.
---@field unit string|vim.NIL The unit of the metric; null without a profile.

--- A raw weight: an integer where it is one.
---@alias costline.Weight number
