//! Texts that no person writes: long, deep, binary. Nothing overflows the stack and nothing takes for ever.

use crate::LANGUAGES;
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
fn what_is_too_much_work_is_given_up() {
    assert!(Functions::parse(Language::JavaScript, ") ".repeat(10_000)).is_some());
    assert!(Functions::parse(Language::JavaScript, ") ".repeat(250_000)).is_none());
}

#[test]
fn whatever_the_text_is_nothing_fails() {
    let mut state = 1_u32;
    let mut random = |n: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % n
    };
    let noise: String = (0..10_000).filter_map(|_| char::from_u32(random(256))).collect();
    let signs: Vec<char> = "(){}[]<>'\"`#@:;,=.\n fndef class end ${".chars().collect();
    let signs: String = (0..10_000).map(|_| signs[random(signs.len() as u32) as usize]).collect();
    for language in LANGUAGES {
        for text in [&noise, &signs] {
            let Some(functions) = Functions::parse(language, &**text) else { continue };
            for byte in (0..text.len()).step_by(997) {
                assert!(functions.at_byte(byte).is_none_or(|definition| definition.bytes.contains(&byte)));
                assert!(functions.call_at(byte).is_none_or(|call| text[call.bytes] == call.name));
            }
        }
    }
}
