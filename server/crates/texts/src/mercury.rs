//! The tokens of Mercury, as in "Syntax" of its reference manual. The lexer never fails: a string or
//! comment without an end does not go beyond its line, because it is being typed.

use std::ops::Range;

/// A token that is not white space or a comment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Bytes of the text, including quotes.
    pub(crate) bytes: Range<usize>,
    /// The 0-based lines that the token starts and ends on. They differ for strings only.
    pub(crate) line0: u32,
    pub(crate) end_line0: u32,
    /// Whether it starts in the first column.
    pub(crate) is_first_in_line: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name that starts with a lower-case letter, or one in single quotes.
    Name,
    Variable,
    /// A number or `0'c`.
    Number,
    String,
    /// Characters such as `:-` and `=`.
    Symbol,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    Comma,
    /// The `.` that ends a clause or declaration.
    End,
    /// Any other character, such as `|`.
    Other,
}

/// Whether a text is Mercury: its first declaration that is not a pragma is `:- module`. Files of
/// Objective-C and MATLAB have the extension `.m`, too.
pub(crate) fn is_mercury(text: &str) -> bool {
    let mut tokens = Tokens::new(text);
    loop {
        let [first, second] = [tokens.next(), tokens.next()];
        let is = |token: &Option<Token>, expected: &str| {
            token.as_ref().is_some_and(|token| text.get(token.bytes.clone()) == Some(expected))
        };
        if !is(&first, ":-") {
            return false;
        }
        if is(&second, "module") {
            return true;
        }
        if !is(&second, "pragma") || !tokens.any(|token| token.kind == Kind::End) {
            return false;
        }
    }
}

/// The end of the string or quoted name that starts at a byte. A doubled quote and an escaped one
/// are part of it. `None` if there is none.
pub(crate) fn end_of_quoted(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = *bytes.get(start)?;
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return Some(at + 1),
            b'\n' if quote == b'\'' => return None,
            _ => at += 1,
        }
    }
}

/// The length of the character literal that a text starts with: `0'c`, `0'''` or `0'\n`.
pub(crate) fn char_literal(text: &str) -> Option<usize> {
    let mut chars = text.strip_prefix("0'")?.chars();
    let first = chars.next().filter(|&first| first != '\n')?;
    let second = match (first, chars.next()) {
        ('\'', Some('\'')) => 1,
        ('\\', Some(escaped @ ('\\' | '\'' | '"' | 'a'..='z'))) => escaped.len_utf8(),
        _ => 0,
    };
    Some(2 + first.len_utf8() + second)
}

/// The tokens of a text, in its order.
pub(crate) struct Tokens<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line0: u32,
    /// Where the current line starts.
    line_start: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, line0: 0, line_start: 0 }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Goes to a byte, counting the lines before it.
    fn skip_to(&mut self, end: usize) {
        for at in self.at..end.min(self.bytes.len()) {
            if self.bytes[at] == b'\n' {
                self.line0 += 1;
                self.line_start = at + 1;
            }
        }
        self.at = end;
    }

    fn end_of_line(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.iter().position(|&byte| byte == b'\n').map_or(self.bytes.len(), |end| from + end)
    }

    fn skip_blanks_and_comments(&mut self) {
        while self.at < self.bytes.len() {
            let end = match self.byte(self.at) {
                b'%' => self.end_of_line(self.at),
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let inside = self.bytes.get(self.at + 2..).unwrap_or_default();
                    inside
                        .windows(2)
                        .position(|two| two == b"*/")
                        .map_or_else(|| self.end_of_line(self.at), |end| self.at + end + 4)
                }
                byte if byte.is_ascii_whitespace() || byte == 0x0b => self.at + 1,
                _ => return,
            };
            self.skip_to(end);
        }
    }

    /// The kind of the token here, and where it ends.
    fn token(&self) -> (Kind, usize) {
        let byte = self.byte(self.at);
        let rest = self.text.get(self.at..).unwrap_or_default();
        let while_ =
            |is: fn(char) -> bool| self.at + rest.find(|char| !is(char)).unwrap_or(rest.len());
        match byte {
            b'"' | b'\'' => {
                let kind = if byte == b'"' { Kind::String } else { Kind::Name };
                let end = end_of_quoted(self.bytes, self.at);
                (kind, end.unwrap_or_else(|| self.end_of_line(self.at)))
            }
            b'0' if rest.starts_with("0'") => {
                (Kind::Number, self.at + char_literal(rest).unwrap_or(1))
            }
            b'0'..=b'9' => (Kind::Number, self.end_of_number()),
            b'(' | b'[' | b'{' => (Kind::Open, self.at + 1),
            b')' | b']' | b'}' => (Kind::Close, self.at + 1),
            b',' => (Kind::Comma, self.at + 1),
            _ if is_symbol(char::from(byte)) => {
                let end = while_(is_symbol);
                let next = self.byte(end);
                let is_last = next == 0 || next == b'%' || next.is_ascii_whitespace();
                let kind = if rest.starts_with('.') && end == self.at + 1 && is_last {
                    Kind::End
                } else {
                    Kind::Symbol
                };
                (kind, end)
            }
            _ => {
                let first = rest.chars().next().unwrap_or(' ');
                match first {
                    '_' => (Kind::Variable, while_(is_word)),
                    _ if first.is_uppercase() => (Kind::Variable, while_(is_word)),
                    _ if first.is_alphabetic() => (Kind::Name, while_(is_word)),
                    _ => (Kind::Other, self.at + first.len_utf8()),
                }
            }
        }
    }

    fn end_of_number(&self) -> usize {
        let mut at = self.at + 1;
        loop {
            let (byte, next) = (self.byte(at), self.byte(at + 1));
            let is_exponent = matches!(self.byte(at - 1), b'e' | b'E')
                && matches!(byte, b'+' | b'-')
                && next.is_ascii_digit();
            let is_part = byte.is_ascii_alphanumeric() || byte == b'_' || is_exponent;
            let is_point = byte == b'.' && next.is_ascii_digit();
            if !is_part && !is_point {
                return at;
            }
            at += 1;
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks_and_comments();
        if self.at >= self.bytes.len() {
            return None;
        }
        let (start, line0) = (self.at, self.line0);
        let is_first_in_line = start == self.line_start;
        let (kind, end) = self.token();
        let end = (end..self.bytes.len())
            .find(|&at| self.text.is_char_boundary(at))
            .unwrap_or(self.bytes.len());
        self.skip_to(end);
        Some(Token { kind, bytes: start..end, line0, end_line0: self.line0, is_first_in_line })
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Whether a character is one of those that names such as `:-` consist of.
fn is_symbol(char: char) -> bool {
    "!#$&*+-./:<=>?@^~\\".contains(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        Tokens::new(text).map(|token| &text[token.bytes]).collect()
    }

    #[test]
    fn clauses_end_at_a_stop_before_a_blank() {
        let text = "p(X) :- a.b(X), X = 1.5. % c. d\n/* q. */r(\"a.\"\". b\\\". \").\nend.";
        let ends: Vec<u32> = Tokens::new(text)
            .filter(|token| token.kind == Kind::End)
            .map(|token| token.line0)
            .collect();
        assert_eq!(ends, [0, 1, 2]);
    }

    #[test]
    fn characters_and_quoted_names() {
        let expected = [
            "X", "=", "0'a", ",", "0'.", ",", "0'''", ",", "0'\\n", ",", "0'\"", ",", "'it''s.'",
            ",", "0x1f", ".",
        ];
        assert_eq!(
            tokens("1.5e-3+2E+4.f 1e5x_1 -7.x"),
            ["1.5e-3", "+", "2E+4", ".", "f", "1e5x_1", "-", "7", ".", "x"]
        );
        assert_eq!(tokens("X = 0'a, 0'., 0''', 0'\\n, 0'\", 'it''s.', 0x1f."), expected);
    }

    #[test]
    fn strings_may_have_several_lines_but_unfinished_ones_have_one() {
        let lines = |text: &str| -> Vec<(u32, u32)> {
            Tokens::new(text).map(|token| (token.line0, token.end_line0)).collect()
        };
        assert_eq!(lines("\"a\nb\" c"), [(0, 1), (1, 1)]);
        assert_eq!(lines("\"a\nb"), [(0, 0), (1, 1)]);
        assert_eq!(lines("/* a\nb"), [(1, 1)]);
    }

    #[test]
    fn mercury_begins_with_its_module() {
        assert!(is_mercury("% queens.\n/* a */\n:- module queens.\n"));
        assert!(is_mercury(":- pragma source_file(\"a.m\").\n:- module a."));
        // Objective-C, MATLAB, Wolfram, Prolog.
        assert!(!is_mercury("// a\n#import <a.h>\n@implementation A\n@end\n"));
        assert!(!is_mercury("% :- module a.\nfunction y = f(x)\n  y = x;\nend\n"));
        assert!(!is_mercury("(* :- module *)\nf[x_] := x\n"));
        assert!(!is_mercury(":- use_module(library(lists)).\np(X) :- q(X).\n"));
        assert!(!is_mercury(""));
    }
}
