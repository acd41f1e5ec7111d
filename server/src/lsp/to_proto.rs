//! Converts values of the engine to values of the protocol.

use answers::{Item, Position, Range, Severity};
use lsp_types::{CallHierarchyItem, DiagnosticSeverity, MessageType, SymbolKind};

/// A position.
pub fn position(position: Position) -> lsp_types::Position {
    lsp_types::Position::new(position.line0, position.column0)
}

/// A range.
pub fn range(range: Range) -> lsp_types::Range {
    lsp_types::Range::new(position(range.start), position(range.end))
}

/// An item of the call hierarchy.
pub fn item(item: Item) -> CallHierarchyItem {
    CallHierarchyItem {
        name: item.name,
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(item.detail),
        uri: item.uri,
        range: range(item.range),
        selection_range: range(item.selection_range),
        data: serde_json::to_value(item.data).ok(),
    }
}

/// The severity of a message.
pub fn message_type(severity: Severity) -> MessageType {
    match severity {
        Severity::Error => MessageType::ERROR,
        Severity::Warning => MessageType::WARNING,
        Severity::Info => MessageType::INFO,
    }
}

/// The severity of a diagnostic.
pub fn diagnostic_severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
    }
}
