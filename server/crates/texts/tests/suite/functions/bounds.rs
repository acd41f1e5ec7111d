//! Texts that nobody writes by hand: long, deep, binary. The stack does not overflow, and parsing
//! ends.

use crate::functions::LANGUAGES;
use texts::{Functions, Language};

#[test]
fn rejects_too_long_texts() {
    let line = format!("{}\n", "#".repeat(63));
    let at_most = line.repeat((8 << 20) / line.len());
    assert!(Functions::parse(Language::Python, at_most.as_str()).is_some());
    assert!(Functions::parse(Language::Python, at_most + "#").is_none());
}

#[test]
fn accepts_deep_nesting() {
    const DEPTH: usize = 20_000;
    let texts: [(_, _, _, _, _, usize); 10] = [
        (Language::Rust, "fn f() { ", "(", ")", " }", 1),
        (Language::Rust, "fn f() { m!", "(", ")", "; }", 1),
        (Language::C, "int f() { return ", "(", ")", "; }", 1),
        (Language::Cpp, "int f() { return ", "(", ")", "; }", 1),
        (Language::Python, "def f(): return ", "[", "]", "", 1),
        (Language::JavaScript, "function f() { return ", "[", "]", " }", 1),
        (Language::JavaScript, "function f() { ", "(() => ", ")", " }", DEPTH + 1),
        (Language::Go, "package p\nfunc f() { ", "{", "}", " }", 1),
        (Language::Lua, "function f() ", "do ", "end ", "end", 1),
        (Language::Java, "class A { int f() { return ", "(", ")", "; } }", 1),
    ];
    for (language, before, open, close, after, n_functions) in texts {
        let text = [before, &open.repeat(DEPTH), "1", &close.repeat(DEPTH), after].concat();
        let functions = Functions::parse(language, &*text).unwrap();
        assert_eq!(functions.all().len(), n_functions, "{language:?} {open}");
        assert_eq!(functions.at_byte(before.len()).unwrap().name, "f", "{language:?} {open}");
        assert_eq!(functions.call_at(text.len() - 1), None, "{language:?} {open}");
    }
}

#[test]
fn gives_up_on_too_much_work() {
    assert!(Functions::parse(Language::JavaScript, ") ".repeat(10_000)).is_some());
    assert!(Functions::parse(Language::JavaScript, ") ".repeat(250_000)).is_none());
}

#[test]
fn no_text_panics() {
    let mut state = 1_u32;
    let mut random = |n: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % n
    };
    let noise: String = (0..10_000).filter_map(|_| char::from_u32(random(256))).collect();
    let chars: Vec<char> = "(){}[]<>'\"`#@:;,=.\n fndef class end ${".chars().collect();
    let chars: String = (0..10_000).map(|_| chars[random(chars.len() as u32) as usize]).collect();
    for language in LANGUAGES {
        for text in [&noise, &chars] {
            let Some(functions) = Functions::parse(language, &**text) else { continue };
            for byte in (0..text.len()).step_by(997) {
                assert!(
                    functions
                        .at_byte(byte)
                        .is_none_or(|definition| definition.bytes.contains(&byte))
                );
                assert!(functions.call_at(byte).is_none_or(|call| text[call.bytes] == call.name));
            }
        }
    }
}
