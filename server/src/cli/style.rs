//! How text is written: the unit of costs, colors, and the width of the terminal.

use super::values::one_of;
use answers::Unit;
use answers::names::{folded, shortened, without_parameters};
use clap::ColorChoice;
use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

/// Lines are never made shorter than this, in characters.
const MIN_WIDTH: usize = 60;
/// In terminals of this width and more, columns are as wide as in files.
const WIDE: usize = 100;
/// Less of a place shows no file: `…a.rs:12`.
const MIN_PLACE: usize = 8;
/// A name has this room at least, even if the line gets longer than the terminal is wide.
const MIN_NAME: usize = 16;

/// The arguments that decide how text is written.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct StyleArgs {
    /// The unit of costs [default: both; annotate: percent]
    #[arg(long, value_parser = one_of::<Unit>(), value_name = "UNIT")]
    unit: Option<Unit>,
    /// When to use colors
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

impl StyleArgs {
    /// The style of the standard output. `unit` is the default unit.
    pub fn style(self, unit: Unit) -> Style {
        let is_terminal = io::stdout().is_terminal();
        let colour = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_coloured(is_terminal, env::var_os),
        };
        let columns = terminal_size::terminal_size().filter(|_| is_terminal);
        let width = columns.map(|(width, _)| usize::from(width.0).max(MIN_WIDTH));
        Style { unit: self.unit.unwrap_or(unit), colour, width }
    }
}

/// Whether output has colors, by the variables of the environment: `NO_COLOR` (<https://no-color.org>) forbids them,
/// `FORCE_COLOR` and `CLICOLOR_FORCE` want them in files and pipes, too (<https://bixense.com/clicolors>), or
/// else a terminal has them that knows escape sequences.
fn is_coloured(is_terminal: bool, variable: impl Fn(&'static str) -> Option<OsString>) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let is_forced = |name| is_set(name) && variable(name).is_none_or(|value| value != "0");
    if is_set("NO_COLOR") {
        return false;
    }
    is_forced("FORCE_COLOR")
        || is_forced("CLICOLOR_FORCE")
        || is_terminal && variable("TERM").is_none_or(|value| value != "dumb")
}

/// How to write text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// The unit of costs.
    pub unit: Unit,
    /// Whether to write ANSI escape sequences.
    colour: bool,
    /// The width of the terminal in characters. `None`: lines have any length.
    width: Option<usize>,
}

impl Style {
    /// The same unit, for a file.
    pub fn plain(self) -> Self {
        Self { colour: false, width: None, ..self }
    }

    fn paint(self, text: &str, code: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Bold text, for headings.
    pub fn bold(self, text: &str) -> String {
        self.paint(text, "1")
    }

    /// Dim text, for notes.
    pub fn dim(self, text: &str) -> String {
        self.paint(text, "2")
    }

    /// Costs. `share` is their magnitude relative to the base, 0 to 1. If they are compared with a
    /// baseline, the color is that of the first change among them, never heat.
    pub fn costs(self, text: &str, share: f64, are_compared: bool) -> String {
        match (are_compared, text.find(['▲', '▼'])) {
            (true, Some(at)) => {
                self.change(text, if text[at..].starts_with('▲') { 1.0 } else { -1.0 })
            }
            (true, None) => text.to_owned(),
            (false, _) => self.heat(text, share),
        }
    }

    fn heat(self, text: &str, share: f64) -> String {
        match share {
            s if s >= 0.2 => self.paint(text, "1;31"),
            s if s >= 0.05 => self.paint(text, "33"),
            s if s > 0.0 => self.paint(text, "32"),
            _ => text.to_owned(),
        }
    }

    /// A change: red for more, green for less.
    pub fn change(self, text: &str, change: f64) -> String {
        self.paint(text, if change > 0.0 { "31" } else { "32" })
    }

    /// Whether columns should be as narrow as possible.
    pub fn is_narrow(self) -> bool {
        self.width.is_some_and(|width| width < WIDE)
    }

    /// A name and a place that fit into the line after `used` characters. The name wins: its type
    /// arguments are folded, then the place loses its folders, then the name its parameters and its
    /// qualification, and then the place its beginning. What is still too long is cut.
    pub fn name_and_place(self, used: usize, name: &str, place: &str) -> String {
        let left = self.left(used);
        let beside = |place: &str| {
            left.saturating_sub(if place.is_empty() { 0 } else { length(place) + GAP.len() })
        };
        let place_of_file = without_start(place, 0);
        let mut short = Cow::from(name);
        if length(name) > beside(place) {
            short = folded(name);
        }
        if length(&short) > beside(&place_of_file) {
            short = without_parameters(&short).into();
        }
        let name = shortened(&short, beside(&place_of_file));
        let name = cut(&name, left);
        let left = left.saturating_sub(length(&name) + GAP.len());
        let place = end(&without_start(place, left), left);
        let gap = if name.is_empty() || place.is_empty() { "" } else { GAP };
        format!("{name}{gap}{place}")
    }

    /// Whether text fits into the line after `used` characters.
    pub fn fits(self, used: usize, text: &str) -> bool {
        length(text) <= self.left(used)
    }

    /// Text that fits into the line after `used` characters.
    pub fn cut(self, used: usize, text: &str) -> String {
        cut(text, self.left(used))
    }

    /// The characters that are left after `used` ones.
    fn left(self, used: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(used).max(MIN_NAME))
    }
}

/// What separates a name from its place.
const GAP: &str = "  ";

/// The number of characters.
fn length(text: &str) -> usize {
    text.chars().count()
}

/// The first `width` characters, the last of them an ellipsis if there are more.
fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The last `width` characters, the first of them an ellipsis if there are more. Nothing if too few are left to
/// recognize a file.
fn end(text: &str, width: usize) -> String {
    let n = length(text);
    if n <= width {
        return text.to_owned();
    }
    let is_enough = width >= MIN_PLACE;
    let end = text.chars().skip((n + 1).saturating_sub(width));
    if is_enough { ['…'].into_iter().chain(end).collect() } else { String::new() }
}

/// The end of a place after an ellipsis, without the revision of its repository, if the place has
/// more than `width` characters. At least the name of the file is kept.
fn without_start(text: &str, width: usize) -> Cow<'_, str> {
    if length(text) <= width {
        return text.into();
    }
    let is_revision = |text: &str| text.len() == 40 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let text =
        text.rsplit_once(':').filter(|(_, end)| is_revision(end)).map_or(text, |(text, _)| text);
    if length(text) <= width {
        return text.into();
    }
    let starts: Vec<usize> = text.match_indices(['/', '\\']).map(|(at, _)| at).collect();
    let fitting = starts.iter().find(|&&start| length(&text[start..]) < width);
    match fitting.or(starts.last()) {
        Some(&start) => format!("…{}", &text[start..]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compared_costs_have_the_color_of_their_change() {
        let style = Style { unit: Unit::Both, colour: true, width: None };
        assert_eq!(style.costs("90.0% ▼1.2 s", 0.9, true), "\x1b[32m90.0% ▼1.2 s\x1b[0m");
        assert_eq!(style.costs("0.1% ▲1 ms", 0.001, true), "\x1b[31m0.1% ▲1 ms\x1b[0m");
        // The first change is that of the cost that rows are sorted by.
        assert!(style.costs("2.0% ▲1 ms 3.0% ▼2 ms", 0.03, true).starts_with("\x1b[31m"));
        assert_eq!(style.costs("90.0%", 0.9, true), "90.0%");
        assert_eq!(style.costs("90.0%", 0.9, false), "\x1b[1;31m90.0%\x1b[0m");
    }

    #[test]
    fn names_lose_their_qualification_first() {
        let style = Style { unit: Unit::Both, colour: false, width: Some(40) };
        let fit = |name, place| style.name_and_place(10, name, place);
        assert_eq!(fit("main", "src/main.rs:3"), "main  src/main.rs:3");
        assert_eq!(
            fit("std::collections::Map::insert", "src/a.rs:3"),
            "…::Map::insert  src/a.rs:3"
        );
        assert_eq!(
            fit("parse", "/home/me/project/src/parser/mod.rs:12"),
            "parse  …/src/parser/mod.rs:12"
        );
        assert_eq!(fit("<Vec<a::b::C> as core::iter::Iterator>::next", ""), "…::next");
        assert_eq!(
            fit("a_name_without_any_separator_at_all", "a.c:3"),
            "a_name_without_any_separator_…"
        );
        let place = "git:github.com/rust-lang/rust:library/std/src/panic.rs:59807616e1fa2540724bfbac14d7976d7e4a3860";
        assert_eq!(fit("std::panic::catch_unwind", place), "…::catch_unwind  …/panic.rs");
        let any = Style { width: None, ..style };
        assert_eq!(
            any.name_and_place(10, "a::b::c::d::e::f::g::h::i::j::k::l", "x"),
            "a::b::c::d::e::f::g::h::i::j::k::l  x"
        );
    }

    #[test]
    fn type_arguments_are_folded_before_a_name_loses_its_qualification() {
        let style = Style { unit: Unit::Both, colour: false, width: Some(50) };
        let fit = |name, place| style.name_and_place(10, name, place);
        let name = "std::_Hashtable<std::string, std::pair<int, int> >::_M_find";
        assert_eq!(fit(name, "src/deep/h.h:3"), "std::_Hashtable<…>::_M_find  …/h.h:3");
        assert_eq!(
            fit("Scene::trace(Ray const&, int) const", "a.cpp:3"),
            "Scene::trace(…) const  a.cpp:3"
        );
    }

    #[test]
    fn what_compilers_append_is_no_name() {
        let style = Style { unit: Unit::Both, colour: false, width: Some(50) };
        let fit = |name, place| style.name_and_place(10, name, place);
        let name = "scale_all_rows_at_once.isra.0";
        assert_eq!(fit(name, "src/deep/scale.c:3"), "scale_all_rows_at_once.isra.0  …cale.c:3");
        // A line is longer than the terminal rather than without a name.
        assert_eq!(
            style.name_and_place(45, "store.(*Index).Query.func1", "index.go:73"),
            "….Query.func1"
        );
        assert_eq!(fit("orders.contains", "src/deep/x.go:3"), "orders.contains  src/deep/x.go:3");
    }

    #[test]
    fn variables_decide_whether_there_are_colors() {
        let coloured = |is_terminal, set: &[(&str, &str)]| {
            let value = |name| set.iter().find(|(key, _)| *key == name).map(|set| set.1.into());
            is_coloured(is_terminal, value)
        };
        assert!(coloured(true, &[]) && coloured(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!coloured(true, &[("TERM", "dumb")]) && !coloured(true, &[("NO_COLOR", "1")]));
        assert!(!coloured(false, &[]) && !coloured(false, &[("FORCE_COLOR", "0")]));
        for force in ["FORCE_COLOR", "CLICOLOR_FORCE"] {
            assert!(coloured(false, &[(force, "1"), ("TERM", "dumb")]));
            assert!(!coloured(true, &[(force, "1"), ("NO_COLOR", "1")]));
        }
    }
}
