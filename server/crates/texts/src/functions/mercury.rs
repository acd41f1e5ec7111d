//! The predicates and functions of a Mercury text, found among its tokens. Clauses whose head is an
//! operator (`X + Y = Z`) are not found.

use std::ops::RangeInclusive;

use crate::mercury::{Kind, Token, Tokens, is_mercury};

use super::{Arity, Call, Definition, FunctionKind};

/// The definitions of a text, outer before inner. `None` if it is not Mercury.
///
/// Consecutive clauses of one predicate or function are one definition, from the head of the first
/// clause to the end of the last one. Declarations may be between them. Lambda expressions are
/// closures without a name.
pub(super) fn definitions(text: &str) -> Option<Vec<Definition>> {
    if !is_mercury(text) {
        return None;
    }
    let tokens: Vec<Token> = Tokens::new(text).collect();
    let mut found: Vec<Definition> = Vec::new();
    // The definition that the next clause may belong to.
    let mut last: Option<usize> = None;
    for item in items(text, &tokens) {
        let is = |at: usize, expected| item.get(at).is_some_and(|token| is(text, token, expected));
        if is(0, ":-") {
            if is(1, "module") || is(1, "end_module") {
                last = None;
            }
            continue;
        }
        let Some(head) = Head::of(text, item) else {
            last = None;
            continue;
        };
        let (Some(first), Some(end)) = (item.first(), item.last()) else { continue };
        let same = last.and_then(|at| Some((at, found.get_mut(at)?))).filter(|(_, definition)| {
            (definition.name.as_str(), definition.arity) == (head.name, Some(head.arity))
        });
        let at = if let Some((at, definition)) = same {
            definition.lines = *definition.lines.start()..=end.end_line0;
            definition.bytes.end = end.bytes.end;
            at
        } else {
            found.push(Definition {
                name: head.name.to_owned(),
                arity: Some(head.arity),
                n_parameters: None,
                container: None,
                scopes: Vec::new(),
                implements: None,
                kind: FunctionKind::Function,
                lines: first.line0..=end.end_line0,
                bytes: first.bytes.start..end.bytes.end,
                body_start: end.bytes.end,
                name_line0: head.name_token.line0,
                name_bytes: head.name_bytes(),
                parent: None,
            });
            found.len() - 1
        };
        last = Some(at);
        add_lambdas(text, &item[head.n_tokens..], at, &mut found);
    }
    Some(found)
}

/// The line of the first token of the clause or declaration around a line.
pub(super) fn clause_at(text: &str, line0: u32) -> Option<u32> {
    let tokens: Vec<Token> = Tokens::new(text).collect();
    let mut items = items(text, &tokens);
    let (first, _) = items.find_map(|item| {
        Some((item.first()?, item.last()?)).filter(|(_, end)| end.end_line0 >= line0)
    })?;
    (first.line0 <= line0).then_some(first.line0)
}

/// The calls whose names overlap `bytes` or touch its ends: names with arguments in the bodies of
/// clauses. A term looks like a call.
pub(super) fn calls(text: &str, bytes: &RangeInclusive<usize>) -> Vec<Call> {
    let tokens: Vec<Token> = Tokens::new(text).collect();
    let mut found = Vec::new();
    for item in items(text, &tokens) {
        if item.first().is_some_and(|token| is(text, token, ":-")) {
            continue;
        }
        let Some(head) = Head::of(text, item) else { continue };
        for two in item[head.n_tokens..].windows(2) {
            let [name, open] = two else { continue };
            let is_called = name.kind == Kind::Name
                && open.kind == Kind::Open
                && open.bytes.start == name.bytes.end
                && text.get(open.bytes.clone()) == Some("(");
            let touches = name.bytes.start <= *bytes.end() && *bytes.start() <= name.bytes.end;
            if is_called && touches {
                let bytes = without_quotes(text, name);
                let name_text = text.get(bytes.clone()).unwrap_or_default();
                found.push(Call {
                    name: name_text.to_owned(),
                    bytes,
                    line0: name.line0,
                    n_arguments: None,
                });
            }
        }
    }
    found
}

/// Divides tokens into clauses and declarations. A declaration in the first column starts a new one
/// even if the clause before it has no end.
fn items<'a>(text: &'a str, tokens: &'a [Token]) -> impl Iterator<Item = &'a [Token]> {
    let mut rest = tokens;
    std::iter::from_fn(move || {
        let starts_item = |token: &Token| token.is_first_in_line && is(text, token, ":-");
        let end = rest
            .iter()
            .enumerate()
            .find_map(|(at, token)| match token.kind {
                Kind::End => Some(at + 1),
                _ if at > 0 && starts_item(token) => Some(at),
                _ => None,
            })
            .unwrap_or(rest.len());
        let (item, after) = rest.split_at(end);
        rest = after;
        (!item.is_empty()).then_some(item)
    })
}

/// The head of a clause.
struct Head<'a> {
    name: &'a str,
    name_token: &'a Token,
    arity: Arity,
    /// The number of tokens up to the `:-`, `-->` or `=` after the head.
    n_tokens: usize,
    text: &'a str,
}

impl<'a> Head<'a> {
    fn of(text: &'a str, item: &'a [Token]) -> Option<Self> {
        // `module.name` is the same as `name`.
        let mut at = 0;
        while item
            .get(at + 1)
            .is_some_and(|token| token.kind == Kind::Symbol && is(text, token, "."))
        {
            at += 2;
        }
        let name_token = item.get(at).filter(|token| token.kind == Kind::Name)?;
        let mut n_tokens = at + 1;
        let mut n_arguments = 0;
        if let Some(open) = item.get(n_tokens)
            && open.kind == Kind::Open
            && open.bytes.start == name_token.bytes.end
        {
            let (n, length) = arguments(text, &item[n_tokens..])?;
            n_arguments = n;
            n_tokens += length;
        }
        let neck = item.get(n_tokens)?;
        let has_result = is(text, neck, "=");
        let is_grammar = is(text, neck, "-->");
        if !(has_result || is_grammar || neck.kind == Kind::End || is(text, neck, ":-")) {
            return None;
        }
        // The two lists of a grammar rule are arguments.
        let n_arguments = n_arguments + if is_grammar { 2 } else { 0 };
        let name = text.get(without_quotes(text, name_token))?;
        let arity = Arity { n_arguments, has_result };
        Some(Self { name, name_token, arity, n_tokens, text })
    }

    fn name_bytes(&self) -> std::ops::Range<usize> {
        without_quotes(self.text, self.name_token)
    }
}

/// The number of arguments in the parentheses that the tokens start with, and how many tokens these
/// are. A state variable `!X` stands for two arguments. `None` if there is no closing parenthesis.
fn arguments(text: &str, tokens: &[Token]) -> Option<(u32, usize)> {
    let (mut n, mut depth) = (1, 0_u32);
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => {
                depth -= 1;
                if depth == 0 {
                    return Some((n, at + 1));
                }
            }
            Kind::Comma if depth == 1 => n += 1,
            Kind::Symbol if depth == 1 && is(text, token, "!") => {
                let starts = at.checked_sub(1).and_then(|before| tokens.get(before));
                let starts =
                    starts.is_some_and(|before| matches!(before.kind, Kind::Open | Kind::Comma));
                let next = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Variable);
                n += u32::from(starts && next);
            }
            _ => {}
        }
    }
    None
}

/// A lambda expression.
struct Lambda {
    /// Its first token.
    start: usize,
    /// The next token.
    end: usize,
    /// How many brackets of the clause are around it.
    depth: u32,
    /// Whether it has `:-` or `-->`. It then ends at the bracket that closes around it, otherwise at
    /// the end of the argument.
    is_clause: bool,
    /// Whether it is an expression. Otherwise it is a type.
    has_body: bool,
}

/// Adds the lambda expressions in the body of the clause of definition `outer`:
/// `(pred(X::in) is semidet :- …)`, `func(X) = …`.
fn add_lambdas(text: &str, body: &[Token], outer: usize, found: &mut Vec<Definition>) {
    // The lambda expressions around those that are added.
    let mut around: Vec<(usize, usize)> = Vec::new();
    for lambda in lambdas(text, body) {
        while around.pop_if(|(_, end)| *end <= lambda.start).is_some() {}
        let last = lambda.end.checked_sub(1).and_then(|last| body.get(last));
        let (Some(first), Some(last)) = (body.get(lambda.start), last) else { continue };
        found.push(Definition {
            name: String::new(),
            arity: None,
            n_parameters: None,
            container: None,
            scopes: Vec::new(),
            implements: None,
            kind: FunctionKind::Closure,
            lines: first.line0..=last.end_line0,
            bytes: first.bytes.start..last.bytes.end,
            body_start: last.bytes.end,
            name_line0: first.line0,
            name_bytes: first.bytes.start..first.bytes.start,
            parent: Some(around.last().map_or(outer, |(parent, _)| *parent)),
        });
        around.push((found.len() - 1, lambda.end));
    }
}

/// The lambda expressions among tokens, outer before inner.
fn lambdas(text: &str, tokens: &[Token]) -> Vec<Lambda> {
    let mut found = Vec::new();
    // Those without an end, innermost last.
    let mut open: Vec<Lambda> = Vec::new();
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate() {
        let closes = |lambda: &Lambda, at_depth: u32| match token.kind {
            Kind::End => true,
            Kind::Close => lambda.depth >= at_depth,
            Kind::Comma => lambda.depth == at_depth && !lambda.is_clause,
            _ => lambda.depth == at_depth && !lambda.is_clause && is(text, token, ";"),
        };
        while let Some(mut ended) = open.pop_if(|lambda| closes(lambda, depth)) {
            ended.end = at;
            found.push(ended);
        }
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(innermost) = open.last_mut().filter(|lambda| lambda.depth == depth) {
            innermost.is_clause |= is(text, token, ":-") || is(text, token, "-->");
            innermost.has_body |= innermost.is_clause || is(text, token, "=");
        }
        let keywords = ["pred", "func", "any_pred", "any_func"];
        let has_arguments = tokens
            .get(at + 1)
            .is_some_and(|open| is(text, open, "(") && open.bytes.start == token.bytes.end);
        // A type follows a colon.
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_type = before.is_some_and(|before| is(text, before, ":") || is(text, before, "::"));
        if has_arguments && !is_type && keywords.iter().any(|keyword| is(text, token, keyword)) {
            let end = tokens.len();
            open.push(Lambda { start: at, end, depth, is_clause: false, has_body: false });
        }
    }
    found.append(&mut open);
    found.retain(|lambda| lambda.has_body);
    found.sort_by_key(|lambda| lambda.start);
    found
}

fn is(text: &str, token: &Token, expected: &str) -> bool {
    text.get(token.bytes.clone()) == Some(expected)
}

/// The bytes of a name, without the quotes around it.
fn without_quotes(text: &str, token: &Token) -> std::ops::Range<usize> {
    let bytes = token.bytes.clone();
    let is_quoted = text
        .get(bytes.clone())
        .is_some_and(|name| name.len() > 2 && name.starts_with('\'') && name.ends_with('\''));
    if is_quoted { bytes.start + 1..bytes.end - 1 } else { bytes }
}
