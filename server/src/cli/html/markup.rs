//! Numbers, text and classes of the page's elements.

use answers::{CostFields, Weight};

/// A raw weight, as in `report --json`. Empty if it is unknown.
pub(super) fn number(weight: Option<Weight>) -> String {
    weight.and_then(|weight| serde_json::to_string(&weight).ok()).unwrap_or_default()
}

/// Escapes text for elements and quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// The class of a row: its heat, or with a baseline the direction and tier of the change.
pub(super) fn class(fields: &CostFields) -> String {
    match fields.change_tier {
        None => format!("tier{}", fields.tier),
        Some(Some(tier)) if tier > 0 => format!("slower{tier}"),
        Some(Some(tier)) if tier < 0 => format!("faster{}", -tier),
        Some(_) => String::new(),
    }
}
