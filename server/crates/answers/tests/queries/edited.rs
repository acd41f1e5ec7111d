//! Sources that were edited since the recording: where functions and calls are now.

use crate::support::{Project, numbered, position_of};
use answers::{function_costs, functions_at, hover, line_costs, line_details, line_place};
use profile::text_samples;

const SHOP: &str = "\
class Cart:
    def total(self):
        prices = self.prices()
        found = sum(prices)
        return found

    def prices(self):
        rows = load(self)
        return [row.price for row in rows]


def load(cart):
    table = cart.table
    return table.rows()
";

const SAMPLES: &str = "
total@3[file:shop.py]   total@4   load@13[file:shop.py]
prices@8[file:shop.py]            load@14
load@14[file:shop.py]";

/// The lenses of `shop.py` with this text as `LINE NAME`, 1-based; the name is that of the profile.
fn lenses(edited: &str) -> Vec<String> {
    let project = Project::new(&[("shop.py", SHOP)]);
    let snapshot = project.load(text_samples::profile(SAMPLES));
    let context = project.context_with(snapshot, &[("shop.py", edited.to_owned())]);
    let lenses = function_costs(&context, &project.uri("shop.py"));
    lenses.iter().map(|lens| format!("{} {}", lens.line0 + 1, lens.data.func.name)).collect()
}

/// The function at a part of the edited text.
fn at(edited: &str, part: &str) -> Option<String> {
    let project = Project::new(&[("shop.py", SHOP)]);
    let snapshot = project.load(text_samples::profile(SAMPLES));
    let context = project.context_with(snapshot, &[("shop.py", edited.to_owned())]);
    let open = context.open_file(&project.uri("shop.py")).unwrap();
    let function = *functions_at(&open, position_of(edited, part)).first()?;
    Some(open.snapshot.function(function).name.to_owned())
}

#[test]
fn hovers_say_on_which_line_a_cost_was_recorded() {
    let last = |edited: &str, line0: u32| {
        let project = Project::new(&[("shop.py", SHOP)]);
        let snapshot = project.load(text_samples::profile(SAMPLES));
        let context = project.context_with(snapshot, &[("shop.py", edited.to_owned())]);
        let open = context.open_file(&project.uri("shop.py")).unwrap();
        line_details(&context, &open, line0).unwrap().recorded
    };
    assert_eq!(last(SHOP, 2), None);
    let edited = format!("import sys\n{SHOP}");
    assert_eq!(last(&edited, 3).as_deref(), Some("recorded as line 3"));
}

#[test]
fn methods_of_a_renamed_class_keep_their_costs() {
    let edited = SHOP.replace("class Cart", "class Basket");
    assert_eq!(lenses(&edited), ["2 total", "7 prices", "12 load"]);
    assert_eq!(at(&edited, "total(self)").as_deref(), Some("total"));
    assert_eq!(at(&edited, "found = sum").as_deref(), Some("total"));
}

#[test]
fn costs_follow_the_lines_of_a_function_and_not_its_name() {
    let new = "def load(cart):\n    return cart.cached\n";
    let old = SHOP.replace("def load(", "def load_old(");
    let below = format!("{old}\n\n{new}");
    assert_eq!(lenses(&below), ["2 total", "7 prices", "12 load"]);
    assert_eq!(at(&below, "load_old(cart").as_deref(), Some("load"));
    assert_eq!(at(&below, "table = cart").as_deref(), Some("load"));
    assert_eq!(at(&below, "return cart.cached"), None);
    let above = old.replace("def load_old", &format!("{new}\n\ndef load_old"));
    assert_eq!(lenses(&above), ["2 total", "7 prices", "16 load"]);
    assert_eq!(at(&above, "load_old(cart").as_deref(), Some("load"));
    assert_eq!(at(&above, "return cart.cached"), None);
    // A new text of a function is still that function.
    let rewritten = SHOP.replace("    table = cart.table\n    return table.rows()\n", "    pass\n");
    assert_eq!(lenses(&rewritten), ["2 total", "7 prices", "12 load"]);
    assert_eq!(at(&rewritten, "pass").as_deref(), Some("load"));
}

#[test]
fn a_syntax_error_in_one_function_does_not_move_the_next() {
    let broken = SHOP.replace("def load(cart):", "def read(n):\n    pass\n\n\ndef load(cart):");
    for (broken, lenses_now) in [
        (SHOP.replace("def prices(self)", "def prices(self"), ["2 total", "7 prices", "12 load"]),
        (broken.replace("def read(n)", "def read(n"), ["2 total", "7 prices", "16 load"]),
    ] {
        assert_eq!(lenses(&broken), lenses_now);
        assert_eq!(at(&broken, "load(cart").as_deref(), Some("load"));
        assert_eq!(at(&broken, "table = cart").as_deref(), Some("load"));
        assert_eq!(at(&broken, "return [row").as_deref(), Some("prices"));
        let project = Project::new(&[("shop.py", SHOP)]);
        let snapshot = project.load(text_samples::profile(SAMPLES));
        let context = project.context_with(snapshot, &[("shop.py", broken.clone())]);
        let name = position_of(&broken, "load(cart");
        assert_eq!(hover(&context, &project.uri("shop.py"), name).unwrap().title, "load");
    }
}

#[test]
fn a_lens_stays_if_a_syntax_error_makes_its_function_a_part_of_the_one_above() {
    let text = "\
def mid(n):
    a = leaf(n)
    b = leaf(n + 1)
    return a + b


def rec(n):
    if n == 0:
        return leaf(3)
    return rec(n - 1) + mid(n)


def main():
    x = mid(10)
    y = rec(5)
    return x + y
";
    let samples = "
        main@14[file:app.py] main@15
        mid@2[file:app.py]   rec@10[file:app.py]";
    let project = Project::new(&[("app.py", text)]);
    let snapshot = project.load(text_samples::profile(samples));
    let broken = text.replace("def mid(n):", "def mid(n:");
    let context = project.context_with(snapshot, &[("app.py", broken)]);
    let lenses = function_costs(&context, &project.uri("app.py"));
    let lines: Vec<_> = lenses.iter().map(|lens| (lens.line0 + 1, &*lens.data.name)).collect();
    assert_eq!(lines, [(1, "mid"), (7, "rec"), (13, "main")]);
}

#[test]
fn a_method_that_became_a_function_keeps_its_cost() {
    let method = "    def prices(self):\n        rows = load(self)\n        return [row.price for row in rows]\n";
    let function =
        "\n\ndef prices(cart):\n    rows = load(self)\n    return [row.price for row in rows]\n";
    let edited = SHOP.replace(method, "") + function;
    assert_eq!(lenses(&edited), ["2 total", "9 load", "14 prices"]);
}

#[test]
fn a_function_whose_name_was_deleted_is_on_its_first_line() {
    let edited = SHOP.replace("\n    def prices(self):\n", "");
    // Its lines are part of `total` now, which has a lens of its own.
    assert_eq!(lenses(&edited), ["2 total", "6 prices", "10 load"]);
}

#[test]
fn a_changed_call_is_where_the_call_was() {
    let project = Project::new(&[("shop.py", SHOP)]);
    let place = |edited: &str, line: u32| {
        let snapshot = project.load(text_samples::profile(SAMPLES));
        let file = snapshot.costs.lines()[0].file;
        let context = project.context_with(snapshot, &[("shop.py", edited.to_owned())]);
        let shown = context.world.snapshot().unwrap();
        line_place(&context, shown, file, line).unwrap().range.start.line0 + 1
    };
    let edited = SHOP.replace("sum(prices)", "max(prices)").replace("class", "# one\n# two\nclass");
    assert_eq!(place(&edited, 4), 6);
    // Two lines for one: the nearest unchanged line above.
    let edited =
        SHOP.replace("        found = sum(prices)\n", "        a = 1\n        found = 2\n");
    assert_eq!(place(&edited, 4), 3);
    assert_eq!(place(SHOP, 4), 4);
}

/// The lines of hints and the titles of lenses of a file.
fn shown(files: &[(&str, &str)], file: &str, samples: &str) -> Vec<String> {
    let project = Project::new(files);
    let context = project.context(project.load(text_samples::profile(samples)), &[file]);
    let uri = project.uri(file);
    let hints = line_costs(&context, &uri, 0..u32::MAX);
    let hints = hints.iter().map(numbered);
    let lenses = function_costs(&context, &uri);
    let lenses = lenses.iter().map(|lens| format!("{} {}", lens.line0 + 1, lens.title));
    hints.chain(lenses).collect()
}

#[test]
fn an_older_text_with_the_functions_elsewhere_is_a_guess() {
    let text = "# 1\n# 2\n# 3\n# 4\ndef a():\n    x()\n\n\ndef b():\n    y()\n";
    let found = shown(&[("m.py", text)], "m.py", "a@2[file:m.py] b@6[file:m.py] b@6");
    let lenses = [
        "5 ~self 33.3% (1 sample) · total 33.3% (1 sample)",
        "9 ~self 66.7% (2 samples) · total 66.7% (2 samples)",
    ];
    assert_eq!(found, lenses);
    let found = shown(&[("m.py", text)], "m.py", "a@6[file:m.py] b@10[file:m.py] b@10");
    assert_eq!(found[..2], ["6 33.3%", "10 66.7%"]);
}

#[test]
fn a_script_that_was_compiled_when_it_was_loaded_has_no_lines() {
    let text = "\
interface Options {
  n: number;
}

function cold(n: number) {
  return n;
}

function hot(options: Options) {
  return cold(options.n);
}
";
    let compiled = "cold@2[file:app.ts][start:1] hot@5[file:app.ts][start:4] hot@5";
    let found = shown(&[("app.ts", text)], "app.ts", compiled);
    assert_eq!(
        found,
        [
            "5 self 33.3% (1 sample) · total 33.3% (1 sample)",
            "9 self 66.7% (2 samples) · total 66.7% (2 samples)",
        ]
    );
    let as_it_is = "cold@6[file:app.ts][start:5] hot@10[file:app.ts][start:9] hot@10";
    let found = shown(&[("app.ts", text)], "app.ts", as_it_is);
    assert_eq!(found[..2], ["6 33.3%", "10 66.7%"]);
}

#[test]
fn a_library_file_with_the_same_base_name_is_not_mapped() {
    let game = ("game/random.py", "def level():\n    return 4\n\n\ndef next_level():\n    pass\n");
    assert_eq!(shown(&[game], game.0, "shuffle@2[file:random.py]"), [""; 0]);
    assert_eq!(shown(&[game], game.0, "level@2[file:random.py]")[0], "2 100.0%");
    // The lines tell as well, unless a function of the file is there.
    assert_eq!(shown(&[game], game.0, "level@5[file:random.py] level@4"), [""; 0]);
    let found = shown(&[game], game.0, "level@5[file:random.py] next_level@6[file:random.py]");
    assert_eq!(found[0], "6 ~50.0%");
    let cached = ("game/cached.py", "@cache\ndef level():\n    return 4\n");
    assert_eq!(shown(&[cached], cached.0, "level@1[file:cached.py]")[0], "1 100.0%");
    // In the root, it is the whole path.
    let root = ("random.py", game.1);
    assert_eq!(shown(&[root], root.0, "shuffle@2[file:random.py]")[0], "2 100.0%");
}

const LOOPS: &str = "\
int f(int n) {
    int s = 0;
    return s + n;
}
int g(int n) {
    int s = 1;
    return s * n;
}
int main() {
    int s = 0;
    return f(s) + g(s);
}
";
const IN_LOOPS: &str = "
main@11[file:a.c][start:9] main@11 main@11
f@3[file:a.c][start:1]     g@7[file:a.c][start:5]";

/// The hints of `a.c` with this text, which was written before the program ran, but after it was built.
fn hints_of_older(text: &str) -> Vec<String> {
    let project = Project::new(&[("a.c", text)]);
    let snapshot = project.load(text_samples::profile(IN_LOOPS));
    let context = project.context(snapshot, &["a.c"]);
    line_costs(&context, &project.uri("a.c"), 0..u32::MAX).iter().map(numbered).collect()
}

#[test]
fn functions_that_start_elsewhere_move_their_lines() {
    assert_eq!(hints_of_older(LOOPS), ["3 33.3%", "7 33.3%", "11 100.0%"]);
    // One function of three suffices. `f` has the length that it was recorded with.
    let above_main = LOOPS.replace("int main", "// One.\n// Two.\nint main");
    assert_eq!(hints_of_older(&above_main), ["3 33.3%", "7 ~33.3%", "13 ~100.0%"]);
    let swapped = {
        let (f, rest) = LOOPS.split_at(LOOPS.find("int g").unwrap());
        let (g, main) = rest.split_at(rest.find("int main").unwrap());
        format!("{g}{f}{main}")
    };
    assert_eq!(hints_of_older(&swapped), ["3 ~33.3%", "7 ~33.3%", "11 ~100.0%"]);
    // Lines that a shorter function does not have.
    let shorter =
        LOOPS.replace("int f(int n) {\n    int s = 0;\n    return s + n;\n", "int f(int n) {\n");
    assert_eq!(hints_of_older(&shorter), ["5 33.3%", "9 ~100.0%"]);
}

/// Compilers give functions that they generate the line of their type.
#[test]
fn a_generated_function_is_not_elsewhere() {
    let text = "struct Cart {\n  int n;\n};\n\nint use(Cart c) {\n  return c.n;\n}\n\nCart make(int n) {\n  Cart c;\n  return c;\n}\n";
    let cart = format!("{text}Cart::Cart(int n) {{\n  this->n = n;\n}}\n");
    let project = Project::new(&[("a.cpp", cart.as_str())]);
    let samples =
        "use@6[file:a.cpp][start:5] make@11[file:a.cpp][start:9] Cart::Cart@1[file:a.cpp][start:1]";
    let context = project.context(project.load(text_samples::profile(samples)), &["a.cpp"]);
    let hints = line_costs(&context, &project.uri("a.cpp"), 0..u32::MAX);
    assert!(hints.iter().all(|hint| !hint.label.contains('~')), "{hints:?}");
}
