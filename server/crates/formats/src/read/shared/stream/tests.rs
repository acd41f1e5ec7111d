use super::*;
use crate::input::{self, Source};
use crate::limits::Limits;
use std::fmt::Debug;
use std::ops::ControlFlow;

/// What `scan` returns for `text`, whatever the blocks in which it arrives.
fn scan<T: PartialEq + Debug>(text: &str, scan: impl Fn(&mut Stream<'_, '_>) -> T) -> T {
    let in_blocks = |bytes| {
        let source = Source::from(text.as_bytes()).in_blocks(bytes);
        let go_on = &mut |_| ControlFlow::Continue(());
        let scanned =
            input::open(source, Limits::default(), go_on, |input| scan(&mut Stream::new(input)));
        scanned.unwrap()
    };
    let whole = in_blocks(1 << 20);
    for bytes in [1, 2, 3, 5, 64] {
        assert_eq!(in_blocks(bytes), whole, "{text} in blocks of {bytes}");
    }
    whole
}

/// The numbers of a column; -1 ends it with an error.
fn column(stream: &mut Stream<'_, '_>) -> (Vec<i32>, Scanned<Result<(), BadColumn<String>>>) {
    let mut numbers = Vec::new();
    let end = stream.column(&mut |cells| {
        for cell in String::from_utf8_lossy(cells).split_terminator(',') {
            numbers.push(cell.trim().parse().map_err(|_| cell.to_owned())?);
        }
        Ok(())
    });
    (numbers, end)
}

#[test]
fn members_and_elements_arrive_in_order() {
    let text = r#" {"a" : [1, "]}\"" ,{"b":[]}], "c\n":{}, "d":"x\\"} "#;
    let seen = scan(text, |stream| {
        let mut seen = Vec::new();
        stream
            .object(&mut |stream, key| {
                let key = String::from_utf8_lossy(key).into_owned();
                if stream.peek()? == b'[' {
                    return stream.array(&mut |stream| {
                        let value = String::from_utf8_lossy(stream.value()?).into_owned();
                        seen.push(format!("{key}: {value}"));
                        Ok(())
                    });
                }
                stream.skip()?;
                seen.push(key);
                Ok(())
            })
            .unwrap();
        (seen, stream.offset())
    });
    assert_eq!(seen.0, ["a: 1", r#"a: "]}\"""#, r#"a: {"b":[]}"#, r"c\n", "d"]);
    assert_eq!(seen.1, text.trim_end().len() as u64);
}

#[test]
fn a_column_arrives_in_whole_cells() {
    for (text, expected) in [
        ("[1,22,333,4444]", vec![1, 22, 333, 4444]),
        ("[ 1 , 22 ,333, 4444 ]", vec![1, 22, 333, 4444]),
        ("[]", vec![]),
        ("[7]", vec![7]),
    ] {
        let text = format!("{text},9");
        let scanned = scan(&text, |stream| (column(stream), stream.peek()));
        assert_eq!(scanned, ((expected, Ok(Ok(()))), Ok(b',')), "{text}");
    }
}

#[test]
fn the_rest_of_a_bad_column_is_skipped() {
    for (text, bad) in [
        (r#"[1,"a]b",2],9"#, None),
        ("[1,[2],3],9", None),
        ("[1,x,2],9", Some("x")),
        ("{\"a\":[1]},9", None),
        ("\"[1]\",9", None),
    ] {
        // Which cells came before the error depends on the blocks.
        let end = scan(text, |stream| {
            let (_, end) = column(stream);
            let kind = end.map(|end| matches!(end, Err(BadColumn::Cell(_) | BadColumn::NoArray)));
            (kind, stream.peek())
        });
        assert_eq!(end, (Ok(true), Ok(b',')), "{text}");
        if let Some(bad) = bad {
            let (numbers, end) = scan(text, column);
            assert_eq!(numbers, [1]);
            assert_eq!(end, Ok(Err(BadColumn::Cell(bad.to_owned()))));
        }
    }
}

#[test]
fn a_cut_value_is_the_end_and_not_json_is_broken() {
    let text = r#"{"a":[1,"x\"y",{"b":true}],"c":12}"#;
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method has other lifetimes")]
    let skip = |text: &str| scan(text, |stream| stream.skip());
    assert_eq!(skip(text), Ok(()));
    for cut in 0..text.len() {
        assert_eq!(skip(&text[..cut]), Err(Stop::End), "{cut}");
    }
    assert_eq!(skip("nonsense "), Err(Stop::Broken));
    for text in ["[1,2", "[", "[1,", "[\"a"] {
        assert_eq!(scan(text, |stream| column(stream).1), Err(Stop::End), "{text}");
    }
}
