//! A lexer for all languages. It never fails: what it does not understand becomes tokens of one
//! character. A string or comment without an end ends with its line, because it is being typed.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::mercury::{char_literal, end_of_quoted};

use super::syntax::Syntax;
use super::text::n_newlines;

/// A token that is not white space or a comment. Of a string that spans lines, each line is a
/// token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Stands for the text of the token. Quotes of strings, and white space at the ends of the
    /// lines of a string, do not count.
    pub(super) hash: u64,
    /// 0-based.
    pub(super) line0: u32,
    /// The number of letters and digits.
    pub(super) n_alnum: u32,
    pub(super) kind: Kind,
    /// Whether it is the first token on its line, and not within a string.
    pub(super) starts_line: bool,
    /// The indentation of its line, in columns.
    pub(super) indent: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or number.
    Word,
    /// A keyword like `if`, which a parenthesis can follow and which has a body.
    Control,
    /// `else`, `do`, `try`, `finally`: a statement follows without parentheses.
    Prefix,
    /// A keyword like `return`, which an expression follows.
    Operator,
    String,
    /// One character that is none of these.
    Punctuation(char),
}

impl Token {
    pub(super) fn is(&self, char: char) -> bool {
        self.kind == Kind::Punctuation(char)
    }

    pub(super) fn is_any(&self, chars: &str) -> bool {
        matches!(self.kind, Kind::Punctuation(char) if chars.contains(char))
    }
}

/// The number of searches for the end of a string or comment that may reach the end of the text. The
/// strings and comments after that do not go beyond their line, because the time of a search for each
/// would grow with the square of the text.
const MAX_WITHOUT_END: u32 = 16;
/// The maximum length of a regular expression.
const MAX_REGULAR_EXPRESSION: usize = 4 << 10;

/// The tokens of a text. `line0` is the number of its first line.
pub(super) fn lex(text: &str, syntax: Syntax, line0: u32) -> Vec<Token> {
    if syntax == Syntax::Lines {
        return text
            .lines()
            .zip(line0..)
            .filter_map(|(line, line0)| of_line(line, line0))
            .collect();
    }
    let mut lexer = Lexer::new(text, syntax, line0);
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

/// A line as one token. `None` if it is blank.
fn of_line(line: &str, line0: u32) -> Option<Token> {
    let text = line.trim();
    let mut hash = FxHasher::default();
    hash.write(text.as_bytes());
    let n_alnum = text.bytes().filter(u8::is_ascii_alphanumeric).count() as u32;
    let indent = (line.len() - line.trim_start().len()) as u32;
    let (hash, kind) = (hash.finish(), Kind::Word);
    (!text.is_empty()).then_some(Token { hash, line0, n_alnum, kind, starts_line: true, indent })
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    syntax: Syntax,
    at: usize,
    line0: u32,
    starts_line: bool,
    indent: u32,
    tokens: Vec<Token>,
    /// The number of strings and comments whose end was searched and not found.
    n_without_end: u32,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, syntax: Syntax, line0: u32) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            syntax,
            at: 0,
            line0,
            starts_line: true,
            indent: 0,
            tokens: Vec::with_capacity(text.len() / 4),
            n_without_end: 0,
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn step(&mut self) {
        let byte = self.byte(self.at);
        match byte {
            b'\n' => {
                self.at += 1;
                self.line0 += 1;
                self.starts_line = true;
                self.indent = 0;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                if self.starts_line {
                    self.indent =
                        if byte == b'\t' { self.indent / 8 * 8 + 8 } else { self.indent + 1 };
                }
                self.at += 1;
            }
            b'\\' if matches!(self.byte(self.at + 1), b'\n' | b'\r') => {
                self.at += 1 + usize::from(self.byte(self.at + 1) == b'\r');
                if self.byte(self.at) == b'\n' {
                    self.at += 1;
                    self.line0 += 1;
                }
            }
            _ if self.comment() || self.string() => {}
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(self.at + 1).is_ascii_digit() && !self.follows_operand() => {
                self.number();
            }
            _ => self.word_or_char(),
        }
    }

    fn push(&mut self, hash: u64, n_alnum: u32, kind: Kind) {
        let starts_line = std::mem::take(&mut self.starts_line);
        let (line0, indent) = (self.line0, self.indent);
        self.tokens.push(Token { hash, line0, n_alnum, kind, starts_line, indent });
    }

    /// Skips a comment, if there is one here.
    fn comment(&mut self) -> bool {
        let (byte, next) = (self.byte(self.at), self.byte(self.at + 1));
        let is_line = match byte {
            b'#' => {
                self.syntax.has_hash_comments() && !(self.syntax == Syntax::Php && next == b'[')
            }
            b'%' => self.syntax.has_percent_comments(),
            b'/' => next == b'/' && self.syntax.has_slash_comments(),
            b'-' => next == b'-' && self.syntax == Syntax::Lua,
            _ => return false,
        };
        if is_line
            && self.rest().starts_with("--[[")
            && let Some(end) = self.end(|this| this.rest().find("]]"))
        {
            self.skip_to(self.at + end + 2);
            return true;
        }
        if is_line {
            self.at = self.end_of_line(self.at);
            return true;
        }
        let has_comments = self.syntax.has_slash_comments() || self.syntax == Syntax::Mercury;
        if (byte, next) != (b'/', b'*') || !has_comments {
            return false;
        }
        let end = self.end(Self::end_of_comment);
        self.skip_to(end.unwrap_or_else(|| self.end_of_line(self.at)));
        true
    }

    /// The end of a comment between `/*` and `*/`.
    fn end_of_comment(&self) -> Option<usize> {
        let (mut end, mut depth) = (self.at + 2, 1);
        while depth > 0 && end < self.bytes.len() {
            match (self.byte(end), self.byte(end + 1)) {
                (b'*', b'/') => (end, depth) = (end + 2, depth - 1),
                (b'/', b'*') if self.syntax == Syntax::Rust => (end, depth) = (end + 2, depth + 1),
                _ => end += 1,
            }
        }
        (depth == 0).then_some(end)
    }

    /// The end of a string or comment that can go beyond its line.
    fn end(&mut self, search: impl FnOnce(&Self) -> Option<usize>) -> Option<usize> {
        if self.n_without_end == MAX_WITHOUT_END {
            return None;
        }
        let end = search(self);
        self.n_without_end += u32::from(end.is_none());
        end
    }

    fn skip_to(&mut self, end: usize) {
        let n_lines = n_newlines(&self.text[self.at..end]);
        self.line0 += n_lines;
        self.starts_line |= n_lines > 0;
        self.at = end;
    }

    fn end_of_line(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        rest.iter().position(|&byte| byte == b'\n').map_or(self.bytes.len(), |end| from + end)
    }

    /// Whether the token before can be an operand, so that `/` divides and `.5` is a member.
    fn follows_operand(&self) -> bool {
        self.tokens.last().is_some_and(|token| match token.kind {
            Kind::Word | Kind::String => true,
            Kind::Punctuation(char) => matches!(char, ')' | ']' | '}'),
            Kind::Control | Kind::Prefix | Kind::Operator => false,
        })
    }

    /// Reads a string, if there is one here.
    fn string(&mut self) -> bool {
        use Syntax::{C, Go, JavaScript, Lua, Mercury, Php, Python, Ruby, Rust};
        let quote = self.byte(self.at);
        let rest = self.rest();
        let is_triple = matches!(self.syntax, Python | C | Go)
            && (rest.starts_with("\"\"\"") || (self.syntax == Python && rest.starts_with("'''")));
        if is_triple {
            let end = self.end(|_| rest[3..].find(&rest[..3])).map(|end| end + 3);
            self.lines_of_string(3, end, 3);
            return true;
        }
        match quote {
            b'`' if matches!(self.syntax, JavaScript | Go) => {
                let end = self.end(Self::end_of_template).map(|end| end - self.at);
                self.lines_of_string(1, end, 1);
            }
            b'[' if self.syntax == Lua && rest.starts_with("[[") => {
                let end = self.end(|_| rest.find("]]"));
                self.lines_of_string(2, end, 2);
            }
            b'r' | b'b' if self.syntax == Rust => return self.raw_string_of_rust(),
            b'R' if self.syntax == C && rest.starts_with("R\"") => return self.raw_string_of_cpp(),
            b'\'' if self.syntax == Rust => {
                let mut chars = rest[1..].chars();
                let is_char = match chars.next() {
                    Some('\\') => true,
                    Some(_) => chars.next() == Some('\''),
                    None => false,
                };
                if !is_char {
                    return false;
                }
                self.quoted(quote);
            }
            b'"' | b'\'' if self.syntax == Mercury => {
                let end = self.end(|this| end_of_quoted(this.bytes, this.at));
                let end = end.map(|end| end - 1 - self.at);
                self.lines_of_string(1, end, 1);
            }
            b'`' if self.syntax == Mercury => return false,
            b'0' if self.syntax == Mercury => {
                let Some(length) = char_literal(rest) else { return false };
                self.push(hash(&rest.as_bytes()[..length], b's'), 1, Kind::String);
                self.at += length;
            }
            b'"' | b'\'' | b'`' => self.quoted(quote),
            b'/' if matches!(self.syntax, JavaScript | Ruby | Php) && !self.follows_operand() => {
                return self.regular_expression();
            }
            _ => return false,
        }
        true
    }

    /// The end of a JavaScript template, whose `${…}` may contain others, or of a Go raw string.
    fn end_of_template(&self) -> Option<usize> {
        let (mut at, mut braces, mut open) = (self.at + 1, Vec::new(), 0_u32);
        while at < self.bytes.len() {
            match (self.byte(at), self.byte(at + 1)) {
                (b'\\', _) if self.syntax == Syntax::JavaScript => at += 1,
                (b'`', _) if braces.is_empty() || self.syntax == Syntax::Go => return Some(at),
                (b'$', b'{') => {
                    braces.push(open);
                    (open, at) = (0, at + 1);
                }
                (b'{', _) if !braces.is_empty() => open += 1,
                (b'}', _) if !braces.is_empty() => match open {
                    0 => open = braces.pop().unwrap_or(0),
                    _ => open -= 1,
                },
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// `r"…"`, `br#"…"#`
    fn raw_string_of_rust(&mut self) -> bool {
        let rest = self.rest();
        let prefix = rest.trim_start_matches(['b', 'c']);
        if rest.len() - prefix.len() > 1 || !prefix.starts_with('r') {
            return false;
        }
        let n_hashes = prefix[1..].bytes().take_while(|&byte| byte == b'#').count();
        if prefix.as_bytes().get(1 + n_hashes) != Some(&b'"') {
            return false;
        }
        let start = rest.len() - prefix.len() + 2 + n_hashes;
        let end = format!("\"{}", "#".repeat(n_hashes));
        let n = self.end(|_| rest[start..].find(&end)).map(|at| start + at);
        self.lines_of_string(start, n, end.len());
        true
    }

    /// `R"x(…)x"`
    fn raw_string_of_cpp(&mut self) -> bool {
        let rest = self.rest();
        let Some(open) = rest[2..].bytes().take(17).position(|byte| byte == b'(') else {
            return false;
        };
        let end = format!("){}\"", &rest[2..2 + open]);
        let start = 3 + open;
        let n = self.end(|_| rest[start..].find(&end)).map(|at| start + at);
        self.lines_of_string(start, n, end.len());
        true
    }

    /// Adds a token for each line of a string that starts here: its contents are the bytes from
    /// `start` to `end`, followed by `n_quotes` bytes. Without `end`, it is the rest of the line.
    fn lines_of_string(&mut self, start: usize, end: Option<usize>, n_quotes: usize) {
        let from = self.at;
        let (to, n_quotes) = match end {
            Some(end) => (from + end, n_quotes),
            None => (self.end_of_line(from), 0),
        };
        let contents = self.text.get(from + start..to).unwrap_or("");
        for (n, line) in contents.split('\n').enumerate() {
            if n > 0 {
                self.line0 += 1;
                self.starts_line = false;
            }
            let line = line.trim();
            self.push(hash(line.as_bytes(), b's'), n_alnum(line), Kind::String);
        }
        self.at = (to + n_quotes).min(self.text.len());
    }

    /// A string between quotes. It ends at the end of the line, unless that is escaped.
    fn quoted(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start + 1;
        let mut contents = Hash::new(b's');
        let mut n_alnum = 0;
        if !self.syntax.has_equal_quotes() {
            contents.byte(quote);
        }
        loop {
            let byte = self.byte(at);
            match byte {
                _ if at >= self.bytes.len() => break,
                b'\n' => break,
                b'\\' => {
                    let next = self.byte(at + 1);
                    if next == b'\n' || (next == b'\r' && self.byte(at + 2) == b'\n') {
                        self.push(contents.finish(), n_alnum, Kind::String);
                        contents = Hash::new(b's');
                        n_alnum = 0;
                        self.line0 += 1;
                        at += usize::from(next == b'\r');
                    } else {
                        if !(matches!(next, b'"' | b'\'') && self.syntax.has_equal_quotes()) {
                            contents.byte(byte);
                        }
                        contents.byte(next);
                    }
                    at += 2;
                    continue;
                }
                byte if byte == quote => {
                    at += 1;
                    break;
                }
                b'\r' if self.byte(at + 1) == b'\n' => {}
                byte => {
                    contents.byte(byte);
                    n_alnum += u32::from(byte.is_ascii_alphanumeric());
                    // clang-format divides strings, and adjacent strings are one string.
                    let is_end_of_word = byte == b' ' && !matches!(self.byte(at + 1), b' ' | b'"');
                    if is_end_of_word && self.syntax == Syntax::C && quote == b'"' {
                        self.push(contents.finish(), n_alnum, Kind::String);
                        contents = Hash::new(b's');
                        contents.byte(quote);
                        n_alnum = 0;
                    }
                }
            }
            at += 1;
        }
        self.push(contents.finish(), n_alnum, Kind::String);
        self.at = ceil_char_boundary(self.text, at);
    }

    /// A regular expression between slashes on one line.
    fn regular_expression(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let line = rest.iter().take(MAX_REGULAR_EXPRESSION).take_while(|&&byte| byte != b'\n');
        let (mut is_escaped, mut in_class) = (false, false);
        let end = line.enumerate().skip(1).find(|&(_, &byte)| {
            let is_end = byte == b'/' && !is_escaped && !in_class;
            in_class = !is_escaped && (byte == b'[' || (in_class && byte != b']'))
                || is_escaped && in_class;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let Some((end, _)) = end.filter(|&(end, _)| end > 1) else { return false };
        let contents = &self.text[self.at..=self.at + end];
        self.push(hash(contents.as_bytes(), b'r'), n_alnum(contents), Kind::String);
        self.at += end + 1;
        true
    }

    fn number(&mut self) {
        let start = self.at;
        let mut at = start + 1;
        loop {
            let (byte, next) = (self.byte(at), self.byte(at + 1));
            let is_exponent = matches!(self.byte(at - 1), b'e' | b'E')
                && matches!(byte, b'+' | b'-')
                && next.is_ascii_digit();
            let continues = byte.is_ascii_alphanumeric()
                || byte == b'_'
                || (byte == b'.' && next.is_ascii_digit())
                || (byte == b'\'' && next.is_ascii_alphanumeric() && self.syntax == Syntax::C)
                || (is_exponent && !self.text[start..at].starts_with("0x"));
            if !continues {
                break;
            }
            at += 1;
        }
        let mut text = self.text[start..at].to_ascii_lowercase();
        // Prettier adds zeros before the point and drops those after it.
        if self.syntax == Syntax::JavaScript && text.contains('.') && !text.contains('e') {
            let shortest = text.trim_end_matches('0').trim_end_matches('.');
            text = if shortest.starts_with('.') {
                format!("0{shortest}")
            } else {
                shortest.to_owned()
            };
        }
        self.push(hash(text.as_bytes(), b'w'), (at - start) as u32, Kind::Word);
        self.at = at;
    }

    /// Whether the word at `start` is a name even if it is spelled like a keyword, because it follows the
    /// dot or arrow before a member: `from` of `Array.from`.
    fn is_member(&self, start: usize) -> bool {
        let before = &self.text[..start];
        (before.ends_with('.') && !before.ends_with(".."))
            || before.ends_with("::")
            || self.syntax == Syntax::Php && before.ends_with("->")
    }

    fn word_or_char(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
        let (word, is_lifetime) = match rest.strip_prefix('\'') {
            Some(lifetime) if end == 0 => {
                let end = lifetime.find(|char| !is_word(char)).unwrap_or(lifetime.len());
                (&rest[..=end], true)
            }
            _ => (&rest[..end], false),
        };
        if word.is_empty() {
            let Some(char) = rest.chars().next() else { return };
            self.at += char.len_utf8();
            if !char.is_whitespace() && char != '\u{feff}' {
                let mut buffer = [0; 4];
                let hash = hash(char.encode_utf8(&mut buffer).as_bytes(), b'p');
                self.push(hash, 0, Kind::Punctuation(char));
            }
            return;
        }
        self.at += word.len();
        // Black drops `u` and writes other prefixes of strings in lower case.
        let is_prefix = self.syntax == Syntax::Python
            && matches!(self.byte(start + word.len()), b'"' | b'\'')
            && word.len() <= 2;
        let (hash, n_alnum) = match word {
            "u" | "U" if is_prefix => return,
            _ if is_prefix => (hash(word.to_ascii_lowercase().as_bytes(), b'w'), 1),
            _ => (hash_of_word(word), n_alnum(word)),
        };
        let is_word = is_lifetime || is_prefix || self.is_member(start);
        let kind = if is_word { Kind::Word } else { kind(word) };
        self.push(hash, n_alnum, kind);
    }
}

/// The hash of a token that is a word.
pub(super) fn hash_of_word(word: &str) -> u64 {
    hash(word.as_bytes(), b'w')
}

/// The kind of a word. Languages are not distinguished: nobody names a function `while`.
fn kind(word: &str) -> Kind {
    match word {
        "if" | "for" | "foreach" | "while" | "switch" | "match" | "catch" | "elif" | "elsif"
        | "elseif" | "unless" | "until" | "with" | "when" | "synchronized" | "using" | "except" => {
            Kind::Control
        }
        "else" | "do" | "try" | "finally" => Kind::Prefix,
        "return" | "in" | "of" | "and" | "or" | "not" | "yield" | "await" | "assert" | "case"
        | "throw" | "raise" | "del" | "import" | "from" | "lambda" | "typeof" | "new"
        | "delete" | "instanceof" | "is" | "as" | "void" | "fn" | "function" | "local" | "then" => {
            Kind::Operator
        }
        _ => Kind::Word,
    }
}

pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

fn n_alnum(text: &str) -> u32 {
    text.chars().filter(|char| char.is_alphanumeric()).count() as u32
}

fn ceil_char_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// A hash of bytes, with the kind of token that they belong to.
struct Hash(FxHasher);

impl Hash {
    fn new(tag: u8) -> Self {
        let mut hasher = FxHasher::default();
        hasher.write_u8(tag);
        Self(hasher)
    }

    fn byte(&mut self, byte: u8) {
        self.0.write_u8(byte);
    }

    fn finish(self) -> u64 {
        self.0.finish()
    }
}

fn hash(bytes: &[u8], tag: u8) -> u64 {
    let mut hash = Hash::new(tag);
    for &byte in bytes {
        hash.byte(byte);
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_searched_a_limited_number_of_times() {
        let without_end = [
            (Syntax::C, "/*"),
            (Syntax::Rust, "/*"),
            (Syntax::Lua, "--[["),
            (Syntax::Lua, "[["),
            (Syntax::JavaScript, "`${"),
            (Syntax::Rust, "r#\""),
            (Syntax::C, "R\"("),
            (Syntax::Mercury, "\\\""),
        ];
        for (syntax, line) in without_end {
            let text = format!("{line}\n").repeat(100);
            let mut lexer = Lexer::new(&text, syntax, 0);
            while lexer.at < text.len() {
                lexer.step();
            }
            assert_eq!((lexer.n_without_end, lexer.line0), (MAX_WITHOUT_END, 100), "{line}");
        }
    }

    fn hashes(text: &str, syntax: Syntax) -> Vec<u64> {
        lex(text, syntax, 0).iter().map(|token| token.hash).collect()
    }

    #[test]
    fn only_the_zeros_that_formatters_change_do_not_count_in_numbers() {
        let equal = |a: &str, b: &str, syntax| hashes(a, syntax) == hashes(b, syntax);
        assert!(equal("1.50", "1.5", Syntax::JavaScript));
        assert!(equal(".5", "0.5", Syntax::JavaScript));
        assert!(equal("1.0", "1", Syntax::JavaScript));
        assert!(!equal("1.50", "1.5", Syntax::C), "no formatter changes them");
        assert!(!equal("1.5e10", "1.5e1", Syntax::JavaScript));
        assert!(!equal("10", "1", Syntax::JavaScript));
    }

    #[test]
    fn a_raw_string_of_go_has_no_templates() {
        // A string, and what follows it.
        assert_eq!(hashes("`a${b` + `c`", Syntax::Go).len(), 3);
        assert_eq!(hashes("`a${`b`}c`", Syntax::JavaScript).len(), 1);
        assert_eq!(hashes(r"`a\`", Syntax::Go).len(), 1, "a backslash escapes nothing");
    }

    #[test]
    fn a_slash_begins_a_regular_expression_where_no_operand_is_before_it() {
        let n = |text: &str, syntax| hashes(text, syntax).len();
        // A name, an equals sign, the expression and its flag.
        assert_eq!(n("a = /b c/g", Syntax::JavaScript), 4);
        assert_eq!(n(r"a = /[/\]]\/ c/", Syntax::JavaScript), 3, "classes and escapes");
        assert_eq!(n("a = b / c / d", Syntax::JavaScript), 7, "divisions");
        assert_eq!(n("a = /b\nc/", Syntax::Ruby), 6, "lines end it");
        assert_eq!(n("a = /b c/", Syntax::C), 6);
        assert_ne!(hashes("a(/b c/)", Syntax::Ruby), hashes("a(/b  c/)", Syntax::Ruby));
    }

    #[test]
    fn literals_are_one_token_in_their_language() {
        let n = |text: &str, syntax| hashes(text, syntax).len();
        assert_eq!(n("'a' 'b", Syntax::Rust), 2, "a character and a lifetime");
        assert_eq!(n(r"'\'' x", Syntax::Rust), 2);
        assert_eq!(n(r#""a\" b" c"#, Syntax::Go), 2);
        assert_eq!(n(r#""a b" c"#, Syntax::C), 3, "clang-format divides strings at words");
        assert_eq!(n("'''a\n'b''' c", Syntax::Python), 3, "each line of a string is a token");
        assert_eq!(n("r#\"a\"b\"# c", Syntax::Rust), 2);
        assert_eq!(n("br##\"a\"#b\"## c", Syntax::Rust), 2);
        assert_eq!(n("bcr\"a\" c", Syntax::Rust), 3, "a name before a string");
        assert_eq!(n("R\"x(a)\")x\" c", Syntax::C), 2);
        assert_eq!(n("[[a\nb]] c", Syntax::Lua), 3);
        assert_eq!(n("0'a, 'it''s'", Syntax::Mercury), 3);
    }

    #[test]
    fn comments_are_no_tokens() {
        let n = |text: &str, syntax| hashes(text, syntax).len();
        assert_eq!(n("a /* b /* c */ d */ e", Syntax::Rust), 2);
        assert_eq!(n("a /* b /* c */ d", Syntax::C), 2);
        assert_eq!(n("a // b\nc # d", Syntax::JavaScript), 4);
        assert_eq!(n("a # b\nc // d", Syntax::Python), 5);
        assert_eq!(n("a -- b\n--[[c\n]] d", Syntax::Lua), 2);
        assert_eq!(n("a % b\nc", Syntax::Mercury), 2);
    }

    #[test]
    fn tokens_know_their_line_and_indentation() {
        let tokens = lex("a(\n\tb,\n  'c\nd')\n", Syntax::Ruby, 3);
        let found: Vec<_> =
            tokens.iter().map(|it| (it.line0, it.indent, it.starts_line, it.n_alnum)).collect();
        assert_eq!(
            found[..4],
            [(3, 0, true, 1), (3, 0, false, 0), (4, 8, true, 1), (4, 8, false, 0)]
        );
    }

    #[test]
    fn without_a_syntax_each_line_is_a_token() {
        let tokens = lex("var a = 1;\n\n  f();\n", Syntax::Lines, 7);
        let found: Vec<_> = tokens.iter().map(|it| (it.line0, it.indent, it.n_alnum)).collect();
        assert_eq!(found, [(7, 0, 5), (9, 2, 1)]);
        assert_eq!(hashes("  f();", Syntax::Lines), hashes("f();", Syntax::Lines));
        assert_ne!(hashes("f();", Syntax::Lines), hashes("f( );", Syntax::Lines));
    }
}
