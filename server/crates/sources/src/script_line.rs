//! One line of JavaScript, read without the lines before it.

/// Longer code counts as several statements. Minified code is longer.
const MAX_CODE: usize = 1 << 16;

/// Words before a regular expression. After other words, a slash divides.
const BEFORE_REGEX: [&str; 12] = [
    "await",
    "case",
    "delete",
    "do",
    "else",
    "in",
    "instanceof",
    "of",
    "return",
    "throw",
    "typeof",
    "yield",
];

/// The part of a line before its first code: blanks, and the ends of what began in lines above
/// (`} else {`). All blanks if there is no other code.
pub fn before_code(line: &str) -> &str {
    let blanks = &line[..line.len() - line.trim_start().len()];
    let first = Code::new(line).find(|token| !ends_something(token.byte) && token.byte != b';');
    let closers = first.map(|token| &line[..token.at]).filter(|it| it.trim_start() != "");
    closers.unwrap_or(blanks)
}

/// Splits the function that begins where `code` does, up to the end of the line, into its head and
/// what it executes. The head is empty if the function has no block in the line.
pub fn function(code: &str) -> (&str, &str) {
    let (mut open, mut block, mut before) = (0_usize, 0, b' ');
    for Token { at, byte } in Code::new(code) {
        match byte {
            b'{' if open == 0 && block == 0 && matches!(before, b')' | b'>') => {
                (open, block) = (1, at + 1);
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' | b',' | b';' if open == 0 => return ("", &code[..at]),
            b'}' if open == 1 => return code[..at].split_at(block),
            b')' | b']' | b'}' => open -= 1,
            _ => {}
        }
        before = byte;
    }
    let is_in_line = !code[block..].trim().is_empty();
    code.split_at(if is_in_line { block } else { 0 })
}

/// Whether a line has this code before the parameters of a function that a helper of TypeScript
/// runs: `return __awaiter(this, void 0, void 0, function* `.
pub fn begins_async_body(before: &str) -> bool {
    let before = before.trim_end();
    let Some(arguments) = before.strip_suffix("function*").or(before.strip_suffix("function"))
    else {
        return false;
    };
    ["__awaiter(", "__generator("].iter().any(|helper| {
        arguments.rsplit_once(helper).is_some_and(|(_, arguments)| !arguments.contains('('))
    })
}

/// Whether the code has several statements. Those in parentheses do not count: they belong to the
/// head of a loop, or to another function. In the block of a function (`is_block`), minified code has
/// commas between statements. A line may also begin among the arguments of a call.
pub fn has_several_statements(code: &str, is_block: bool) -> bool {
    let (mut parentheses, mut braces, mut is_after_one) = (0_usize, 0_usize, false);
    for Token { byte, .. } in Code::new(code) {
        match byte {
            b';' | b',' if parentheses == 0 && (byte == b';' || is_block && braces == 0) => {
                is_after_one = true;
            }
            _ if is_after_one && !ends_something(byte) && byte != b';' => return true,
            b'(' | b'[' => parentheses += 1,
            b')' | b']' => parentheses = parentheses.saturating_sub(1),
            b'{' => braces += 1,
            b'}' => braces = braces.saturating_sub(1),
            _ => {}
        }
    }
    code.len() > MAX_CODE
}

fn ends_something(byte: u8) -> bool {
    matches!(byte, b'}' | b')' | b']' | b',')
}

/// A word, a text, a regular expression, or one character of anything else.
#[derive(Clone, Copy)]
struct Token {
    /// Where it starts.
    at: usize,
    /// Its first byte.
    byte: u8,
}

/// The tokens of code without its blanks and comments.
struct Code<'a> {
    bytes: &'a [u8],
    at: usize,
    may_be_regex: bool,
}

impl<'a> Code<'a> {
    fn new(code: &'a str) -> Self {
        let bytes = code.as_bytes();
        Self { bytes: &bytes[..bytes.len().min(MAX_CODE)], at: 0, may_be_regex: true }
    }

    fn rest(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }
}

impl Iterator for Code<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest(self.at);
            let length = match *rest {
                [] | [b'/', b'/', ..] => return None,
                [b'/', b'*', ..] => 4 + rest[2..].windows(2).position(|end| end == b"*/")?,
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                _ => break,
            };
            self.at += length;
        }
        let rest = self.rest(self.at);
        let byte = *rest.first()?;
        let (length, is_before_regex) = match byte {
            b'"' | b'\'' => (text(rest, byte), false),
            b'`' => (template(rest), false),
            b'/' if self.may_be_regex => (regex(rest), false),
            b')' | b']' | b'}' => (1, false),
            _ if is_word(byte) => {
                let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
                let is_before = |word: &str| word.as_bytes() == &rest[..length];
                (length, BEFORE_REGEX.iter().any(|word| is_before(word)))
            }
            _ => (1, true),
        };
        let token = Token { at: self.at, byte };
        (self.at, self.may_be_regex) = (self.at + length, is_before_regex);
        Some(token)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#') || !byte.is_ascii()
}

/// The length of the text in quotes at the start of `rest`.
fn text(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == quote {
            break;
        }
    }
    at
}

/// The length of the template at the start of `rest`, with the code in it.
fn template(rest: &[u8]) -> usize {
    let (mut open, mut at) = (vec![b'`'], 1);
    while let (Some(&within), Some(&byte)) = (open.last(), rest.get(at)) {
        at += match (within, byte) {
            (b'`', b'\\') => 2,
            (b'`', b'$') if rest.get(at + 1) == Some(&b'{') => {
                open.push(b'{');
                2
            }
            (b'{', b'{' | b'`') => {
                open.push(byte);
                1
            }
            (b'`', b'`') | (b'{', b'}') => {
                open.pop();
                1
            }
            (b'{', b'"' | b'\'') => text(&rest[at..], byte),
            _ => 1,
        };
    }
    at
}

/// The length of the regular expression at the start of `rest`.
fn regex(rest: &[u8]) -> usize {
    let (mut at, mut is_in_class) = (1, false);
    while let Some(&byte) = rest.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        match byte {
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'/' if !is_in_class => break,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typescript_runs_the_bodies_of_async_functions() {
        for (before, expected) in [
            ("    return __awaiter(this, void 0, void 0, function* ", true),
            ("this.f = (a) => tslib_1.__awaiter(this, [a_1], void 0, function* ", true),
            ("        return __generator(this, function ", true),
            ("    return __awaiter(this, void 0, void 0, wrap(function* ", false),
            ("    return __awaiter(this, void 0, void 0, ", false),
            ("    return each(this, function ", false),
        ] {
            assert_eq!(begins_async_body(before), expected, "{before}");
        }
    }

    #[test]
    fn statements_in_parentheses_texts_and_comments_do_not_count() {
        let one = [
            "a();",
            "a(); // b();",
            "a(); /* b(); */",
            "for (let i = 0; i < n; i++) s += f(i);",
            "for (let i = 0; i < n; i++) {",
            "return rows.map((x) => { pick(x); return x; });",
            "return h('b', { style: 'color: red; width: 1px', \"a;b\": `;${f(`;`)};` });",
            "const parts = line.split(/[/;]\\/;/);",
            "return /;/.test(x) ? y : z;",
            "if (x) { a(); }",
            "return { a, b: [c, d] };",
            "a(), // b",
            "const f = (x) => { a(x); };",
            "x = 'it\\'s; ' + y;",
            "",
        ];
        for code in one {
            assert!(!has_several_statements(code, true), "{code}");
        }
        let several = [
            "a(); b();",
            "a();b()",
            "a=1,b=2",
            "for (;;) { a(); b(); }",
            "x); b();",
            "x = a / b; y = c / d;",
            "x = 'a'; y = 'b';",
            "a(x); /* c */ b();",
        ];
        for code in several {
            assert!(has_several_statements(code, true), "{code}");
        }
        assert!(!has_several_statements("a), b, c);", false));
        assert!(has_several_statements(&"a + ".repeat(MAX_CODE), true));
    }

    #[test]
    fn a_function_ends_in_its_line() {
        let table = [
            ("(x) => f(x)).map((y) => g(y));", ("", "(x) => f(x)")),
            ("() => { pick(x); } }, y);", ("() => {", " pick(x); ")),
            ("({ a }, [b]) { return a; } other() {}", ("({ a }, [b]) {", " return a; ")),
            ("x => x + 1, y);", ("", "x => x + 1")),
            ("(x) {", ("", "(x) {")),
            ("(x) { a();", ("(x) {", " a();")),
            ("(x) => `}${x}`; y", ("", "(x) => `}${x}`")),
            ("class A { a = 1; } b", ("", "class A { a = 1; ")),
        ];
        for (code, expected) in table {
            assert_eq!(function(code), expected, "{code}");
        }
    }

    #[test]
    fn code_begins_after_the_ends_of_what_began_above() {
        let table = [
            ("  a();", "  "),
            ("  } else if (x) {", "  } "),
            ("}), b(", "}), "),
            ("  };", "  "),
            ("  }); // end", "  "),
            ("} /* c */ while (x);", "} /* c */ "),
            ("  (a)", "  "),
            ("\u{a0}a", "\u{a0}"),
            ("", ""),
        ];
        for (line, expected) in table {
            assert_eq!(before_code(line), expected, "{line}");
        }
    }
}
