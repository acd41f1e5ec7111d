//! The table of functions. Its rows lead to the lines of the page.

use super::markup::{class, escape, number};
use super::sources::Sources;
use super::{Page, place};
use answers::hot_groups::HotGroup;
use answers::{CostFields, HotCost, HotRow, Weight, units};

/// The columns that not every table has.
#[derive(Clone, Copy)]
struct Columns {
    /// The self cost with that of libraries.
    charged: bool,
    /// The change since the baseline.
    change: bool,
}

impl Page {
    /// Writes the table, with links into `sources`.
    pub(super) fn table(&mut self, groups: &[HotGroup], rows: &[HotRow], sources: &Sources) {
        self.html += "<h2 id=\"hot-spots\">Hot spots</h2>\n";
        // Rows can be sorted, so groups have no headings among them.
        for HotGroup { text, note, .. } in groups {
            let note = if note.is_empty() { String::new() } else { format!(": {note}") };
            let text = escape(&format!("{text}{note}"));
            self.add(format_args!("<p class=\"group\">{text}</p>\n"));
        }
        // The script fills in what filters the rows.
        self.html += "<p id=\"filters\"></p>\n";
        self.html += "<div class=\"scroll\" tabindex=\"0\"><table id=\"functions\"><thead><tr>";
        let charged = rows.iter().any(|row| {
            let HotCost { charged_text, cost, .. } = &row.cost;
            charged_text.is_some() && *charged_text != cost.fields.self_text
        });
        let change = rows.iter().any(|row| row.cost.cost.fields.change.is_some());
        let columns = Columns { charged, change };
        // Own code is first, so no column is sorted yet.
        let headings = charged.then_some("with libraries").into_iter().chain(["self", "total"]);
        for heading in headings.chain(change.then_some("change of total")) {
            self.add(format_args!(
                "<th scope=\"col\" class=\"number\" aria-sort=\"none\"><button type=\"button\">{heading}</button></th>"
            ));
        }
        for heading in ["function", "place"] {
            self.add(format_args!(
                "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">{heading}</button></th>"
            ));
        }
        self.html += "</tr></thead><tbody>\n";
        for (row, i) in rows.iter().zip(0..) {
            self.function(row, i, columns, sources);
        }
        self.html += "</tbody></table></div>\n";
        self.left_out(rows);
    }

    fn left_out(&mut self, rows: &[HotRow]) {
        let own: f64 = rows.iter().filter_map(|row| row.cost.cost.self_).map(|own| own.0).sum();
        let costs = &self.snapshot.costs;
        let all: f64 = costs.functions().map(|(_, cost)| cost.cost.self_).sum();
        let left = costs.functions().count().saturating_sub(rows.len());
        if left > 0 {
            let text = format!(
                "{} with self {} left out",
                units::counted(left as f64, "functions"),
                units::absolute(all - own, &costs.metric)
            );
            self.add(format_args!("<p id=\"left-out\">{}</p>\n", escape(&text)));
        }
    }

    fn function(&mut self, row: &HotRow, i: usize, columns: Columns, sources: &Sources) {
        let fields = &row.cost.cost.fields;
        let (class, CostFields { self_text, total_text, change, .. }) = (class(fields), fields);
        let (self_, total) = (row.cost.cost.self_, row.cost.cost.total);
        let (scale, spread) = (self.context.scale(&self.snapshot), row.cost.spread.as_ref());
        // Nothing is easier to see than `0.0% (0 s)`.
        let is_none = |weight: Option<Weight>| weight.is_some_and(|weight| weight.0 == 0.0);
        let text = |text: &Option<String>, weight: Option<Weight>, spread: Option<Weight>| {
            if is_none(weight) {
                return String::new();
            }
            let spread = scale.spread(spread.map(|deviation| deviation.0));
            escape(text.as_deref().unwrap_or("–")) + &escape(&spread)
        };
        let self_text = text(self_text, self_, spread.map(|spread| spread.self_));
        let total_text = text(total_text, total, spread.and_then(|spread| spread.total));
        let own = if row.own == Some(true) { " data-own=\"\"" } else { "" };
        self.add(format_args!("<tr id=\"f{i}\" class=\"{class}\"{own}>"));
        if columns.charged {
            let charged = row.cost.charged;
            let text = row.cost.charged_text.as_deref().filter(|_| !is_none(charged));
            self.cell(&number(charged), &escape(text.unwrap_or_default()));
        }
        self.cell(&number(self_), &self_text);
        self.cell(&number(total), &total_text);
        if columns.change {
            let change =
                change.as_ref().and_then(|change| change.total.as_ref().or(change.self_.as_ref()));
            let value = number(change.map(|change| change.change));
            let text =
                change.filter(|change| !change.may_be_noise).and_then(|change| change.text.clone());
            self.cell(&value, &escape(&text.unwrap_or_default()));
        }
        let place = row.place.as_ref().map(|at| place::text(&self.context, at));
        let (name, place) = (escape(&row.title), escape(&place.unwrap_or_default()));
        let parts = row.parts.as_ref();
        let short = parts.map_or_else(|| name.clone(), |parts| escape(&parts.short_name));
        let linked = match row.place.as_ref().and_then(|place| sources.anchor(place)) {
            Some(anchor) => format!("<a href=\"#{anchor}\">{short}</a>"),
            None => short,
        };
        let qualifier = parts
            .and_then(|parts| parts.qualifier.as_ref())
            .map(|qualifier| format!(" <span class=\"qualifier\">{}</span>", escape(qualifier)));
        self.add(format_args!(
            "<td data-value=\"{name}\">{linked}{}</td><td data-value=\"{place}\">{place}</td></tr>\n",
            qualifier.unwrap_or_default()
        ));
    }

    fn cell(&mut self, value: &str, text: &str) {
        self.add(format_args!("<td class=\"number\" data-value=\"{value}\">{text}</td>"));
    }
}
