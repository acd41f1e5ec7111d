//! `textDocument/codeAction`: one file per kind of action.

mod costs;
mod map_path;

use super::from_proto;
use answers::{Context, Position};
use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command,
    Url,
};

/// The actions of a kind at a position of a document, as commands.
type Actions = fn(&Context, &Url, Position) -> Vec<Command>;

/// All kinds of actions.
const ALL: [(&str, Actions); 2] = [
    (costs::KIND, costs::actions),
    (map_path::KIND, |context, uri, _| map_path::actions(context, uri)),
];

/// The kinds that the server announces.
pub fn kinds() -> Vec<CodeActionKind> {
    ALL.iter().map(|(kind, _)| CodeActionKind::from(*kind)).collect()
}

/// The actions for a document. Clients without support for `CodeAction` get commands.
pub fn actions(
    context: &Context,
    params: &CodeActionParams,
    supports_literals: bool,
) -> Vec<CodeActionOrCommand> {
    let wanted = ALL.iter().filter(|(kind, _)| is_wanted(kind, &params.context));
    wanted
        .flat_map(|(kind, actions)| {
            let at = from_proto::position(params.range.start);
            let commands = actions(context, &params.text_document.uri, at).into_iter();
            commands.map(move |command| {
                if supports_literals {
                    CodeActionOrCommand::CodeAction(CodeAction {
                        title: command.title.clone(),
                        kind: Some(CodeActionKind::from(*kind)),
                        command: Some(command),
                        ..CodeAction::default()
                    })
                } else {
                    CodeActionOrCommand::Command(command)
                }
            })
        })
        .collect()
}

/// Whether the client requests a kind: by itself, by a kind that contains it, or all kinds.
fn is_wanted(kind: &str, context: &CodeActionContext) -> bool {
    let is_in = |wanted: &CodeActionKind| match kind.strip_prefix(wanted.as_str()) {
        Some(rest) => wanted.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'),
        None => false,
    };
    context.only.as_ref().is_none_or(|only| only.iter().any(is_in))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_contains_those_that_begin_with_it() {
        let wanted = |only: &[&'static str]| {
            let only = Some(only.iter().map(|kind| CodeActionKind::from(*kind)).collect());
            is_wanted("source.costline.map", &CodeActionContext { only, ..Default::default() })
        };
        for kind in ["", "source", "source.costline", "source.costline.map"] {
            assert!(wanted(&["quickfix", kind]), "{kind}");
        }
        for kind in ["quickfix", "source.cost", "source.costline.map.x", "source.fixAll"] {
            assert!(!wanted(&[kind]), "{kind}");
        }
        assert!(!wanted(&[]));
        assert!(is_wanted("source.costline.map", &CodeActionContext::default()));
    }
}
