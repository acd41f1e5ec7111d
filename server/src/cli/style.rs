//! How text is written: the unit of costs, colors, and the width of the terminal.

use super::values::one_of;
use answers::Unit;
use clap::ColorChoice;
use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

/// Lines are never made shorter than this, in characters.
const MIN_WIDTH: usize = 60;

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
            ColorChoice::Auto => is_terminal && can_be_coloured(env::var_os),
        };
        let columns = terminal_size::terminal_size().filter(|_| is_terminal);
        let width = columns.map(|(width, _)| usize::from(width.0).max(MIN_WIDTH));
        Style { unit: self.unit.unwrap_or(unit), colour, width }
    }
}

/// Whether the variables of the environment let a terminal have colors: `NO_COLOR` is empty
/// (<https://no-color.org>), and the terminal knows escape sequences.
fn can_be_coloured(variable: impl Fn(&'static str) -> Option<OsString>) -> bool {
    variable("NO_COLOR").is_none_or(|value| value.is_empty())
        && variable("TERM").is_none_or(|value| value != "dumb")
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

    /// A name and a place that fit into the line after `used` characters: without the qualification
    /// of the name if necessary, and then without the beginning of the place.
    pub fn name_and_place(self, used: usize, name: &str, place: &str) -> String {
        let left = self.width.map_or(usize::MAX, |width| width.saturating_sub(used));
        let place_len = if place.is_empty() { 0 } else { length(place) + 2 };
        let name = shortened(name, left.saturating_sub(place_len));
        if place.is_empty() {
            return name.into_owned();
        }
        let place = without_start(place, left.saturating_sub(length(&name) + 2));
        format!("{name}  {place}")
    }
}

/// The number of characters.
fn length(text: &str) -> usize {
    text.chars().count()
}

/// `name` without as much of its qualification as necessary to have at most `width` characters:
/// `…::Map::insert`. The last segment is kept.
fn shortened(name: &str, width: usize) -> Cow<'_, str> {
    if length(name) <= width {
        return name.into();
    }
    let ends = qualifications(name);
    let fitting = ends.iter().find(|&&end| length(&name[end..]) < width);
    match fitting.or(ends.last()) {
        Some(&end) => format!("…{}", &name[end..]).into(),
        None => name.into(),
    }
}

/// Where the qualifications of a name end, before the separator: `::`, `.` or `/`. Not within type
/// arguments or parameters.
fn qualifications(name: &str) -> Vec<usize> {
    let mut depth = 0_u32;
    let mut ends = Vec::new();
    for (at, c) in name.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '.' | '/' | ':' if depth == 0 && at > 0 => {
                let is_second = c == ':' && name[..at].ends_with(':');
                if !is_second && !name[at..].trim_start_matches(['.', '/', ':']).is_empty() {
                    ends.push(at);
                }
            }
            _ => {}
        }
    }
    ends
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
            fit("a_name_without_any_separator_at_all", ""),
            "a_name_without_any_separator_at_all"
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
    fn a_terminal_has_colors_unless_its_variables_say_otherwise() {
        let coloured = |set: &[(&str, &str)]| {
            let value = |name| set.iter().find(|(key, _)| *key == name).map(|set| set.1.into());
            can_be_coloured(value)
        };
        assert!(coloured(&[]) && coloured(&[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!coloured(&[("TERM", "dumb")]) && !coloured(&[("NO_COLOR", "1")]));
    }

    #[test]
    fn a_name_may_begin_with_a_separator() {
        assert_eq!(shortened("::global::name", 7), "…::name");
        assert_eq!(shortened("/usr/lib/libc.so.6", 12), "…/libc.so.6");
        assert_eq!(shortened("x::", 2), "x::");
    }
}
