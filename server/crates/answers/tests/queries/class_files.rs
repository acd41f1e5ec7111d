//! Classes of the JVM, whose names say nothing about their files.

use crate::support::{Project, numbered};
use answers::line_costs;
use profile::text_samples;

const MAIN: &str = "package shop;\n\npublic class Main {\n    static void main() { new Item().total(); }\n}\n\nclass Item {\n    int total() { return 1; }\n}\n";
const KOTLIN: &str = "package shop.tax\n\nclass Rate {\n    fun of(n: Int) = n * 2\n}\n";
const FILES: [(&str, &str); 2] = [("src/shop/Main.java", MAIN), ("src/All.kt", KOTLIN)];

const SAMPLES: &str = "
    shop.Main.main@4[file:shop/Main.java]    shop.Main.main@4
    shop.Item.total@8[file:shop/Item.java]   shop.tax.Rate.of@4[file:shop/tax/Rate.java]";

fn hints(project: &Project, file: &str) -> Vec<String> {
    let snapshot = project.load(text_samples::profile(SAMPLES));
    let context = project.context(snapshot, &[file]);
    let hints = line_costs(&context, &project.uri(file), 0..u32::MAX);
    hints.iter().map(numbered).collect()
}

#[test]
fn classes_are_in_the_files_that_declare_them() {
    let project = Project::new(&FILES);
    assert_eq!(hints(&project, "src/shop/Main.java"), ["4 100.0%", "8 50.0%"]);
    assert_eq!(hints(&project, "src/All.kt"), ["4 50.0%"]);
}

#[test]
fn a_class_that_two_files_declare_is_ambiguous() {
    let project = Project::new(&[FILES[0], FILES[1], ("old/Old.kt", KOTLIN)]);
    assert_eq!(hints(&project, "src/All.kt"), [""; 0]);
    let snapshot = project.load(text_samples::profile(SAMPLES));
    let messages: Vec<_> = snapshot.warnings.iter().map(|it| it.message.as_str()).collect();
    assert!(messages[0].starts_with("shop/tax/Rate.java could be any of "), "{messages:?}");
}
