//! The report on one line or function, which tooltips and hovers show as Markdown or plain text.

use super::text::{markdown, plain};
use std::fmt::Write as _;

/// The text of a report, before layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// The line or the name of the function.
    pub title: String,
    /// Notes below the numbers, one sentence each.
    pub notes: Vec<String>,
    /// Rows of the table of costs: label, self, total.
    pub costs: Vec<[String; 3]>,
    /// Lists such as callers: a heading, and rows of cost and name.
    pub lists: Vec<(&'static str, Vec<[String; 2]>)>,
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
        for (heading, rows) in self.lists.iter().filter(|(_, rows)| !rows.is_empty()) {
            let _ = writeln!(out, "\n{}\n", markdown(heading));
            for [cost, name] in rows {
                let _ = writeln!(out, "- {} {}", markdown(cost), markdown(name));
            }
        }
        for note in &self.notes {
            let _ = writeln!(out, "\n{}", markdown(note));
        }
        out
    }

    /// The report as plain text, for clients that do not render Markdown.
    pub fn plain(&self) -> String {
        let mut out = format!("{}\n", plain(&self.title));
        for row in &self.costs {
            let _ = writeln!(out, "{}", plain(&costs(row)));
        }
        for (heading, rows) in self.lists.iter().filter(|(_, rows)| !rows.is_empty()) {
            let _ = writeln!(out, "{heading}:");
            for [cost, name] in rows {
                let _ = writeln!(out, "  {} {}", plain(cost), plain(name));
            }
        }
        for note in &self.notes {
            let _ = writeln!(out, "{}", plain(note));
        }
        out
    }
}

/// A row of costs as text: `this line: self 1.0% · total 2.0%`.
fn costs([label, own, total]: &[String; 3]) -> String {
    let parts = [("self", own), ("total", total)];
    let parts = parts.into_iter().filter(|(_, cost)| !cost.is_empty());
    let parts: Vec<String> = parts.map(|(part, cost)| format!("{part} {cost}")).collect();
    format!("{label}: {}", parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details() -> Details {
        Details {
            title: "f<T>".to_owned(),
            notes: vec!["profile p.json".to_owned()],
            costs: vec![["line 3".to_owned(), "1.0%".to_owned(), "2.0%".to_owned()]],
            lists: vec![
                ("callers", vec![["2.0%".to_owned(), "a|b".to_owned()]]),
                ("callees", Vec::new()),
            ],
        }
    }

    #[test]
    fn details_render_as_markdown_and_as_plain_text() {
        let markdown = "**f\\<T>**\n\n- line 3: self 1.0% · total 2.0%\n\ncallers\n\n- 2.0% a\\|b\n\nprofile p.json\n";
        assert_eq!(details().markdown(), markdown);
        assert_eq!(
            details().plain(),
            "f<T>\nline 3: self 1.0% · total 2.0%\ncallers:\n  2.0% a|b\nprofile p.json\n"
        );
    }
}
