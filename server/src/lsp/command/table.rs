//! The commands: what they are called, do, take and give. Editors are told the names, who calls one wrongly what it takes, and
//! readers of the book all of it.

/// What the lens runs.
pub const SHOW_CALLERS: &str = "costline.showCallers";
/// What takes the other direction.
pub const SHOW_CALLEES: &str = "costline.showCallees";

/// A command, in words.
#[derive(Debug)]
pub struct Entry {
    /// What it is called by.
    pub name: &'static str,
    /// What it does: sentences.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the book alone"))]
    pub does: &'static str,
    /// Its arguments; `?` marks what may be left out. Empty: it takes none.
    pub takes: &'static str,
    /// What it answers with.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the book alone"))]
    pub gives: &'static str,
}

const VIEW: &str = "As `costline.view`, once it is chosen.";

/// All of them.
pub const COMMANDS: [Entry; 18] = [
    Entry {
        name: "costline.view",
        does: "What is shown, what can be chosen instead, and what can be run: enough to build menus from.",
        takes: "",
        gives: "`{revision, profile, metric, unit, total, loading, choices, transforms, actions, …}`. A choice is `{key, title, \
                multiple, value, options: [{value, label, description?, detail?, active}]}`, an action `{command, title, arguments}`.",
    },
    Entry {
        name: "costline.setView",
        does: "Chooses values by their keys, those of the `choices` of `costline.view`. `null` goes back to the setting. A choice \
               outlives rewrites of the profile; a change of the setting of the same key replaces it.",
        takes: "{\"profile\"?: path or null, \"metric\"?: …, \"threads\"?: […], …}",
        gives: VIEW,
    },
    Entry {
        name: "costline.profiles",
        does: "Lists the profiles that were found, newest first, and what is shown.",
        takes: "",
        gives: "`{revision, active, profiles: [{path, format, modified, bytes, active, problem, files}]}`; times in milliseconds \
                since 1970.",
    },
    Entry {
        name: "costline.selectProfile",
        does: "Shows a profile; `null`: that of the settings, or the newest again.",
        takes: "a path, {\"path\": …} or null",
        gives: "As `costline.profiles`.",
    },
    Entry { name: "costline.reload", does: "Reads the profile again.", takes: "", gives: "As `costline.profiles`." },
    Entry {
        name: "costline.setBaseline",
        does: "Compares costs with those of another profile; without an argument with those that are shown now, whatever is shown \
               later. `null` ends it.",
        takes: "a path, {\"path\": …}, null or nothing",
        gives: VIEW,
    },
    Entry { name: "costline.clearBaseline", does: "Compares no more.", takes: "", gives: VIEW },
    Entry {
        name: "costline.pushTransform",
        does: "Changes stacks before anything is summed, after those changes that there are.",
        takes: "\"KIND:NAME\", or as JSON {\"type\": …, \"function\" or \"path\" or \"category\" or \"resource\": …}",
        gives: VIEW,
    },
    Entry { name: "costline.popTransform", does: "Takes back the last transform.", takes: "", gives: VIEW },
    Entry { name: "costline.clearTransforms", does: "Takes back all transforms.", takes: "", gives: VIEW },
    Entry {
        name: "costline.hotspots",
        does: "The hottest functions or lines of the whole profile.",
        takes: "{\"by\"?: \"function\" or \"line\", \"limit\"?: number}",
        gives: "`{metric, unit, total, functions}` or `lines`: each `{text, self, total, uri, line0, file, line, …}`, functions with \
                `name`, `lib` and the `item` that the call hierarchy takes.",
    },
    Entry {
        name: SHOW_CALLERS,
        does: "One step from an item of the call hierarchy to its callers. The five hottest are also shown to the user with a \
               message, unless that is declined.",
        takes: "a call hierarchy item, then {\"message\"?: true or false}",
        gives: "`{direction, metric, unit, self, total, est, entries: [{name, text, self, total, est, recursive, item}]}`",
    },
    Entry {
        name: SHOW_CALLEES,
        does: "The same to what it calls.",
        takes: "a call hierarchy item, then {\"message\"?: true or false}",
        gives: "As `costline.showCallers`.",
    },
    Entry {
        name: "costline.callTree",
        does: "The children of a node of the call tree (of the inverted one: its callers), and theirs, down to a depth.",
        takes: "{\"path\"?: […], \"inverted\"?: true or false, \"depth\"?: number, \"limit\"?: number}",
        gives: "`{metric, unit, total, inverted, est, nodes, more}`; a node is `{name, text, self, total, percent, key, path, uri, line0, \
                item, hasChildren, children, more, …}`. Its `path` asks for its children.",
    },
    Entry {
        name: "costline.flamegraph",
        does: "Writes a flame graph (SVG) and has it opened, where the client can. Without a path it lies in the temporary folder. \
               With `inline` nothing is written: the picture is in the answer, with the places of its frames.",
        takes: "{\"path\"?: …, \"overwrite\"?: true or false, \"inline\"?: true or false}",
        gives: "`{path, uri}`, or `{svg, frames, …}`",
    },
    Entry {
        name: "costline.explain",
        does: "Why a line shows what it shows, above all when that is nothing.",
        takes: "{\"uri\": …, \"line\": 0-based number}",
        gives: "`{reason, message, …}`: a word for programs, a sentence for people.",
    },
    Entry {
        name: "costline.paths",
        does: "Every file that the profile names, and what became of it, costliest first.",
        takes: "",
        gives: "`{roots, missingRoots, mapped, files: [{name, path, how, reason, candidates, self, hottestLine}]}`",
    },
    Entry {
        name: "costline.export",
        does: "Writes what is shown in another format. Relative paths count from the first workspace folder.",
        takes: "{\"format\": …, \"path\": …, \"overwrite\"?: …, \"maxDepth\"?: …, \"truncate\"?: …, \"compat\"?: …}",
        gives: "`{path, bytes, lost}`: sentences about what the format could not carry.",
    },
];

/// What a command takes, in words.
pub fn takes(name: &str) -> &'static str {
    COMMANDS.iter().find(|entry| entry.name == name).map_or("", |entry| entry.takes)
}
