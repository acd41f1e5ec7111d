//! Statements of a text, and the tokens that formatters add and remove.
//!
//! A unit is a statement without its block, a part of a statement up to a brace, or a closing
//! brace. Where units end does not depend on line breaks, except in languages in which line breaks
//! end statements. So a formatted text has the same units, with few exceptions.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use super::lexer::{Kind, Token};
use super::syntax::Syntax;

/// A statement or a part of one.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Its tokens, as indexes.
    pub(super) tokens: Range<u32>,
    /// Stands for its strong tokens, or for all tokens if it has no strong ones.
    pub(super) key: u64,
    /// The number of letters and digits.
    pub(super) n_alnum: u32,
    /// Whether it starts a line, so that a text can be cut there.
    pub(super) starts_line: bool,
    /// The indentation of the line that it starts on.
    pub(super) indent: u32,
    /// The innermost bracket that is open where it starts, as an index into [`Units::brackets`].
    bracket: Option<u32>,
}

/// The tokens and units of a text.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_field_names, reason = "units are divided into units")]
pub(super) struct Units {
    pub(super) tokens: Vec<Token>,
    pub(super) units: Vec<Unit>,
    /// Per token whether it is weak: formatters add and remove it. Tokens of a unit without strong
    /// tokens are not weak.
    pub(super) weak: Vec<bool>,
    /// Opening brackets, each with the one around it, as an index into this list.
    brackets: Vec<(char, Option<u32>)>,
}

impl Units {
    /// Divides tokens that are within `brackets`, outermost first.
    pub(super) fn new(tokens: Vec<Token>, syntax: Syntax, brackets: &[char]) -> Self {
        let weak = weak(&tokens, syntax, brackets);
        let ends = ends(&tokens, syntax, brackets);
        let mut this =
            Self { tokens, units: Vec::with_capacity(ends.len()), weak, brackets: Vec::new() };
        let mut bracket = None;
        for &char in brackets {
            bracket = Some(this.opened(char, bracket));
        }
        let mut start = 0;
        for end in ends {
            this.add(start..end, bracket);
            for at in start..end {
                match this.tokens[at].kind {
                    Kind::Punctuation(char @ ('(' | '[' | '{')) => {
                        bracket = Some(this.opened(char, bracket));
                    }
                    Kind::Punctuation(')' | ']' | '}') => {
                        bracket = bracket.and_then(|bracket| this.brackets[bracket as usize].1);
                    }
                    _ => {}
                }
            }
            start = end;
        }
        this
    }

    fn opened(&mut self, char: char, around: Option<u32>) -> u32 {
        self.brackets.push((char, around));
        self.brackets.len() as u32 - 1
    }

    /// The line (0-based) that a unit starts on.
    pub(super) fn line_of(&self, unit: &Unit) -> usize {
        self.tokens[unit.tokens.start as usize].line0 as usize
    }

    /// For each line, the number of units that start on it or above.
    pub(super) fn by_line(&self, n_lines: usize) -> Vec<u32> {
        let mut by_line = vec![0; n_lines];
        for unit in &self.units {
            if let Some(n_units) = by_line.get_mut(self.line_of(unit)) {
                *n_units += 1;
            }
        }
        let mut sum = 0;
        for n_units in &mut by_line {
            sum += *n_units;
            *n_units = sum;
        }
        by_line
    }

    /// Whether a token follows another, apart from tokens that formatters add between them.
    pub(super) fn is_next(&self, token: usize, next: usize) -> bool {
        let is_added = |at: usize| self.weak[at] || self.tokens[at].is('}');
        token < next && (token + 1..next).all(is_added)
    }

    /// Adds the units of the text that follows.
    pub(super) fn append(&mut self, next: Self) {
        let n_tokens = self.tokens.len() as u32;
        let n_brackets = self.brackets.len() as u32;
        let around = |bracket: Option<u32>| bracket.map(|bracket| bracket + n_brackets);
        self.tokens.extend(next.tokens);
        self.weak.extend(next.weak);
        self.units.extend(next.units.into_iter().map(|unit| Unit {
            tokens: unit.tokens.start + n_tokens..unit.tokens.end + n_tokens,
            bracket: around(unit.bracket),
            ..unit
        }));
        self.brackets.extend(next.brackets.into_iter().map(|(char, outer)| (char, around(outer))));
    }

    /// Adds a unit that equals only the separator with the same number in another text.
    pub(super) fn add_separator(&mut self, line0: u32, number: usize) {
        let start = self.tokens.len() as u32;
        let (hash, kind) = (u64::MAX - number as u64, Kind::Punctuation('\0'));
        self.tokens.push(Token { hash, line0, n_alnum: 0, kind, starts_line: true, indent: 0 });
        self.weak.push(false);
        self.units.push(Unit {
            tokens: start..start + 1,
            key: hash,
            n_alnum: 0,
            starts_line: true,
            indent: 0,
            bracket: None,
        });
    }

    /// The brackets around a unit, outermost first.
    pub(super) fn brackets_around(&self, unit: usize) -> Vec<char> {
        let bracket = |at: Option<u32>| self.brackets.get(at? as usize).copied();
        let innermost = bracket(self.units.get(unit).and_then(|unit| unit.bracket));
        let mut brackets: Vec<char> =
            std::iter::successors(innermost, |&(_, around)| bracket(around))
                .map(|(char, _)| char)
                .collect();
        brackets.reverse();
        brackets
    }

    fn add(&mut self, range: Range<usize>, bracket: Option<u32>) {
        let (tokens, weak) = (&self.tokens[range.clone()], &mut self.weak[range.clone()]);
        if weak.iter().all(|&weak| weak) {
            weak.fill(false);
        }
        let mut key = FxHasher::default();
        let strong =
            || tokens.iter().zip(&*weak).filter(|(_, weak)| !**weak).map(|(token, _)| token);
        for token in strong() {
            key.write_u64(token.hash);
        }
        self.units.push(Unit {
            tokens: range.start as u32..range.end as u32,
            key: key.finish(),
            n_alnum: strong().map(|token| token.n_alnum).sum(),
            starts_line: tokens.first().is_some_and(|token| token.starts_line),
            indent: tokens.first().map_or(0, |token| token.indent),
            bracket,
        });
    }
}

/// The end of each unit.
fn ends(tokens: &[Token], syntax: Syntax, brackets: &[char]) -> Vec<usize> {
    let mut ends = Vec::new();
    // The depth of parentheses in each open brace, and in the innermost.
    let (mut outer, mut depth) = (Vec::new(), 0_u32);
    for &bracket in brackets {
        if bracket == '{' && syntax.has_blocks() {
            outer.push(std::mem::take(&mut depth));
        } else {
            depth += 1;
        }
    }
    // Where the current unit starts.
    let mut start = 0;
    // Whether the unit ends after the terminator that follows.
    let mut is_terminated = false;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let mut is_end = next.is_none() || std::mem::take(&mut is_terminated);
        is_end |= syntax == Syntax::Lines;
        match token.kind {
            Kind::Punctuation(')' | ']') => {
                depth = depth.saturating_sub(1);
                let is_header = depth == 0
                    && syntax.has_headers()
                    && token.is(')')
                    && tokens[start].kind == Kind::Control
                    && next.is_some_and(|next| !next.is('{'));
                is_end |= is_header && opening(&tokens[start..=at]) == Some(1);
            }
            Kind::Punctuation('{') if syntax.has_blocks() => {
                is_end = true;
                outer.push(depth);
                depth = 0;
            }
            Kind::Punctuation('}') if syntax.has_blocks() => {
                if start < at {
                    ends.push(at);
                    start = at;
                }
                is_end = true;
                depth = outer.pop().unwrap_or(0);
            }
            Kind::Punctuation('(' | '[' | '{') => depth += 1,
            Kind::Punctuation('}') => depth = depth.saturating_sub(1),
            Kind::Punctuation(';') => is_end |= depth == 0,
            Kind::Punctuation(',') => is_end |= depth == 0 && !outer.is_empty(),
            Kind::Punctuation('>') => {
                is_end |= depth == 0
                    && matches!(syntax, Syntax::Rust | Syntax::JavaScript)
                    && at > 0
                    && tokens[at - 1].is('=')
                    && next.is_some_and(|next| !next.is('{'));
            }
            Kind::Punctuation(':') if syntax == Syntax::Python => {
                is_end |= depth == 0
                    && matches!(tokens[start].kind, Kind::Control | Kind::Prefix)
                    && next.is_some_and(|next| !next.is('='));
            }
            Kind::Prefix => is_end |= depth == 0 && start == at && syntax.has_headers(),
            _ => {}
        }
        if let Some(next) = next {
            // Terminators and braces belong to the unit before them.
            let is_closed_by_next = next.is_any(";,")
                && !matches!(token.kind, Kind::Punctuation('{'))
                && (depth == 0 || is_end);
            is_terminated = is_end && is_closed_by_next;
            is_end &= !is_closed_by_next;
            let is_directive = syntax == Syntax::C && tokens[start].is('#');
            if next.starts_line && depth == 0 && !is_end {
                is_end =
                    is_directive || (syntax.ends_at_newline() && is_complete(token, next, syntax));
            }
        }
        if is_end && start <= at {
            ends.push(at + 1);
            start = at + 1;
        }
    }
    ends
}

/// The position of the parenthesis that the last token closes.
fn opening(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_u32;
    tokens.iter().rposition(|token| {
        match token.kind {
            Kind::Punctuation(')' | ']') => depth += 1,
            Kind::Punctuation('(' | '[') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// Whether a statement can end between two tokens with a line break between them.
fn is_complete(token: &Token, next: &Token, syntax: Syntax) -> bool {
    if matches!(syntax, Syntax::Python | Syntax::Mercury | Syntax::Unknown) {
        return true;
    }
    let can_end = match token.kind {
        Kind::Word | Kind::String | Kind::Prefix => true,
        Kind::Operator | Kind::Control => false,
        Kind::Punctuation(char) => !".?:=,&|*/%<^(+-[!~".contains(char) || char == '>',
    };
    let continues = match next.kind {
        Kind::Punctuation(char) => {
            !syntax.has_headers() && ".)]},;".contains(char)
                || syntax == Syntax::JavaScript && ".?:=,&|*/%<>^)]};+-".contains(char)
        }
        _ => false,
    };
    can_end && !continues
}

/// Marks the tokens that formatters add and remove: separators at the end, and parentheses around
/// a whole expression.
fn weak(tokens: &[Token], syntax: Syntax, brackets: &[char]) -> Vec<bool> {
    let mut weak = vec![false; tokens.len()];
    // The brackets around a token, each with its position, innermost last.
    let mut open: Vec<(char, Option<usize>)> = brackets.iter().map(|&char| (char, None)).collect();
    for at in 0..tokens.len() {
        let token = &tokens[at];
        match token.kind {
            Kind::Punctuation(';') => weak[at] = true,
            Kind::Punctuation(',') => {
                let is_last = tokens.get(at + 1).is_none_or(|next| next.is_any(")]}"));
                let in_braces =
                    syntax.has_blocks() && open.last().is_some_and(|&(char, _)| char == '{');
                weak[at] = is_last || in_braces;
            }
            Kind::Punctuation('{') => {
                weak[at] = syntax.has_blocks() && starts_block(tokens, at, syntax);
                open.push(('{', Some(at)));
            }
            Kind::Punctuation(char @ ('(' | '[')) => open.push((char, Some(at))),
            Kind::Punctuation(')' | ']' | '}') => {
                let Some((_, Some(start))) = open.pop() else { continue };
                if token.is(')') && tokens[start].is('(') && is_redundant(tokens, start, at, syntax)
                {
                    (weak[start], weak[at]) = (true, true);
                }
            }
            _ => {}
        }
    }
    weak
}

/// Whether the brace starts a block and not a value.
fn starts_block(tokens: &[Token], at: usize, syntax: Syntax) -> bool {
    // The fields of a value are named by the word before the brace; a closure may have no braces.
    if syntax == Syntax::Rust {
        return true;
    }
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else { return true };
    match before.kind {
        Kind::Operator => false,
        Kind::Punctuation('>') => true,
        Kind::Punctuation(char) => !"=([,:?&|+-*/!<".contains(char),
        _ => true,
    }
}

/// Whether parentheses change nothing: they are around a whole operand.
fn is_redundant(tokens: &[Token], start: usize, end: usize, syntax: Syntax) -> bool {
    let inner = &tokens[start + 1..end];
    let (Some(first), Some(last)) = (inner.first(), inner.last()) else { return false };
    let before = start.checked_sub(1).map(|before| &tokens[before]);
    let next = tokens.get(end + 1);
    let is_arrow = |at: usize| {
        tokens.get(at).is_some_and(|token| token.is('='))
            && tokens.get(at + 1).is_some_and(|token| token.is('>'))
    };
    if syntax == Syntax::JavaScript && inner.len() == 1 && is_arrow(end + 1) {
        return true;
    }
    // JSX
    if syntax == Syntax::JavaScript
        && first.is('<')
        && last.is('>')
        && before.is_some_and(|before| before.is_any("&|?:"))
    {
        return true;
    }
    if syntax == Syntax::JavaScript && binds_tighter(tokens, start, end) {
        return true;
    }
    // `for (a, b) in c` of Python: black breaks lines there.
    let is_target =
        || inner.iter().all(|token| token.kind == Kind::Word || token.is_any(",.*[]()"));
    let is_loop = syntax == Syntax::Python
        && before.is_some_and(|before| before.kind == Kind::Control)
        && next.is_some_and(|next| next.kind == Kind::Operator);
    if is_loop && is_target() {
        return true;
    }
    let has_comma = || {
        let mut depth = 0_i32;
        inner.iter().any(|token| {
            match token.kind {
                Kind::Punctuation('(' | '[' | '{') => depth += 1,
                Kind::Punctuation(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            depth == 0 && token.is(',')
        })
    };
    // Only Python has tuples without parentheses.
    let can_start = match before.map(|before| before.kind) {
        None => true,
        // A header without braces.
        Some(Kind::Control) if syntax.has_headers() => false,
        Some(Kind::Operator | Kind::Control | Kind::Punctuation('=' | ';')) => {
            syntax == Syntax::Python || !has_comma()
        }
        Some(Kind::Punctuation('>')) => {
            start >= 2 && tokens[start - 2].is_any("=-") && !has_comma()
        }
        Some(Kind::Punctuation('(' | '[' | ',' | '{' | ':')) => !has_comma(),
        Some(_) => false,
    };
    let can_end = next.is_none_or(|next| match next.kind {
        Kind::Punctuation(char) => ",)]};:{".contains(char) || (next.starts_line && char == '}'),
        _ => next.starts_line && syntax.ends_at_newline(),
    });
    can_start && can_end
}

/// Whether parentheses around an operand of a binary operator change nothing, because the operators
/// in them bind tighter than those around them. Prettier adds them to `a % b * c` and
/// `a && b || c`.
fn binds_tighter(tokens: &[Token], start: usize, end: usize) -> bool {
    let ends_operand = |token: &Token| match token.kind {
        Kind::Word | Kind::String => true,
        Kind::Punctuation(char) => ")]}".contains(char),
        _ => false,
    };
    let operator_at = |at: usize| {
        let two = [tokens.get(at), tokens.get(at + 1)];
        let [first, second] = two.map(|token| match token?.kind {
            Kind::Punctuation(char) => Some(char),
            _ => None,
        });
        precedence(first?, second)
    };
    // The operators around the parentheses; at least one is binary.
    let before = match start.checked_sub(1).map(|before| &tokens[before]) {
        Some(token) if ends_operand(token) => return false,
        Some(Token { kind: Kind::Punctuation(char), .. }) => {
            let is_double = start >= 2 && tokens[start - 2].is(*char);
            let operator = start - 1 - usize::from(is_double);
            let is_binary = operator > 0 && ends_operand(&tokens[operator - 1]);
            if is_binary { operator_at(operator) } else { None }
        }
        _ => None,
    };
    let after = operator_at(end + 1);
    if before.is_none() && after.is_none() {
        return false;
    }
    let (mut weakest, mut depth, mut at) = (u32::MAX, 0_u32, start + 1);
    while at < end {
        let token = &tokens[at];
        match token.kind {
            Kind::Punctuation('(' | '[' | '{') => depth += 1,
            Kind::Punctuation(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Kind::Punctuation(char) if depth == 0 && at > start + 1 => {
                if char == '.' {
                } else if ends_operand(&tokens[at - 1]) {
                    let Some(precedence) = operator_at(at) else { return false };
                    weakest = weakest.min(precedence);
                    at += usize::from(tokens[at + 1].is(char));
                }
            }
            Kind::Operator | Kind::Control | Kind::Prefix if depth == 0 => return false,
            _ => {}
        }
        at += 1;
    }
    weakest != u32::MAX
        && before.is_none_or(|before| weakest > before)
        && after.is_none_or(|after| weakest >= after)
}

/// How tightly a binary operator binds, by its first two characters. `None` for assignments and
/// what is no binary operator.
fn precedence(first: char, second: Option<char>) -> Option<u32> {
    Some(match (first, second) {
        ('=' | '!', Some('=')) => 6,
        ('<' | '>', Some('=')) => 7,
        (_, Some('=')) | ('*', Some('*')) => return None,
        ('*' | '/' | '%', _) => 10,
        ('+' | '-', _) => 9,
        ('<', Some('<')) | ('>', Some('>')) => 8,
        ('<' | '>', _) => 7,
        ('&', Some('&')) => 2,
        ('|', Some('|')) => 1,
        ('&', _) => 5,
        ('^', _) => 4,
        ('|', _) => 3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    /// Units, with `¦` between them.
    const UNITS: &[(Syntax, &str)] = &[
        (Syntax::C, "a = f(1, 2);¦ g();¦ return x"),
        (Syntax::C, "if (a(b)[c])¦ d = 1;¦ else¦ e();"),
        (Syntax::C, "if (a) {¦ b();¦ }¦ else¦ {¦ c();¦ }"),
        (Syntax::C, "for (i = 0; i < n; i++)¦ x[i] = 0;"),
        (Syntax::C, "do¦ a();¦ while (b);"),
        (Syntax::C, "int a[] = {¦ 1,¦ 2 ¦};¦ int b;"),
        (Syntax::C, "#define A 1\n¦int b = A;"),
        (Syntax::C, "int f(int a,\n int b) {¦\n return a;¦ }"),
        (Syntax::Rust, "let a = match b {¦ C =>¦ d(),¦ E => {¦ f();¦ }¦ };"),
        (Syntax::Rust, "f(|a| {¦ b;¦ },¦ 1);¦ c();"),
        (Syntax::JavaScript, "const f = (a) =>¦ a + 1;¦ g();"),
        (Syntax::JavaScript, "const f = (a) => {¦ return a;¦ };"),
        (Syntax::JavaScript, "a = 1\n¦b = 2\n¦c = d +\n e"),
        (Syntax::Go, "a := 1\n¦b := f(a,\n c)\n¦if a > b {¦\n d()\n¦}"),
        (Syntax::Python, "if a:¦ b = 1\n¦c = {1: 2,\n 3: 4}\n¦d = e[1:2]"),
        (Syntax::Python, "else:¦\n a()\n¦lambda x: y"),
        (Syntax::Python, "for a in b:¦\n c(d=1)\n¦while (e := f):¦ g()"),
        (Syntax::Ruby, "a = 1\n¦b(\n 1,\n 2)\n¦c; ¦d"),
        (Syntax::Lines, "a; b\n¦c {\n¦}"),
    ];

    #[test]
    fn statements_headers_and_parts_up_to_braces_are_units() {
        for &(syntax, marked) in UNITS {
            let tokens = lex(&marked.replace('¦', ""), syntax, 0);
            let n_tokens = |text: &str| lex(text, syntax, 0).len();
            let parts: Vec<_> = marked.split('¦').map(n_tokens).collect();
            let units = Units::new(tokens, syntax, &[]).units;
            let found: Vec<_> = units.iter().map(|unit| unit.tokens.len()).collect();
            assert_eq!(found, parts, "{marked}");
        }
    }

    #[test]
    fn a_token_follows_another_apart_from_what_formatters_add() {
        // f ( a , ) ; }
        let of = |text: &str| Units::new(lex(text, Syntax::Rust, 0), Syntax::Rust, &['{']);
        let this = of("f(a,); } g");
        assert!(this.is_next(2, 4), "the comma before a closing bracket");
        assert!(!this.is_next(1, 4), "a name");
        assert!(this.is_next(5, 7) && this.is_next(0, 1));
        assert!(!this.is_next(1, 1) && !this.is_next(2, 1));
    }

    #[test]
    fn what_formatters_add_and_remove_does_not_count() {
        let is_one = |a: &str, b: &str, syntax: Syntax| {
            let keys = |text: &str| -> Vec<u64> {
                let units = Units::new(lex(text, syntax, 0), syntax, &[]).units;
                units.into_iter().map(|unit| unit.key).collect()
            };
            keys(a) == keys(b)
        };
        assert!(is_one("f(a, b);", "f(\n  a,\n  b,\n);", Syntax::Rust));
        assert!(is_one("f('a');", "f(\"a\")", Syntax::JavaScript));
        assert!(is_one("x = {1: 2}\n", "x = {\n    1: 2,\n}\n", Syntax::Python));
        assert!(is_one("for a, b in c:", "for (\n    a,\n    b,\n) in c:", Syntax::Python));
        assert!(is_one("[a for b in c]", "[\n  a\n  for (\n    b\n  ) in c\n]", Syntax::Python));
        assert!(!is_one("if (a == b) in c:", "if a == b in c:", Syntax::Python));
        let is_one_term = |a: &str, b: &str| is_one(a, b, Syntax::JavaScript);
        assert!(is_one_term("x = a + b * c", "x = a + (b * c)"));
        assert!(is_one_term("x = a - b - c", "x = (a - b) - c"));
        assert!(!is_one_term("x = a - b - c", "x = a - (b - c)"));
        assert!(!is_one_term("x = a * b + c", "x = a * (b + c)"));
        assert!(!is_one("f(a, b);", "f(a, c);", Syntax::Rust));
        assert!(!is_one("f(a - b);", "f(a + b);", Syntax::C));
        assert!(!is_one("a[1]", "a[2]", Syntax::Python));
    }

    #[test]
    fn units_know_the_bracket_that_they_start_in_and_their_indentation() {
        let text = "fn f() {\n    a(|| {\n        b();\n    });\n}\n";
        let this = Units::new(lex(text, Syntax::Rust, 0), Syntax::Rust, &[]);
        let unit = |unit: &Unit| (unit.indent, unit.starts_line, unit.bracket.is_some());
        let found: Vec<_> = this.units.iter().map(unit).collect();
        assert_eq!(
            found,
            [
                (0, true, false),
                (4, true, true),
                (8, true, true),
                (4, true, true),
                (4, false, true),
                (0, true, true)
            ]
        );
        let around: Vec<_> = this.brackets.iter().map(|&(char, around)| (char, around)).collect();
        assert_eq!(
            around,
            [('(', None), ('{', None), ('(', Some(1)), ('{', Some(2)), ('(', Some(3))]
        );
    }
}
