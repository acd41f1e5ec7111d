//! The report on one line or function: tooltips show all of it, hovers the most important in a few
//! lines, both as Markdown or plain text.

use loading::text::{markdown, plain};
use std::fmt::Write as _;
use url::Url;

/// The maximum length of the lists of a hover.
const MAX_IN_HOVER: usize = 3;

/// The text of a report, before layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// The line or the name of the function.
    pub title: String,
    /// Notes below the numbers, one sentence each.
    pub notes: Vec<String>,
    /// Rows of costs: label, self, total, each empty if there is none. The first has no label if it is
    /// the cost of what the title names.
    pub costs: Vec<[String; 3]>,
    /// Lists such as callers: a heading, and the functions.
    pub lists: Vec<(&'static str, Vec<Listed>)>,
    /// Where the cost was recorded, if that is not what the title names.
    pub recorded: Option<String>,
    /// The profile, its age and the view.
    pub profile: String,
}

/// A function in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its share of the cost, for display.
    pub cost: String,
    /// Its name.
    pub name: String,
    /// Its definition in the workspace: file and line (0-based).
    pub place: Option<(Url, u32)>,
}

/// How a client shows hovers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Markup {
    /// As plain text.
    #[default]
    Plain,
    /// As Markdown.
    Markdown {
        /// Whether links to files open them.
        links: bool,
    },
}

impl Markup {
    /// Text from a profile, which must not become markup.
    fn escape(self, text: &str) -> String {
        match self {
            Self::Plain => plain(text).into_owned(),
            Self::Markdown { .. } => markdown(text),
        }
    }

    fn listed(self, Listed { cost, name, place }: &Listed) -> String {
        let (cost, name) = (self.escape(cost), self.escape(name));
        match (self, place) {
            (Self::Markdown { links: true }, Some((uri, line0))) => {
                format!("{cost} [{name}](<{uri}#L{}>)", line0 + 1)
            }
            _ => format!("{cost} {name}"),
        }
    }
}

impl Details {
    /// The report as Markdown. All text is escaped, because names come from profiles.
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n", markdown(&self.title));
        // Tables and escapes are shown raw by some editors, so costs are a list.
        if !self.costs.is_empty() {
            out.push('\n');
        }
        for row in &self.costs {
            let _ = writeln!(out, "- {}", markdown(&costs(row)));
        }
        for (heading, rows) in self.filled_lists() {
            let _ = writeln!(out, "\n{}\n", markdown(heading));
            for Listed { cost, name, .. } in rows {
                let _ = writeln!(out, "- {} {}", markdown(cost), markdown(name));
            }
        }
        for note in self.all_notes() {
            let _ = writeln!(out, "\n{}", markdown(note));
        }
        out
    }

    /// The report as plain text.
    pub fn plain(&self) -> String {
        let mut out = format!("{}\n", plain(&self.title));
        for row in &self.costs {
            let _ = writeln!(out, "{}", plain(&costs(row)));
        }
        for (heading, rows) in self.filled_lists() {
            let _ = writeln!(out, "{heading}:");
            for Listed { cost, name, .. } in rows {
                let _ = writeln!(out, "  {} {}", plain(cost), plain(name));
            }
        }
        for note in self.all_notes() {
            let _ = writeln!(out, "{}", plain(note));
        }
        out
    }

    /// The report in at most six lines that are not blank.
    pub fn hover(&self, markup: Markup) -> String {
        let mut rows = self.costs.iter().map(costs);
        let title = markup.escape(&self.title);
        let mut first = match markup {
            Markup::Plain => title,
            Markup::Markdown { .. } => format!("**{title}**"),
        };
        if let Some(row) = rows.next() {
            first = format!("{first} · {}", markup.escape(&row));
        }
        let rest: Vec<String> = rows.collect();
        let notes = [rest, self.notes.clone()];
        let notes = notes.iter().filter(|notes| !notes.is_empty());
        let notes = notes.map(|notes| markup.escape(&notes.join("; ")));
        let lists = self.filled_lists().map(|(heading, rows)| {
            let shown: Vec<String> =
                rows.iter().take(MAX_IN_HOVER).map(|row| markup.listed(row)).collect();
            let more = if rows.len() > MAX_IN_HOVER { " · …" } else { "" };
            format!("{heading}: {}{more}", shown.join(" · "))
        });
        let last: Vec<&str> =
            [&self.profile].into_iter().chain(&self.recorded).map(|it| &**it).collect();
        let profile = markup.escape(&last.join(" · "));
        let lines: Vec<String> = notes.chain(lists).chain([profile]).collect();
        match markup {
            Markup::Plain => format!("{first}\n{}\n", lines.join("\n")),
            Markup::Markdown { .. } => format!("{first}\n\n- {}\n", lines.join("\n- ")),
        }
    }

    fn filled_lists(&self) -> impl Iterator<Item = &(&'static str, Vec<Listed>)> {
        self.lists.iter().filter(|(_, rows)| !rows.is_empty())
    }

    fn all_notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain([&self.profile]).chain(&self.recorded)
    }
}

/// A row of costs as text: `before: self 1.0% · total 2.0%`.
fn costs([label, own, total]: &[String; 3]) -> String {
    let parts = [("self", own), ("total", total)];
    let parts = parts.into_iter().filter(|(_, cost)| !cost.is_empty());
    let parts: Vec<String> = parts.map(|(part, cost)| format!("{part} {cost}")).collect();
    let parts = parts.join(" · ");
    let colon = if label.is_empty() || parts.is_empty() { "" } else { ": " };
    format!("{label}{colon}{parts}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, place: Option<&str>) -> Listed {
        let place = place.map(|uri| (Url::parse(uri).unwrap(), 11));
        Listed { cost: "2.0%".to_owned(), name: name.to_owned(), place }
    }

    fn details() -> Details {
        let row = |row: [&str; 3]| row.map(str::to_owned);
        Details {
            title: "f<T>".to_owned(),
            notes: vec!["executed 3 times".to_owned(), "a_b.rs".to_owned()],
            costs: vec![row(["", "1.0%", "2.0%"]), row(["before", "0.5%", ""])],
            lists: vec![
                ("callers", vec![listed("a|b", Some("file:///w/a%20b.rs"))]),
                ("callees", Vec::new()),
            ],
            recorded: Some("recorded as line 3".to_owned()),
            profile: "p.json".to_owned(),
        }
    }

    #[test]
    fn details_render_as_markdown_and_as_plain_text() {
        let markdown = "**f\\<T>**\n\n- self 1.0% · total 2.0%\n- before: self 0.5%\n\ncallers\n\n\
            - 2.0% a\\|b\n\nexecuted 3 times\n\na_b.rs\n\np.json\n\nrecorded as line 3\n";
        assert_eq!(details().markdown(), markdown);
        assert_eq!(
            details().plain(),
            "f<T>\nself 1.0% · total 2.0%\nbefore: self 0.5%\ncallers:\n  2.0% a|b\n\
             executed 3 times\na_b.rs\np.json\nrecorded as line 3\n"
        );
    }

    #[test]
    fn hovers_are_short() {
        let hover = |markup| details().hover(markup);
        assert_eq!(
            hover(Markup::Plain),
            "f<T> · self 1.0% · total 2.0%\nbefore: self 0.5%\nexecuted 3 times; a_b.rs\n\
             callers: 2.0% a|b\np.json · recorded as line 3\n"
        );
        assert_eq!(
            hover(Markup::Markdown { links: true }),
            "**f\\<T>** · self 1.0% · total 2.0%\n\n- before: self 0.5%\n\
             - executed 3 times; a_b.rs\n- callers: 2.0% [a\\|b](<file:///w/a%20b.rs#L12>)\n- p.json · recorded as line 3\n"
        );
        let without_links = hover(Markup::Markdown { links: false });
        assert!(without_links.contains("- callers: 2.0% a\\|b\n"), "{without_links}");
    }

    #[test]
    fn lists_of_hovers_are_cut() {
        let mut details = details();
        details.lists[0].1 = ["a", "b", "c", "d"].map(|name| listed(name, None)).to_vec();
        let hover = details.hover(Markup::Plain);
        assert!(hover.contains("callers: 2.0% a · 2.0% b · 2.0% c · …\n"), "{hover}");
    }
}
