//! The capabilities of the client and of the server.

use crate::lsp::loader::ClientAbilities;
use crate::lsp::refresh::Refreshes;
use answers::{Catalog, Encoding, Markup, catalog};
use lsp_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, ExecuteCommandOptions, HoverProviderCapability, InitializeParams,
    InlayHintOptions, InlayHintServerCapabilities, MarkupKind, OneOf, PositionEncodingKind,
    SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde::Serialize;
use serde_json::Value;

/// The capabilities of the client that the server uses.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability of its own")]
pub struct Client {
    /// The unit of columns.
    pub encoding: Encoding,
    /// Whether it supports `workspace/configuration`.
    pub configuration: bool,
    /// Whether it supports dynamic registration of `workspace/didChangeWatchedFiles`.
    pub watched_files: bool,
    /// Whether it supports dynamic registration of `workspace/didChangeConfiguration`.
    pub watched_settings: bool,
    /// Whether it supports `window/showDocument`.
    pub show_document: bool,
    /// Whether it accepts code actions with a kind, and not only commands.
    pub code_action_literals: bool,
    /// How it shows hovers.
    pub markup: Markup,
    /// Whether it wants `costline/changed` notifications.
    pub changed: bool,
    /// Whether it has the command of lenses that record a profile.
    pub record: bool,
    /// Which refresh requests it supports.
    pub refreshes: Refreshes,
    /// How it can show loads and their problems.
    pub abilities: ClientAbilities,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub fn new(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let workspace = capabilities.workspace.as_ref();
        let text_document = capabilities.text_document.as_ref();
        let window = capabilities.window.as_ref();
        let offers =
            capabilities.general.as_ref().and_then(|general| general.position_encodings.as_deref());
        let announces = |feature: &str| {
            let features = capabilities.experimental.as_ref().and_then(|it| it.get("costline"));
            features.and_then(|it| it.get(feature)) == Some(&Value::Bool(true))
        };
        Self {
            encoding: negotiate(offers),
            configuration: workspace.and_then(|it| it.configuration).unwrap_or(false),
            watched_files: workspace
                .and_then(|it| it.did_change_watched_files?.dynamic_registration)
                .unwrap_or(false),
            watched_settings: workspace
                .and_then(|it| it.did_change_configuration?.dynamic_registration)
                .unwrap_or(false),
            show_document: window
                .and_then(|it| it.show_document.as_ref())
                .is_some_and(|it| it.support),
            code_action_literals: text_document
                .and_then(|it| it.code_action.as_ref()?.code_action_literal_support.as_ref())
                .is_some(),
            markup: markup(params, announces("links")),
            changed: announces("changed"),
            record: announces("record"),
            refreshes: Refreshes {
                hints: workspace
                    .and_then(|it| it.inlay_hint.as_ref()?.refresh_support)
                    .unwrap_or(false),
                lenses: workspace
                    .and_then(|it| it.code_lens.as_ref()?.refresh_support)
                    .unwrap_or(false),
            },
            abilities: ClientAbilities {
                progress: window.and_then(|it| it.work_done_progress).unwrap_or(false),
                diagnostics: text_document.is_some_and(|it| it.publish_diagnostics.is_some()),
            },
        }
    }
}

/// `capabilities.experimental` of the server.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Experimental {
    /// Lists for clients.
    pub costline: Catalog,
}

/// The capabilities of the server. They are the same for every client, because several clients use
/// capabilities that they do not announce, and static, because some do not support dynamic
/// registration.
pub fn server(
    encoding: Encoding,
    commands: Vec<String>,
    code_actions: Vec<CodeActionKind>,
) -> ServerCapabilities {
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    let save = TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) });
    ServerCapabilities {
        position_encoding: Some(kind(encoding)),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(save),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(code_actions),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: Some(OneOf::Right(InlayHintServerCapabilities::Options(
            InlayHintOptions { resolve_provider: Some(true), ..InlayHintOptions::default() },
        ))),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands,
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            file_operations: None,
        }),
        experimental: serde_json::to_value(Experimental { costline: catalog() }).ok(),
        ..ServerCapabilities::default()
    }
}

/// Clients that announce Markdown and show escapes as they are written: Neovim, and Emacs with
/// Eglot or lsp-mode.
const LITERAL_MARKDOWN: [&str; 3] = ["Neovim", "Eglot", "emacs"];

/// How a client shows hovers.
fn markup(params: &InitializeParams, links: bool) -> Markup {
    let hover = params.capabilities.text_document.as_ref().and_then(|it| it.hover.as_ref());
    let formats = hover.and_then(|it| it.content_format.as_ref());
    let client = params.client_info.as_ref().map(|client| client.name.as_str());
    let is_literal = client.is_some_and(|name| LITERAL_MARKDOWN.contains(&name));
    match formats.filter(|_| !is_literal) {
        Some(formats) if formats.contains(&MarkupKind::Markdown) => Markup::Markdown { links },
        _ => Markup::Plain,
    }
}

/// The first encoding in the client's order of preference that the server supports. UTF-16 is the
/// default of the protocol.
fn negotiate(offers: Option<&[PositionEncodingKind]>) -> Encoding {
    let encoding = |kind: &PositionEncodingKind| match kind.as_str() {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    };
    offers.unwrap_or_default().iter().find_map(encoding).unwrap_or_default()
}

/// The name of an encoding in the protocol.
fn kind(encoding: Encoding) -> PositionEncodingKind {
    match encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::Utf32 => PositionEncodingKind::UTF32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_negotiated_by_the_clients_preference() {
        let kinds = |names: &[&str]| {
            names
                .iter()
                .map(|name| PositionEncodingKind::from((*name).to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(negotiate(None), Encoding::Utf16);
        assert_eq!(negotiate(Some(&kinds(&["utf-7"]))), Encoding::Utf16);
        assert_eq!(negotiate(Some(&kinds(&["utf-32", "utf-8"]))), Encoding::Utf32);
    }
}
