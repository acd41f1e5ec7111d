//! Source maps in real folders: finding them, mapping places, and files that must not be opened.

// Helpers of an integration test do not count as test code to clippy.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use sourcemap::SourceMapBuilder;
use sources::{
    Executing, Limits, MapProblem, OriginalPlace, Root, RootKind, SourceIndex, SourceMap,
};
use tempfile::TempDir;

/// A folder with the workspace `app`. Profiles call the workspace `/srv/app`.
struct Fixture(TempDir);

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Fixture {
        let fixture = Fixture(TempDir::new().unwrap());
        for (file, text) in files {
            let path = fixture.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fixture
    }

    /// The map of a file of the workspace.
    fn map(&self, file: &str) -> Result<Option<SourceMap>, MapProblem> {
        let app = self.0.path().canonicalize().unwrap().join("app");
        let root = Root { path: app.clone(), kind: RootKind::Workspace };
        let index = SourceIndex::build(vec![root], Limits::default());
        SourceMap::of(&app.join(file), &format!("/srv/app/{file}"), &index)
    }

    fn problem(&self, file: &str) -> String {
        self.map(file).unwrap_err().to_string()
    }

    /// Names of the originals, with `→` and the path in the workspace of those that were found.
    fn originals(&self, file: &str) -> Vec<String> {
        let app = self.0.path().canonicalize().unwrap().join("app");
        let map = self.map(file).unwrap().unwrap();
        let rows = map.originals().iter().map(|original| match &original.path {
            Some(path) => {
                format!("{} → {}", original.name, path.strip_prefix(&app).unwrap().display())
            }
            None => original.name.clone(),
        });
        rows.collect()
    }
}

/// Line and column (0-based) in the generated file; the source, its line (1-based) and column
/// (0-based), or none.
type Mapping = (u32, u32, Option<(u32, u32, u32)>);

fn map_of(sources: &[&str], mappings: &[Mapping]) -> String {
    let mut builder = SourceMapBuilder::new(None);
    for source in sources {
        builder.add_source(source);
    }
    for &(line, column, to) in mappings {
        let (source, to_line, to_column) =
            to.map_or((None, !0, !0), |(source, line, column)| (Some(source), line - 1, column));
        builder.add_raw(line, column, to_line, to_column, source, None, false);
    }
    let mut json = Vec::new();
    builder.into_sourcemap().to_writer(&mut json).unwrap();
    String::from_utf8(json).unwrap()
}

fn at(original: usize, line: u32, column: u32) -> Executing {
    Executing::At(OriginalPlace { original, line, column })
}

/// `AAAA`: line 1, column 1 of the generated file maps to line 1, column 1 of the first source.
const ONE: &str = r#"{"version":3,"sources":["../src/a.ts"],"names":[],"mappings":"AAAA"}"#;

#[test]
fn finds_maps_beside_the_file_and_inline() {
    let inline = "x();\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,\
                  eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi4uL3NyYy9hLnRzIl0sIm5hbWVzIjpbXSwibWFwcGluZ3MiOiJBQUFBIn0=\n";
    let percent =
        format!("x();\n//# sourceMappingURL=data:application/json,{}\n", ONE.replace('"', "%22"));
    let fixture = Fixture::new(&[
        ("app/src/a.ts", ""),
        ("app/dist/named.js", "x();\n//# sourceMappingURL=maps/n%20m.map?v=1\n"),
        ("app/dist/maps/n m.map", &ONE.replace("../src", "../../src")),
        ("app/dist/silent.js", "x();\n"),
        ("app/dist/silent.js.map", ONE),
        ("app/dist/remote.js", "x();\n//# sourceMappingURL=https://cdn/remote.js.map\n"),
        ("app/dist/remote.js.map", ONE),
        ("app/dist/inline.js", inline),
        ("app/dist/percent.js", &percent),
        ("app/dist/none.js", "x();\n"),
    ]);
    for name in ["named", "silent", "remote", "inline", "percent"] {
        assert_eq!(
            fixture.originals(&format!("dist/{name}.js")),
            ["/srv/app/src/a.ts → src/a.ts"],
            "{name}"
        );
        assert_eq!(
            fixture.map(&format!("dist/{name}.js")).unwrap().unwrap().executing(1, 1),
            at(0, 1, 1),
            "{name}"
        );
    }
    assert!(fixture.map("dist/none.js").unwrap().is_none());
    assert!(fixture.map("dist/gone.js").unwrap().is_none());
}

#[test]
fn describes_unusable_maps() {
    let comment = |url: &str| format!("x();\n//# sourceMappingURL={url}\n");
    let fixture = Fixture::new(&[
        ("app/missing.js", &comment("missing.js.map")),
        ("app/remote.js", &comment("//cdn/remote.js.map")),
        ("app/broken.js", &comment("broken.js.map")),
        ("app/broken.js.map", r#"{"version":3,"sources":[],"mappings":"AAAA"}"#),
        ("app/base64.js", &comment("data:application/json;base64,!!!!")),
        ("app/text.js", &comment("data:application/json,nothing")),
        ("app/short.js", &comment("short.js.map")),
        (
            "app/short.js.map",
            &map_of(&["a.ts"], &[(2, 0, Some((0, 1, 0))), (3, 0, Some((0, 9, 0)))]),
        ),
        ("app/binary.js", "\u{0}//# sourceMappingURL=broken.js.map"),
    ]);
    let table = [
        ("missing.js", "names the source map missing.js.map, which is not in the workspace"),
        ("remote.js", "names the source map //cdn/remote.js.map, which is not in the workspace"),
        (
            "broken.js",
            "has the source map broken.js.map, which cannot be read: bad reference to source #0",
        ),
        (
            "base64.js",
            "has the source map inside the file, which cannot be read: its base64 is malformed: invalid symbol at 0",
        ),
        (
            "text.js",
            "has the source map inside the file, which cannot be read: bad json: expected ident at line 1 column 2",
        ),
        (
            "short.js",
            "has the source map short.js.map, which belongs to another build: it maps line 4, but the file is shorter",
        ),
    ];
    for (file, expected) in table {
        assert_eq!(fixture.problem(file), expected, "{file}");
    }
    assert!(matches!(fixture.map("binary.js"), Err(MapProblem::Broken(..))));
}

#[test]
fn rejects_large_files_and_maps() {
    let fixture =
        Fixture::new(&[("app/map.js", "x();\n"), ("app/map.js.map", ""), ("app/text.js", "")]);
    for file in ["map.js.map", "text.js"] {
        let file =
            fs::File::options().write(true).open(fixture.0.path().join("app").join(file)).unwrap();
        file.set_len((128 << 20) + 1).unwrap();
    }
    for file in ["map.js", "text.js"] {
        assert!(matches!(fixture.map(file), Err(MapProblem::TooLarge)), "{file}");
    }
}

#[test]
fn resolves_sources_against_the_map_and_its_source_root() {
    let map = |root: &str, sources: &str| {
        format!(r#"{{"version":3,"sourceRoot":"{root}","sources":[{sources}],"mappings":""}}"#)
    };
    let fixture = Fixture::new(&[
        ("app/src/a.ts", ""),
        ("app/src/b c.ts", ""),
        ("app/out/deep/one.js", "\n//# sourceMappingURL=../maps/one.map"),
        (
            "app/out/maps/one.map",
            &map(
                "../..",
                r#""src/a.ts","./src/b%20c.ts","/src/a.ts","webpack://app/./src/a.ts","",null"#,
            ),
        ),
        ("app/two.js", ""),
        (
            "app/two.js.map",
            &map("", r#""src/a.ts","src/none%20.ts","../../etc/passwd","file:///etc/passwd""#),
        ),
        ("app/three.js", ""),
        ("app/three.js.map", &map("webpack:///", r#""src/a.ts""#)),
    ]);
    assert_eq!(
        fixture.originals("out/deep/one.js")[..4],
        [
            "/srv/app/src/a.ts → src/a.ts",
            "/srv/app/src/b c.ts → src/b c.ts",
            "/src/a.ts",
            "webpack://app/./src/a.ts",
        ]
    );
    assert_eq!(
        fixture.originals("two.js"),
        ["/srv/app/src/a.ts → src/a.ts", "/srv/app/src/none .ts", "/etc/passwd", "/etc/passwd"]
    );
    assert_eq!(fixture.originals("three.js"), ["webpack:///src/a.ts"]);
}

#[test]
fn opens_nothing_outside_the_workspace() {
    let up = "x();\n//# sourceMappingURL=../secret.map\n";
    let absolute = "x();\n//# sourceMappingURL=file:///etc/passwd\n";
    let fixture = Fixture::new(&[
        ("secret.map", ONE),
        ("secret.js", "x();\n//# sourceMappingURL=secret.map\n"),
        ("app/up.js", up),
        ("app/absolute.js", absolute),
        ("app/link.js", "x();\n//# sourceMappingURL=link.js.map\n"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        fixture.0.path().join("secret.map"),
        fixture.0.path().join("app/link.js.map"),
    )
    .unwrap();
    for file in ["up.js", "absolute.js", "link.js"] {
        assert!(matches!(fixture.map(file), Err(MapProblem::Missing(_))), "{file}");
    }
    assert!(fixture.map("../secret.js").unwrap().is_none());
    assert!(!Path::new("/srv/app").exists(), "names of the profile are not opened");
}

#[test]
fn a_column_uses_the_mapping_before_it_in_its_line() {
    let code = "a(b)(c);\nd();\n";
    let mappings =
        [(0, 0, Some((0, 5, 2))), (0, 4, None), (0, 5, Some((1, 7, 0))), (1, 2, Some((0, 9, 4)))];
    let fixture = Fixture::new(&[
        ("app/x.js", code),
        ("app/x.js.map", &map_of(&["a.ts", "b.ts"], &mappings)),
    ]);
    let map = fixture.map("x.js").unwrap().unwrap();
    assert_eq!(map.executing(1, 1), at(0, 5, 3));
    assert_eq!(map.executing(1, 4), at(0, 5, 3));
    assert_eq!(map.executing(1, 5), Executing::Generated);
    assert_eq!(map.executing(1, 8), at(1, 7, 1));
    assert_eq!(map.executing(2, 1), Executing::Generated, "the line before does not count");
    assert_eq!(map.executing(2, 3), at(0, 9, 5));
    assert_eq!(map.executing(7, 1), Executing::Generated);
    assert_eq!(map.executing(0, 1), Executing::Generated);
}

/// The place for each line of `code`, without columns.
fn by_line(code: &str, sources: &[&str], mappings: &[Mapping]) -> Vec<Executing> {
    let fixture = Fixture::new(&[("app/x.js", code), ("app/x.js.map", &map_of(sources, mappings))]);
    let map = fixture.map("x.js").unwrap().unwrap();
    (1..=code.lines().count() as u32).map(|line| map.executing(line, 0)).collect()
}

#[test]
fn a_line_without_a_column_maps_to_its_first_code() {
    let code = "call(a, b);\n  loop();\nhelper();\n    tail();\n";
    let mappings = [
        // One statement with three original lines.
        (0, 0, Some((0, 3, 0))),
        (0, 5, Some((0, 4, 2))),
        (0, 8, Some((0, 5, 2))),
        // esbuild repeats the last place of the previous line first.
        (1, 0, Some((0, 5, 2))),
        (1, 2, Some((0, 8, 4))),
        (1, 6, Some((0, 8, 8))),
        // No mapping before the first code.
        (3, 6, Some((0, 9, 1))),
    ];
    let lines = by_line(code, &["a.ts"], &mappings);
    assert_eq!(lines, [at(0, 3, 1), at(0, 8, 5), Executing::Generated, at(0, 9, 2)]);
}

#[test]
fn code_of_a_function_that_starts_in_the_line_is_after_its_start() {
    // esbuild joins the lines of a statement.
    let code = "  return rows.filter((x) => f(x)).map((y) => g(y));\n";
    let mappings = [
        (0, 2, Some((0, 6, 2))),
        (0, 9, Some((0, 6, 9))),
        (0, 14, Some((0, 7, 5))),
        (0, 21, Some((0, 7, 12))),
        (0, 28, Some((0, 7, 19))),
        (0, 34, Some((0, 8, 5))),
        (0, 38, Some((0, 8, 9))),
    ];
    let fixture =
        Fixture::new(&[("app/x.js", code), ("app/x.js.map", &map_of(&["a.ts"], &mappings))]);
    let map = fixture.map("x.js").unwrap().unwrap();
    assert_eq!(map.executing_after(1, 0), at(0, 6, 3));
    assert_eq!(map.executing_after(1, 22), at(0, 7, 13));
    assert_eq!(map.executing_after(1, 39), at(0, 8, 10));
    assert_eq!(map.executing_after(1, 999), Executing::Generated);
    assert_eq!(map.executing_after(0, 1), Executing::Generated);
}

#[test]
fn a_line_of_several_statements_maps_to_a_common_line_or_nothing() {
    let code = "a();b()\nc();d()\ne(f)\ng(h);\n";
    let mappings = [
        (0, 0, Some((0, 1, 0))),
        (0, 4, Some((0, 2, 0))),
        (1, 0, Some((0, 5, 0))),
        (1, 4, Some((0, 5, 6))),
        // Code of two files, even in one statement.
        (2, 0, Some((0, 6, 0))),
        (2, 2, Some((1, 1, 0))),
        // The end of a statement has a mapping as well.
        (3, 0, Some((0, 7, 0))),
        (3, 2, Some((0, 8, 0))),
        (3, 5, Some((0, 9, 0))),
    ];
    let lines = by_line(code, &["a.ts", "b.ts"], &mappings);
    assert_eq!(lines, [Executing::Packed, at(0, 5, 1), Executing::Packed, at(0, 7, 1)]);
}

#[test]
fn a_line_with_one_statement_maps_to_its_first_code_whatever_is_in_its_parentheses() {
    let code = "for (let i = 0; i < n; i++) r += i;\nreturn rows.map((x) => { pick(x); }, y);\n";
    let mappings = [
        (0, 0, Some((0, 2, 2))),
        (0, 28, Some((0, 3, 4))),
        (1, 0, Some((0, 5, 2))),
        (1, 16, Some((0, 6, 4))),
        (1, 25, Some((0, 7, 6))),
        (1, 37, Some((0, 9, 4))),
    ];
    let fixture =
        Fixture::new(&[("app/x.js", code), ("app/x.js.map", &map_of(&["a.ts"], &mappings))]);
    let map = fixture.map("x.js").unwrap().unwrap();
    assert_eq!(map.executing(1, 0), at(0, 2, 3));
    assert_eq!(map.executing(2, 0), at(0, 5, 3));
    // What a closure executes is in its block.
    assert_eq!(map.executing_after(2, 17), at(0, 7, 7));
}

#[test]
fn a_line_that_begins_with_an_end_maps_to_the_code_after_it() {
    let code = "  } else if (f(x)) {\n  };\n} while (g(x));\n}) + h;\n";
    let mappings = [
        (0, 2, Some((0, 5, 2))),
        (0, 4, Some((0, 6, 2))),
        (0, 9, Some((0, 6, 7))),
        (1, 2, Some((0, 7, 2))),
        // esbuild has no mapping at the word.
        (2, 0, Some((0, 9, 2))),
        (2, 9, Some((0, 10, 9))),
        // No mapping after the end.
        (3, 0, Some((0, 12, 0))),
    ];
    let lines = by_line(code, &["a.ts"], &mappings);
    assert_eq!(lines, [at(0, 6, 3), at(0, 7, 3), at(0, 10, 10), at(0, 12, 1)]);
}

#[test]
fn the_outermost_function_of_a_bundle_has_no_original() {
    let code = "a();\nb();\n";
    let start = |sources: &[&str]| {
        let mappings = [(0, 0, Some((0, 1, 0))), (1, 0, Some((0, 2, 0)))];
        let fixture =
            Fixture::new(&[("app/x.js", code), ("app/x.js.map", &map_of(sources, &mappings))]);
        let map = fixture.map("x.js").unwrap().unwrap();
        (map.start(1, 1).map(|place| place.line), map.start(2, 1).map(|place| place.line))
    };
    assert_eq!(start(&["a.ts"]), (Some(1), Some(2)));
    assert_eq!(start(&["a.ts", "b.ts"]), (None, Some(2)));
}

#[test]
fn joins_the_sections_of_an_index_map() {
    let section = |line: u32, column: u32, map: &str| {
        format!(r#"{{"offset":{{"line":{line},"column":{column}}},"map":{map}}}"#)
    };
    let index =
        |sections: &[String]| format!(r#"{{"version":3,"sections":[{}]}}"#, sections.join(","));
    let first = map_of(&["a.ts"], &[(0, 0, Some((0, 1, 0))), (1, 0, Some((0, 2, 0)))]);
    let second = map_of(&["b.ts"], &[(0, 0, Some((0, 7, 0))), (1, 0, Some((0, 8, 0)))]);
    let nested = index(&[section(0, 3, &second)]);
    let far = section(u32::MAX, 0, &first);
    let fixture = Fixture::new(&[
        ("app/x.js", "a();\nb();c();\nd();\n"),
        (
            "app/x.js.map",
            &index(&[section(0, 0, &first), section(1, 1, &nested), section(0, u32::MAX, &second)]),
        ),
        ("app/y.js", "a();\n"),
        ("app/y.js.map", &index(&[far])),
    ]);
    let map = fixture.map("x.js").unwrap().unwrap();
    let names: Vec<_> = map.originals().iter().map(|original| original.name.clone()).collect();
    let place = |line, column| match map.executing(line, column) {
        Executing::At(place) => format!("{}:{}", names[place.original], place.line),
        other => format!("{other:?}"),
    };
    assert_eq!(
        [place(1, 1), place(2, 4), place(2, 5), place(3, 1)],
        ["/srv/app/a.ts:1", "/srv/app/a.ts:2", "/srv/app/b.ts:7", "/srv/app/b.ts:8"]
    );
    // A line after all sections has no original, and nothing overflows.
    assert!(matches!(fixture.map("y.js"), Err(MapProblem::Stale { line: u32::MAX, .. })));
}

#[test]
fn detects_a_place_where_no_token_begins() {
    let fixture = Fixture::new(&[("app/x.js", "ab();\n  \"é😀\",b()\n\n"), ("app/x.js.map", ONE)]);
    let map = fixture.map("x.js").unwrap().unwrap();
    let starts = |places: &[(u32, u32)]| {
        places.iter().map(|&(line, column)| map.could_start_at(line, column)).collect::<Vec<_>>()
    };
    assert_eq!(
        starts(&[(1, 1), (1, 3), (2, 0), (2, 1), (2, 3), (2, 9), (2, 10), (3, 1)]),
        [true; 8]
    );
    // Inside a word, after the end, at a blank, after the file.
    assert_eq!(starts(&[(1, 2), (1, 6), (1, 7), (2, 2), (2, 12), (9, 1), (9, 0)]), [false; 7]);
}

#[test]
fn malformed_maps_do_not_panic() {
    let map = map_of(
        &["a.ts", "b.ts"],
        &[(0, 0, Some((0, 1, 0))), (0, 4, Some((1, 2, 0))), (1, 0, Some((0, 3, 0)))],
    );
    let index =
        format!(r#"{{"version":3,"sections":[{{"offset":{{"line":1,"column":2}},"map":{map}}}]}}"#);
    let deep = format!(
        "{}{}",
        r#"{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":"#.repeat(5000),
        "}]}".repeat(5000)
    );
    let huge = r#"{"version":3,"sources":["a.ts"],"mappings":"+/////HAAA,g+/////HA+/////HA,gggggggggggggE"}"#;
    let below = r#"{"version":3,"sources":["a.ts"],"mappings":"DAAA,AADA,AAAD"}"#;
    let mut texts = vec![
        deep,
        huge.to_owned(),
        below.to_owned(),
        String::new(),
        "{}".to_owned(),
        ")]}'\r".to_owned(),
    ];
    for whole in [&map, &index] {
        texts.extend((0..whole.len()).map(|end| whole[..end].to_owned()));
        texts.extend(
            (0..whole.len()).map(|at| format!("{}{}{}", &whole[..at], "7", &whole[at + 1..])),
        );
    }
    let fixture = Fixture::new(&[("app/x.js", "a();b();\nc();\n")]);
    for text in texts {
        fs::write(fixture.0.path().join("app/x.js.map"), &text).unwrap();
        if let Ok(Some(map)) = fixture.map("x.js") {
            for (line, column) in [(1, 0), (1, 1), (1, 9), (2, 0), (2, 3), (u32::MAX, u32::MAX)] {
                map.executing(line, column);
                map.start(line, column);
                map.could_start_at(line, column);
            }
        }
    }
}
