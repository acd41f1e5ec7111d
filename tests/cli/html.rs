//! `costline html`: its numbers, what hostile names do in a browser, and its size.
//!
//! The tests in a browser need Chromium, that of accessibility also axe (`.ci/tools`). They are
//! skipped without these, or fail if `COSTLINE_REQUIRE_TOOLS` is set.

#[cfg(feature = "grammars")]
use crate::RUST;
use crate::{costline, fixture, run};
use mercury_files::deep::DeepFile;
use roxmltree::{Document, Node};
#[cfg(feature = "grammars")]
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const GO: &str = "pprof/go-indexer-cpu/cpu.pb.gz";

/// The page without its document type, so that it is XML.
fn xml(page: &str) -> &str {
    page.strip_prefix("<!DOCTYPE html>\n").unwrap()
}

fn rows<'a>(page: &'a Document<'a>, is_table: impl Fn(&Node<'_, '_>) -> bool) -> Vec<Node<'a, 'a>> {
    let table = page.descendants().find(|node| node.has_tag_name("table") && is_table(node));
    let body = table.unwrap().children().find(|node| node.has_tag_name("tbody")).unwrap();
    body.children().filter(Node::is_element).collect()
}

/// All text in an element.
fn text(node: &Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// The raw values of the cells of a row.
fn values<'a>(row: &Node<'a, 'a>) -> Vec<&'a str> {
    row.children().filter_map(|cell| cell.attribute("data-value")).collect()
}

/// A number of a report, as the page has it.
#[cfg(feature = "grammars")]
fn raw(number: &Value) -> String {
    if number.is_null() { String::new() } else { number.to_string() }
}

#[cfg(feature = "grammars")]
#[test]
fn every_number_is_that_of_the_report() {
    for profile in [RUST, GO] {
        let profile = fixture(profile);
        let root = profile.parent().unwrap().to_str().unwrap();
        let profile = profile.to_str().unwrap();
        let page = run(["html", "--root", root, profile]).stdout;
        let report = run(["report", "--json", "--root", root, profile]).stdout;
        let report: Value = serde_json::from_str(&report).unwrap();
        // The view of own code charges libraries to the own functions that call them.
        let own_code = run(["report", "--json", "--own", "--root", root, profile]).stdout;
        let own_code: Value = serde_json::from_str(&own_code).unwrap();
        let page = Document::parse(xml(&page)).unwrap();
        let known = |key: &str| report[key].as_array().unwrap().iter();
        let charges = own_code["functions"].as_array().unwrap().iter();
        let charges: Vec<_> = charges.map(|row| (&row["name"], raw(&row["self"]))).collect();
        let mut charged_own = 0;

        let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
        assert!(!functions.is_empty());
        let mut compared = 0;
        for row in functions {
            let [charged, own, total, name, place] = values(&row)[..] else { panic!("{row:?}") };
            let same_name: Vec<_> = charges.iter().filter(|(it, _)| *it == name).collect();
            if let [(_, charge)] = same_name[..] {
                assert_eq!(charged, *charge, "{name}");
                charged_own += 1;
            }
            let mut same = known("definitions").chain(known("functions")).filter(|function| {
                let file = function["file"].as_str().unwrap_or_default();
                let file = file.rsplit('/').next().unwrap();
                let recorded = format!("{file}:{}", function["line"]);
                function["name"] == name && place.rsplit(['/', '\\']).next() == Some(&*recorded)
            });
            // Generic instances are joined, and what has no line is found by its library.
            let Some(same) = same.next() else { continue };
            assert_eq!(
                (raw(&same["self"]), raw(&same["total"])),
                (own.into(), total.into()),
                "{name}"
            );
            compared += 1;
        }
        assert!(compared > 5 && charged_own > 2, "{compared} {charged_own}");
        let mut compared = 0;
        for table in page.descendants().filter_map(|node| node.attribute("data-path")) {
            let rows = rows(&page, |other| other.attribute("data-path") == Some(table));
            for row in rows.into_iter().filter(|row| row.attribute("class") != Some("lens")) {
                let number = row.children().filter(Node::is_element).nth(2).unwrap().text();
                let [own, total] = values(&row)[..] else {
                    assert_eq!(number, Some("⋮"), "{row:?}");
                    continue;
                };
                let line = known("lines").find(|line| {
                    Path::new(line["path"].as_str().unwrap_or_default()).ends_with(table)
                        && Some(line["line"].to_string().as_str()) == number
                });
                let expected = line.map(|line| (raw(&line["self"]), raw(&line["total"])));
                assert_eq!(expected.unwrap_or_default(), (own.into(), total.into()), "{table}");
                compared += 1;
            }
        }
        assert!(compared > 10, "{compared}");
    }
}

#[test]
fn sources_can_be_left_out_and_files_are_not_overwritten() {
    let profile = fixture(GO);
    let root = profile.parent().unwrap().to_str().unwrap();
    let profile = profile.to_str().unwrap();
    let page = run(["html", "--no-sources", "--root", root, profile]).stdout;
    assert!(!page.contains(">Sources<") && !page.contains("package main"));
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("page.html");
    let file = file.to_str().unwrap();
    assert_eq!(run(["html", profile, "-o", file]).code, Some(0));
    let again = run(["html", profile, "-o", file]);
    assert_eq!(again.code, Some(3));
    assert!(again.stderr.contains("use --overwrite"), "{}", again.stderr);
    let folder = folder.path().to_str().unwrap();
    for overwrite in [&[][..], &["--overwrite"]] {
        let ran =
            costline().args(["html", profile, "-o", folder]).args(overwrite).output().unwrap();
        let message = String::from_utf8(ran.stderr).unwrap();
        assert!(message.ends_with(": is a folder; pass a file name\n"), "{message}");
    }
}

#[test]
fn a_baseline_adds_the_change_of_the_total_and_of_functions() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let before = write("before.folded", "main;work 9000\nmain;rest 1000\n");
    let now = write("now.folded", "main;work 4000\nmain;rest 1000\n");
    let page = run(["html", "--baseline", &before, &now]).stdout;
    let page = Document::parse(xml(&page)).unwrap();
    let comparison = page.descendants().find(|node| node.attribute("id") == Some("comparison"));
    assert!(
        comparison.unwrap().text().unwrap().contains("10,000")
            || comparison.unwrap().text().unwrap().contains("10000")
    );
    let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
    assert_eq!(values(&functions[0])[..2], ["4000", "4000"]);
}

/// `work` has 2 and 4 samples: mean 3, and a sample standard deviation of the square root of 2.
#[test]
fn hot_spots_of_a_mean_have_a_spread() {
    let folder = TempDir::new().unwrap();
    let runs = [("1.folded", "main;work 2\nmain 1\n"), ("2.folded", "main;work 4\nmain 1\n")];
    for (name, text) in runs {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = costline();
    command.args(["html", "1.folded", "2.folded", "--combine", "average"]);
    let page = String::from_utf8(command.current_dir(folder.path()).output().unwrap().stdout);
    let page = page.unwrap();
    let page = Document::parse(xml(&page)).unwrap();
    let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
    let cells = |row: &Node<'_, '_>| {
        let cells = row.children().filter(Node::is_element).filter_map(|cell| cell.text());
        cells.take(3).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(
        functions.iter().map(cells).collect::<Vec<_>>(),
        [
            "75.0% (3 samples) ±1.41 samples | 75.0% (3 samples) ±1.41 samples | work",
            "25.0% (1 sample) ±0 samples | 100.0% (4 samples) ±1.41 samples | main",
        ]
    );
}

/// `slow` rose from 10 to 40 samples, `fast` fell from 60 to 20.
#[test]
fn colors_of_a_comparison_show_the_direction() {
    let folder = TempDir::new().unwrap();
    let files = [
        ("a.py", "def slow():\n    pass\ndef fast():\n    pass\n"),
        ("old.folded", "slow (a.py:2) 10\nfast (a.py:4) 60\nsame (/usr/lib/x.py:9) 30\n"),
        ("new.folded", "slow (a.py:2) 40\nfast (a.py:4) 20\nsame (/usr/lib/x.py:9) 30\n"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let page = |arguments: &[&str]| {
        let mut command = costline();
        command.args(["html", "new.folded"]).args(arguments).current_dir(folder.path());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let classes = |page: &str| {
        let page = Document::parse(xml(page)).unwrap();
        let all = page.descendants().filter(|node| node.has_tag_name("tr"));
        let classes = all.filter_map(|row| row.attribute("class"));
        classes.filter(|class| !["", "lens"].contains(class)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(classes(&page(&[])), ["tier3"; 5]);
    let compared = classes(&page(&["--baseline", "old.folded"]));
    let count = |class: &str| compared.iter().filter(|it| *it == class).count();
    // A function and a line each; `same` has no line in the file.
    assert_eq!((count("slower3"), count("faster3"), compared.len()), (2, 2, 4), "{compared:?}");
}

/// As the sources of the page.
#[cfg(feature = "grammars")]
#[test]
fn the_place_of_a_function_is_its_line_in_the_file_as_it_is_now() {
    let recorded = fixture(GO);
    let folder = TempDir::new().unwrap();
    for name in ["go.mod", "main.go", "cpu.pb.gz"] {
        fs::copy(recorded.with_file_name(name), folder.path().join(name)).unwrap();
    }
    let cache = TempDir::new().unwrap();
    let page = || {
        let mut command = costline();
        command.args(["html", "cpu.pb.gz", "--root", "."]).current_dir(folder.path());
        let output = command.env("COSTLINE_CACHE_DIR", cache.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // A copy of the source is kept, so that the recorded text is known after the edit.
    assert!(page().contains("main.go:68"));
    let source = folder.path().join("main.go");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, format!("// a\n// b\n// c\n{text}")).unwrap();
    let page = page();
    assert!(page.contains("\"place\":\"main.go:71\"") && !page.contains("main.go:68"));
    let page = Document::parse(xml(&page)).unwrap();
    let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
    let places = functions.iter().map(|row| values(row)[3..5].join(" ")).collect::<Vec<_>>();
    assert!(places.contains(&"main.collatz main.go:71".to_owned()), "{places:?}");
}

#[cfg(feature = "grammars")]
#[test]
fn functions_in_files_of_one_name_have_different_places() {
    let folder = TempDir::new().unwrap();
    let places = ["a", "b"].map(|name| Path::new(name).join("app.py:1").display().to_string());
    for name in ["a", "b"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("app.py"), "def work():\n    pass\n").unwrap();
    }
    let profile = folder.path().join("cpu.folded");
    fs::write(&profile, "work (a/app.py:2) 3\nwork (b/app.py:2) 2\n").unwrap();
    let root = folder.path().to_str().unwrap();
    let page = run(["html", "--root", root, profile.to_str().unwrap()]).stdout;
    for place in &places {
        assert!(page.contains(&format!("\"place\":{}", serde_json::json!(place))), "{page}");
    }
    let page = Document::parse(xml(&page)).unwrap();
    let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
    let shown: Vec<_> = functions.iter().map(|row| values(row)[3]).collect();
    assert_eq!(shown, places);
}

/// The line that was recorded was the second, and is now the third.
#[test]
fn lines_that_may_have_moved_are_marked() {
    let folder = TempDir::new().unwrap();
    let (profile, source) = (folder.path().join("cpu.folded"), folder.path().join("a.py"));
    fs::write(&profile, "work (a.py:2) 3\n").unwrap();
    fs::write(&source, "# Works.\ndef work():\n    pass\n").unwrap();
    let later = SystemTime::now() + Duration::from_secs(3600);
    fs::File::options().write(true).open(&source).unwrap().set_modified(later).unwrap();
    let root = folder.path().to_str().unwrap();
    let page = run(["html", "--root", root, profile.to_str().unwrap()]).stdout;
    let note = "the file is newer than the profile: lines marked with ~ may have moved";
    assert!(page.contains(&format!("<p>{note}</p>")));
    let page = Document::parse(xml(&page)).unwrap();
    let lines = rows(&page, |table| table.attribute("data-path").is_some());
    let marked = lines.iter().find(|row| values(row) == ["3", "3"]).unwrap();
    let cells: Vec<_> =
        marked.children().filter(Node::is_element).map(|cell| text(&cell)).collect();
    let cost = "~100.0% (3 samples)";
    assert_eq!(cells, [cost, cost, "2", "def work():"]);
}

/// `even` calls `odd`, which calls `even`. The three calls of `odd` spend 3 of 13 in it.
#[test]
fn the_total_of_a_line_in_a_recursion_has_the_same_text_as_elsewhere() {
    let folder = TempDir::new().unwrap();
    let body = |n: usize| "    true,\n".repeat(n - 1) + "    true.\n";
    let text = format!(
        ":- module m.\n\nmain(!IO) :-\n{}even(N, E) :-\n{}odd(N, O) :-\n{}leaf(N) = N.\n",
        body(6),
        body(9),
        body(9)
    );
    fs::write(folder.path().join("m.m"), text).unwrap();
    let profile = folder.path().join("Deep.data");
    fs::write(&profile, DeepFile::even_odd().bytes()).unwrap();
    let (root, profile) = (folder.path().to_str().unwrap(), profile.to_str().unwrap());
    let page = run(["html", "--root", root, profile]).stdout;
    let page = Document::parse(xml(&page)).unwrap();
    let lines = rows(&page, |table| table.attribute("data-path").is_some());
    let cells = |row: &Node<'_, '_>| -> Vec<String> {
        let cells = row.children().filter(Node::is_element);
        cells.map(|cell| cell.text().unwrap_or_default().to_owned()).collect()
    };
    let mut lines = lines.iter().map(cells);
    let total = "23.1% (3 callseqs) + recursion";
    assert_eq!(lines.find(|cells| cells[2] == "12").unwrap()[1], total);
    let report = run(["report", "--by", "line", "--root", root, profile]).success();
    assert!(report.contains(&format!("{total}  m.m:12\n")), "{report}");
    let annotated = run(["annotate", "--root", root, profile, "m.m"]).success();
    assert!(annotated.contains("23.1% + recursion"), "{annotated}");
}

/// `work` took 60 of 100 ms and now takes 50 of 50.
#[test]
fn costs_are_compared_as_the_option_says() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, weights: [u32; 2]| {
        let path = folder.path().join(name);
        let text = serde_json::json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": { "frames": [{ "name": "work" }, { "name": "rest" }] },
            "profiles": [{
                "type": "sampled", "name": "cpu", "unit": "milliseconds",
                "startValue": 0, "endValue": 100, "samples": [[0], [1]], "weights": weights,
            }],
        });
        fs::write(&path, text.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (before, now) = (write("before.json", [60, 40]), write("now.json", [50, 0]));
    let change = |how: &str| {
        let page = run(["html", "--baseline", &before, "--compare", how, &now]).stdout;
        let page = Document::parse(xml(&page)).unwrap();
        let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
        let cells: Vec<_> = functions[0].children().filter(Node::is_element).collect();
        assert_eq!(cells[3].text(), Some("work"));
        cells[2].text().unwrap_or_default().to_owned()
    };
    assert_eq!((change("absolute").as_str(), change("share").as_str()), ("▼10.0 ms", "▲40.0"));
}

/// A name and a source with markup.
fn hostile() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let name = "<img src=x onerror=\"document.title='gone'\">'\"</script><script>document.title='gone'</script>";
    let text = format!("main (app.py:1);{name} (app.py:2) 10\n");
    let source = "main()\nx = \"</td></table><script>document.title='gone'</script>\"\n";
    fs::write(folder.path().join("app.py"), source).unwrap();
    let profile = folder.path().join("a.folded");
    fs::write(&profile, text).unwrap();
    let page =
        costline().args(["html", "--root"]).arg(folder.path()).arg(&profile).output().unwrap();
    (folder, String::from_utf8(page.stdout).unwrap())
}

#[test]
fn hostile_names_and_sources_are_text() {
    let (_folder, page) = hostile();
    let page = Document::parse(xml(&page)).unwrap();
    let count = |tag: &str| page.descendants().filter(|node| node.has_tag_name(tag)).count();
    // That of the table, the data of the flame graph, and its script.
    assert_eq!((count("script"), count("img"), count("style")), (3, 0, 1));
    let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
    assert!(functions.iter().any(|row| values(row)[2].contains("<img src=x")));
}

/// Whether a tool is there. Fails if it must be.
#[track_caller]
fn is_there(found: bool, tool: &str) -> bool {
    if !found {
        super::skip_without(tool);
    }
    found
}

/// The page after its scripts ran, as HTML. `None` without Chromium.
fn in_browser(page: &Path) -> Option<String> {
    let state = TempDir::new().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", state.path().display()))
        .arg("--dump-dom")
        .arg(page)
        .output();
    let output = output.ok().filter(|output| output.status.success());
    is_there(output.is_some(), "chromium")
        .then(|| String::from_utf8(output.unwrap().stdout).unwrap())
}

#[test]
fn a_browser_runs_no_script_but_that_of_the_page() {
    let (folder, page) = hostile();
    let file = folder.path().join("page.html");
    // An injected script is stopped by the policy as well.
    let injected = page.replace("</main>", "<script>document.title='gone'</script></main>");
    for page in [page, injected] {
        fs::write(&file, page).unwrap();
        let Some(shown) = in_browser(&file) else { return };
        assert!(shown.contains("<title>a.folded – Costline</title>"), "{shown}");
    }
}

/// The page with a script at its end, without the policy that would not run it.
fn with_script(page: &str, script: &str) -> String {
    let policy = page.find("<meta http-equiv").unwrap();
    let end = policy + page[policy..].find("/>").unwrap() + 2;
    let page = [&page[..policy], &page[end..]].concat();
    let (before, after) = page.rsplit_once("</main>").unwrap();
    format!("{before}<script type=\"module\">{script}</script></main>{after}")
}

/// The leaf is 2000 frames deep, in a tenth of the samples.
#[test]
fn the_flame_graph_is_drawn_searched_and_zoomed() {
    let folder = TempDir::new().unwrap();
    let profile = folder.path().join("a.folded");
    let deep: Vec<String> = (0..2000).map(|i| format!("d{i}")).collect();
    fs::write(&profile, format!("main;work 9\nmain;{} 1\n", deep.join(";"))).unwrap();
    let page = run(["html", profile.to_str().unwrap()]).stdout;
    assert!(page.len() < 5_000_000, "{}", page.len());
    let file = folder.path().join("page.html");
    fs::write(&file, &page).unwrap();
    let Some(shown) = in_browser(&file) else { return };
    // The page's own policy permits the script, which fills the table beside the canvas.
    assert!(shown.contains("<canvas") && shown.contains("All 10 samples"), "{shown}");
    let row = |name: &str| shown.contains(&format!(">{name}</button></th><td>"));
    assert!(row("main") && row("work") && row("d0"), "{shown}");

    let search = "const field = document.querySelector('#flame input');\
         field.value = 'd1999';\
         field.dispatchEvent(new Event('input'));\
         await new Promise((resolve) => setTimeout(resolve, 1000));\
         const press = (key) => { for (const at of [field, document.querySelector('.flame-scroll')]) \
         at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); };\
         press('F3'); press('Enter');\
         const text = (part) => document.querySelector('.flame-' + part).textContent;\
         document.title = [text('found'), text('details'), text('path')].join(' | ');";
    fs::write(&file, with_script(&page, search)).unwrap();
    let Some(shown) = in_browser(&file) else { return };
    let title = shown.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert_eq!(
        title,
        "10.0% · 1 of 1 frame | d1999 · 10.0% (1 sample) · self 10.0% (1 sample) · no source | \
         All 10 samples…d1996d1997d1998d1999"
    );
}

/// `work` falls from 90000 to 10000 samples of 100000, `wait` rises from 10000 to 90000.
#[test]
fn a_comparison_has_a_legend() {
    let folder = TempDir::new().unwrap();
    let [before, now] = [("before", 90_000), ("now", 10_000)].map(|(name, work)| {
        let profile = folder.path().join(format!("{name}.folded"));
        fs::write(&profile, format!("main;work {work}\nmain;wait {}\n", 100_000 - work)).unwrap();
        profile.to_str().unwrap().to_owned()
    });
    let page = run(["html", "--baseline", &before, &now]).stdout;
    let file = folder.path().join("page.html");
    fs::write(&file, &page).unwrap();
    let Some(shown) = in_browser(&file) else { return };
    let legend = shown.split("flame-legend\"").nth(1).unwrap().split("</ul>").next().unwrap();
    assert!(legend.contains(">▼ from 20%</li>") && legend.contains(">▲ from 20%</li>"), "{legend}");
    let script = page.split("id=\"flame-data\"").nth(1).unwrap().split("</script>").next().unwrap();
    let tier = |name: &str| {
        let frame = script
            .split("\"name\":")
            .find(|part| part.starts_with(&format!("\"{name}\"")))
            .unwrap();
        frame.split("\"changeTier\":").nth(1).unwrap().split(',').next().unwrap().to_owned()
    };
    assert_eq!([tier("main"), tier("work"), tier("wait")], ["0", "-3", "3"]);
    // A page without a comparison has none.
    let alone = run(["html", &now]).stdout;
    assert!(alone.contains("\"legend\":[]"));
}

#[test]
fn columns_are_sorted_by_their_headings() {
    let folder = TempDir::new().unwrap();
    let profile = folder.path().join("a.folded");
    fs::write(&profile, "main;b 10\nmain;a 9\nmain 100\n").unwrap();
    let page = run(["html", profile.to_str().unwrap()]).stdout;
    let page = with_script(&page, "document.querySelectorAll('#functions th button')[2].click()");
    let file = folder.path().join("page.html");
    fs::write(&file, page).unwrap();
    let Some(shown) = in_browser(&file) else { return };
    let at = |name: &str| shown.find(&format!("<td data-value=\"{name}\">")).unwrap();
    assert!(at("a") < at("b") && at("b") < at("main"), "{shown}");
}

/// `work` calls `rest` on line 2, and has no cost of its own.
#[cfg(feature = "grammars")]
#[test]
fn rows_lead_to_their_lines_which_have_lenses_and_colors() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("a.py"),
        "def work():\n    rest(1)  # slow\n\ndef rest(n):\n    pass\n",
    )
    .unwrap();
    let profile = folder.path().join("cpu.folded");
    fs::write(&profile, "work (a.py:2);rest (a.py:5) 4\nwork (a.py:2);exit 1\n").unwrap();
    let page =
        run(["html", "--root", folder.path().to_str().unwrap(), profile.to_str().unwrap()]).stdout;
    let page = Document::parse(xml(&page)).unwrap();
    let id = |id: &str| page.descendants().find(|node| node.attribute("id") == Some(id));
    let functions = rows(&page, |table| table.attribute("id") == Some("functions"));
    let links = |row: &Node<'_, '_>| {
        let links = row.descendants().filter_map(|node| node.attribute("href"));
        links.map(str::to_owned).collect::<Vec<_>>()
    };
    let row = |name: &str| *functions.iter().find(|row| values(row).contains(&name)).unwrap();
    assert_eq!(
        (links(&row("work")), links(&row("rest"))),
        (vec!["#s0-1".into()], vec!["#s0-4".into()])
    );
    // What has no source leads nowhere.
    assert_eq!(links(&row("exit")), [""; 0]);
    let cells: Vec<_> =
        row("work").children().filter(Node::is_element).map(|cell| text(&cell)).collect();
    // The cost of `exit` is charged to `work`, whose own is nothing.
    assert_eq!(cells, ["20.0% (1 sample)", "", "100.0% (5 samples)", "work", "a.py:1"]);
    assert_eq!(text(&id("s0-4").unwrap()), "4");

    let lines = rows(&page, |table| table.attribute("data-path") == Some("a.py"));
    let lines: Vec<_> = lines.iter().map(|row| text(row).trim().to_owned()).collect();
    assert_eq!(
        lines,
        [
            "self 0.0% (0 samples) · total 100.0% (5 samples)",
            "1def work():",
            "100.0% (5 samples)2    rest(1)  # slow → rest → exit",
            "3",
            "self 80.0% (4 samples) · total 80.0% (4 samples)",
            "4def rest(n):",
            "80.0% (4 samples)80.0% (4 samples)5    pass",
        ]
    );
    let colored = |class: &str| {
        let spans = page
            .descendants()
            .filter(|node| node.has_tag_name("span") && node.attribute("class") == Some(class));
        spans.map(|node| text(&node)).collect::<Vec<_>>()
    };
    assert_eq!(colored("k"), ["def", "def", "pass"]);
    assert_eq!((colored("n"), colored("c")), (vec!["1".to_owned()], vec!["# slow".to_owned()]));
    let contents = page.descendants().find(|node| node.has_tag_name("nav")).unwrap();
    assert_eq!(links(&contents), ["#flame-graph", "#hot-spots", "#sources", "#s0"]);
    let foot = text(&page.descendants().find(|node| node.has_tag_name("footer")).unwrap());
    assert!(foot.starts_with("Profile written 20"), "{foot}");
    assert!(foot.ends_with(&format!("UTC · Costline {}", env!("CARGO_PKG_VERSION"))), "{foot}");
}

/// 60 functions of `a.py`, and one without a source.
#[test]
fn rows_are_filtered_and_the_rest_is_shown_on_demand() {
    let folder = TempDir::new().unwrap();
    let (mut source, mut stacks) = (String::new(), "exit 1\n".to_owned());
    for i in 0..60 {
        writeln!(source, "def f{i}():\n    pass").unwrap();
        writeln!(stacks, "f{i} (a.py:{}) 2", 2 * i + 2).unwrap();
    }
    fs::write(folder.path().join("a.py"), source).unwrap();
    let profile = folder.path().join("cpu.folded");
    fs::write(&profile, stacks).unwrap();
    let page =
        run(["html", "--root", folder.path().to_str().unwrap(), profile.to_str().unwrap()]).stdout;
    let script = "const n = () => [...document.querySelectorAll('#functions tbody tr')].filter((row) => !row.hidden).length;\
         const [filter, own] = document.querySelectorAll('#filters input');\
         const all = document.querySelector('.scroll + button');\
         const found = [n(), all.textContent];\
         all.click(); found.push(n());\
         own.click(); found.push(n());\
         filter.value = 'F59'; filter.dispatchEvent(new Event('input')); found.push(n());\
         own.click(); filter.value = 'exit'; filter.dispatchEvent(new Event('input')); found.push(n());\
         document.title = found.join(' | ');";
    let file = folder.path().join("page.html");
    fs::write(&file, with_script(&page, script)).unwrap();
    let Some(shown) = in_browser(&file) else { return };
    let title = shown.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert_eq!(title, "50 | Show all 61 functions | 61 | 60 | 1 | 1");
}

#[test]
fn axe_finds_nothing() {
    let axe: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../target/tools/axe/node_modules/axe-core/axe.min.js"]
            .iter()
            .collect();
    if !is_there(axe.is_file(), "axe") {
        return;
    }
    let profile = fixture(GO);
    let root = profile.parent().unwrap().to_str().unwrap();
    let page = run(["html", "--root", root, profile.to_str().unwrap()]).stdout;
    let check = format!(
        "{}\nconst {{ violations }} = await axe.run();\
         document.title = 'axe: ' + JSON.stringify(violations.map((one) => one.id));",
        fs::read_to_string(axe).unwrap()
    );
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, with_script(&page, &check)).unwrap();
    let Some(shown) = in_browser(&file) else { return };
    let title = shown.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert_eq!(title, "axe: []");
}

#[test]
fn a_page_is_small_and_says_what_it_leaves_out() {
    let folder = TempDir::new().unwrap();
    let mut text = String::new();
    for i in 0..3000 {
        writeln!(text, "main;{}{i} 2", "f".repeat(2000)).unwrap();
    }
    let profile = folder.path().join("a.folded");
    fs::write(&profile, text).unwrap();
    let page = run(["html", profile.to_str().unwrap()]).stdout;
    assert!(page.len() < 5_000_000, "{}", page.len());
    let page = Document::parse(xml(&page)).unwrap();
    let left = page.descendants().find(|node| node.attribute("id") == Some("left-out")).unwrap();
    let shown = rows(&page, |table| table.attribute("id") == Some("functions"));
    assert_eq!(shown.len(), 500);
    // `main` and 2500 of the others, or 2501 of the others.
    let text = left.text().unwrap();
    assert!(text.starts_with("2501 functions") || text.starts_with("2,501 functions"), "{text}");
    assert!(text.contains("500") && text.contains("left out"), "{text}");
}

/// Others read the page and the comment.
#[test]
fn files_are_named_by_their_paths_in_the_project() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir(root.join("shop")).unwrap();
    fs::write(root.join("shop/views.py"), "def f():\n    work()\n").unwrap();
    let profile = |name: &str, samples: u32| {
        let path = root.join(name);
        fs::write(&path, format!("f ({}/shop/views.py:2) {samples}\n", root.display())).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (before, after) = (profile("before.folded", 100), profile("after.folded", 900));
    let root = root.to_str().unwrap();
    let page = run(["html", &after, "--root", root]).stdout;
    let comment = run(["diff", &before, &after, "--root", root, "--format", "github"]).stdout;
    let text = run(["report", &after, "--root", root]).stdout;
    for output in [page, comment, text] {
        assert!(output.contains("shop/views.py"), "{output}");
        assert!(!output.contains(root), "{output}");
    }
}
