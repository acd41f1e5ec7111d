//! Texts that no person writes: long, deep, binary. Nothing overflows the stack and nothing takes for ever.

use sources::{Functions, Language};

#[test]
fn too_long_a_text_is_left_alone() {
    let at_most = 8 << 20;
    assert!(Functions::parse(Language::Python, "#".repeat(at_most)).is_some());
    assert!(Functions::parse(Language::Python, "#".repeat(at_most + 1)).is_none());
}

#[test]
fn depth_does_not_matter() {
    const DEPTH: usize = 20_000;
    let texts = [
        (Language::Rust, "fn f() { ", "(", ")", " }"),
        (Language::Rust, "fn f() { m!", "(", ")", "; }"),
        (Language::C, "int f() { return ", "(", ")", "; }"),
        (Language::Cpp, "int f() { ", "{", "}", " }"),
        (Language::Python, "def f(): return ", "[", "]", ""),
        (Language::JavaScript, "function f() { return ", "[", "]", " }"),
        (Language::JavaScript, "function f() { ", "(() => ", ")", " }"),
        (Language::Go, "package p\nfunc f() { ", "{", "}", " }"),
        (Language::Lua, "function f() ", "do ", "end ", "end"),
        (Language::Java, "class A { int f() { return ", "(", ")", "; } }"),
    ];
    for (language, before, open, close, after) in texts {
        let text = [before, &open.repeat(DEPTH), "1", &close.repeat(DEPTH), after].concat();
        if let Some(functions) = Functions::parse(language, &*text) {
            let first = functions.all().first().map(|definition| &*definition.name);
            eprintln!("{language:?} {open}: {} {first:?}", functions.all().len());
            functions.call_at(text.len() / 2);
            functions.at_byte(text.len() / 2);
            functions.calls_in_line(0);
        } else {
            eprintln!("{language:?} {open}: none");
        }
    }
}

#[test]
fn whatever_the_bytes_are_they_are_read() {
    let mut state = 1_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let text: String = (0..20_000).filter_map(|_| char::from_u32(random() % 256)).collect();
    let brackets: String = (0..20_000).map(|_| ['(', '{', '[', ')', '}', ']', 'a', '<', '\n'][random() as usize % 9]).collect();
    for language in [Language::Rust, Language::Cpp, Language::JavaScript, Language::Python, Language::Ruby, Language::Php] {
        for text in [&text, &brackets] {
            eprintln!("{language:?}: {:?}", Functions::parse(language, &**text).map(|functions| functions.all().len()));
        }
    }
}
