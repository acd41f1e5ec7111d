//! The answers of commands: hot spots, callers and callees, the call tree, flame graphs.
//!
//! Four samples: main → parse → hash, main → eval → parse → hash, main → eval → eval → hash,
//! main → eval.

use crate::support::{Project, compared_with};
use analysis::TreeOrder;
use answers::step::show;
use answers::{
    CallStep as Step, Context, CostFields, Direction, GivenItem, HotRow, Key, PlaceFields,
    RankBy as By, RankSort as Sort, TreeNode, call_tree, flame_graph, hot_spots,
};
use profile::text_samples;
use serde_json::json;

const APP: &str = "\
fn main() {
    parse();
    eval();
}
fn parse() {
    hash();
}
fn eval() {
    parse();
    eval();
    hash();
}
fn hash() {}
";

const SAMPLES: &str = "
main@2[file:app.rs]  main@3              main@3                main@3
parse@6[file:app.rs] eval@9[file:app.rs] eval@10               eval@8
hash@13[file:app.rs] parse@6             eval@11
                     hash@13             hash@13";

fn project() -> Project {
    Project::new(&[("app.rs", APP)])
}

fn context(project: &Project) -> Context {
    project.context(project.load(text_samples::profile(SAMPLES)), &["app.rs"])
}

/// Place, self, total, share and tier.
fn fields(place: &PlaceFields, cost: &CostFields) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let (self_, total) = (text(&cost.self_text), text(&cost.total_text));
    format!("{} {self_} {total} {} {}", place.place_text, cost.share, cost.tier)
}

fn functions(context: &Context, limit: usize) -> Vec<HotRow> {
    let sort = Some(Sort::Total);
    let question = answers::HotSpotsQuestion { sort, limit: Some(limit), ..Default::default() };
    hot_spots(context, question).unwrap().unwrap().list.rows
}

#[test]
fn functions_are_hot_by_total_then_self() {
    let project = project();
    let functions = functions(&context(&project), 9);
    let rows: Vec<_> = functions
        .iter()
        .map(|one| {
            format!("{} {}", one.title, fields(one.place.as_ref().unwrap(), &one.cost.cost.fields))
        })
        .collect();
    assert_eq!(
        rows,
        [
            "main app.rs:1 0.0% 100.0% 1 3",
            "hash app.rs:13 75.0% 75.0% 0.75 3",
            "eval app.rs:8 25.0% 75.0% 0.75 3",
            "parse app.rs:5 0.0% 50.0% 0.5 3",
        ]
    );
    let eval = &functions[2];
    assert_eq!(eval.cost.text, "self 25.0% (1 sample) · total 75.0% (3 samples)");
    assert_eq!((eval.cost.label.as_str(), eval.line), ("75.0%", Some(8)));
    assert_eq!(
        (eval.place.as_ref().unwrap().uri.as_ref(), eval.place.as_ref().unwrap().line0),
        (Some(&project.uri("app.rs")), Some(7))
    );
    let item = eval.item.as_ref().unwrap();
    assert_eq!((item.name.as_str(), item.data.leaf), ("75.0% eval", None));
}

#[test]
fn lines_are_hot_by_total_and_a_limit_cuts_the_list() {
    let context = context(&project());
    let (by, sort) = (Some(By::Line.into()), Some(Sort::Total));
    let question = answers::HotSpotsQuestion { by, sort, limit: Some(3), ..Default::default() };
    let spots = hot_spots(&context, question).unwrap().unwrap();
    assert_eq!((spots.total.unwrap().0, spots.metric.as_str()), (4.0, "samples"));
    let lines = spots.list.rows;
    let rows: Vec<_> = lines
        .iter()
        .map(|one| fields(one.place.as_ref().unwrap(), &one.cost.cost.fields))
        .collect();
    let expected =
        ["app.rs:13 75.0% 75.0% 0.75 3", "app.rs:3 0.0% 75.0% 0.75 3", "app.rs:6 0.0% 50.0% 0.5 3"];
    assert_eq!(rows, expected);
    assert_eq!(functions(&context, 2).len(), 2);
}

#[test]
fn without_a_profile_there_is_no_answer() {
    let context = Context { world: std::sync::Arc::default(), ..context(&project()) };
    assert_eq!(hot_spots(&context, answers::HotSpotsQuestion::default()), Ok(None));
    assert_eq!(call_tree(&context, &answers::CallTreeQuestion::default()), None);
    assert!(
        flame_graph(&context, &answers::FlameGraphQuestion::default())
            .unwrap_err()
            .contains("no profile is loaded")
    );
    let item = item(&self::context(&project()), "eval");
    assert_eq!(show(&context, Direction::Outgoing, &item), Step::default());
}

/// The bar and the color of a row are those of the number that the list is sorted by.
#[test]
fn rows_have_the_share_of_what_they_are_sorted_by() {
    let context = context(&project());
    let shares = |sort| {
        let question = answers::HotSpotsQuestion { sort, ..Default::default() };
        let rows = hot_spots(&context, question).unwrap().unwrap().list.rows;
        let main = rows.into_iter().find(|row| row.title == "main").unwrap().cost.cost.fields;
        (main.share, main.self_share, main.tier)
    };
    // `main` is on all of 4 samples, and the leaf of none.
    assert_eq!(shares(Some(Sort::Self_)), (0.0, Some(0.0), 0));
    assert_eq!(shares(Some(Sort::Total)), (1.0, Some(0.0), 3));
}

/// Slivers are nearer to the truth than an empty image.
#[test]
fn a_flame_graph_of_narrow_frames_has_the_first_of_them() {
    let row: String = (0..3000).map(|f| format!("f{f} ")).collect();
    let context = project().context(project().load(text_samples::profile(&row)), &[]);
    let graph = flame_graph(&context, &answers::FlameGraphQuestion::default()).unwrap();
    assert_eq!((graph.frames.len(), graph.omitted), (1000, 2000));
}

#[test]
fn hot_spots_show_what_changed_since_the_baseline() {
    let project = project();
    // Before, hash was the leaf of 1 of 2 samples and eval was in 1.
    let before = project.load(text_samples::profile(
        "main@3[file:app.rs]  main@2\neval@8[file:app.rs]  parse@6[file:app.rs]\n                     hash@13[file:app.rs]",
    ));
    let context = compared_with(&context(&project), before);
    let changes = functions(&context, 3).into_iter().map(|one| {
        let change = one.cost.cost.fields.change.unwrap().total.unwrap();
        (one.cost.label, change.text, change.may_be_noise)
    });
    // Of four and of two samples, that may be chance.
    let rose = |label: &str| (label.to_owned(), Some("▲2 samples".to_owned()), true);
    assert_eq!(changes.collect::<Vec<_>>(), [rose("100.0%"), rose("75.0%"), rose("75.0%")]);
}

/// The item of a function as a client passes it back.
fn item(context: &Context, name: &str) -> GivenItem {
    let functions = functions(context, 9);
    let item = functions.into_iter().find(|one| one.title == name).unwrap().item.unwrap();
    serde_json::from_value(serde_json::to_value(item).unwrap()).unwrap()
}

/// Name, weights, and whether it is recursive or a leaf.
fn entries(step: &Step) -> Vec<String> {
    let entries = step.entries.iter();
    let row = |entry: &answers::StepEntry| {
        let marks = [(entry.recursive, " recursive"), (entry.leaf, " leaf")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let self_ = entry.self_.map_or(-1.0, |weight| weight.0);
        format!("{} {self_}/{}{marks}", entry.name, entry.total.0)
    };
    entries.map(row).collect()
}

#[test]
fn a_step_to_callees_says_where_calls_end() {
    let context = context(&project());
    let step = show(&context, Direction::Outgoing, &item(&context, "main"));
    // 3 samples through eval, of which one ends there; 1 through parse.
    assert_eq!(entries(&step), ["eval 1/3", "parse 0/1"]);
    let of = step.of.as_ref().unwrap();
    assert_eq!((of.self_.unwrap().0, of.total.0, of.est), (0.0, 4.0, false));
    assert_eq!(step.entries[0].text, "75.0% (3 samples) eval");

    let parse = serde_json::to_value(&step.entries[1].item).unwrap();
    let step = show(&context, Direction::Outgoing, &serde_json::from_value(parse).unwrap());
    assert_eq!(entries(&step), ["hash 1/1 leaf"]);
    let item = &step.entries[0].item;
    assert_eq!((item.data.leaf, item.data.place.place_text.as_str()), (Some(true), "app.rs:13"));
    // The step itself begins with the item on its path, as it is now.
    let of = step.of.unwrap().item.unwrap();
    assert_eq!((of.name.as_str(), of.data.leaf), ("25.0% parse", Some(false)));
}

#[test]
fn a_step_to_callers_lists_recursive_ones_apart() {
    let context = context(&project());
    let step = show(&context, Direction::Incoming, &item(&context, "eval"));
    assert_eq!(entries(&step), ["main 3/3 leaf", "eval 0/1 recursive"]);
    let step = show(&context, Direction::Incoming, &item(&context, "hash"));
    assert_eq!(entries(&step), ["parse 0/2", "eval 0/1"]);
}

#[test]
fn an_item_of_another_server_has_no_entries() {
    let context = context(&project());
    let mut given = item(&context, "eval");
    given.data = json!({"v": 2, "of": "another server"});
    assert_eq!(show(&context, Direction::Outgoing, &given), Step::default());
}

/// The tree, a line per node: name, weights, marks, how many children are left out.
fn tree(nodes: &[TreeNode], depth: usize, out: &mut Vec<String>) {
    for node in nodes {
        let marks = [(node.recursive, " recursive"), (node.leaf, " leaf")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let more = if node.more > 0 { format!(" +{}", node.more) } else { String::new() };
        let self_ = node.self_.map_or("-".to_owned(), |weight| weight.0.to_string());
        out.push(format!(
            "{}{} {self_}/{}{marks}{more}",
            "  ".repeat(depth),
            node.name,
            node.total.0
        ));
        assert_eq!(node.has_children, !node.leaf);
        tree(&node.children, depth + 1, out);
    }
}

fn shown_tree(context: &Context, question: &answers::CallTreeQuestion) -> Vec<String> {
    let mut out = Vec::new();
    tree(&call_tree(context, question).unwrap().nodes, 0, &mut out);
    out
}

#[test]
fn the_call_tree_is_cut_at_a_depth_and_a_limit() {
    let context = context(&project());
    let whole = answers::CallTreeQuestion { depth: Some(9), ..Default::default() };
    assert_eq!(
        shown_tree(&context, &whole),
        [
            "main 0/4",
            "  eval 1/3",
            "    parse 0/1",
            "      hash 1/1 leaf",
            "    eval 0/1 recursive",
            "      hash 1/1 leaf",
            "  parse 0/1",
            "    hash 1/1 leaf",
        ]
    );
    assert_eq!(shown_tree(&context, &answers::CallTreeQuestion::default()), ["main 0/4 +2"]);
    let cut = answers::CallTreeQuestion { depth: Some(2), limit: Some(1), ..Default::default() };
    assert_eq!(shown_tree(&context, &cut), ["main 0/4 +1", "  eval 1/3 +2"]);

    // The path of a node asks for its children.
    let top = call_tree(&context, &cut).unwrap();
    let eval = &top.nodes[0].children[0];
    assert_eq!((eval.text.as_str(), eval.percent), ("75.0% · self 25.0%", Some(75.0)));
    let below = answers::CallTreeQuestion { path: eval.path.clone(), ..Default::default() };
    assert_eq!(shown_tree(&context, &below), ["parse 0/1 +1", "eval 0/1 recursive +1"]);
}

#[test]
fn chains_of_the_call_tree_are_one_node() {
    let context = context(&project());
    let question = answers::CallTreeQuestion {
        fold: true,
        depth: Some(9),
        hot_path: true,
        ..Default::default()
    };
    let tree = call_tree(&context, &question).unwrap();
    let titles = |nodes: &[TreeNode]| -> Vec<String> {
        nodes.iter().map(|node| format!("{} {}", node.title, node.total.0)).collect()
    };
    let [main] = tree.nodes.as_slice() else { panic!("{:?}", tree.nodes) };
    assert_eq!(titles(&main.children), ["eval 3", "parse › hash 1"]);
    assert_eq!(titles(&main.children[0].children), ["parse › hash 1", "eval › hash 1"]);
    let chain = &main.children[0].children[0];
    assert_eq!((chain.name.as_str(), &chain.folded), ("hash", &vec!["parse".to_owned()]));
    let names: Vec<_> = chain.path.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(names, ["main", "eval", "parse", "hash"]);
    assert!(chain.leaf);
    let hot: Vec<_> = tree.hot_path.unwrap().into_iter().map(|node| node.key.name).collect();
    assert_eq!(hot, ["main", "eval"]);
}

#[test]
fn a_long_chain_has_its_ends_and_the_number_of_frames_between() {
    let project = Project::new(&[]);
    let snapshot = project.load(text_samples::weighted("a a\nb b\nc c\nd d\ne f", &[1.0, 2.0]));
    let context = project.context(snapshot, &[]);
    let question = answers::CallTreeQuestion { fold: true, hot_path: true, ..Default::default() };
    let tree = call_tree(&context, &question).unwrap();
    assert_eq!(tree.nodes[0].title, "a › … 2 frames › d");
    let hot: Vec<_> = tree.hot_path.unwrap().into_iter().map(|node| node.key.name).collect();
    assert_eq!(hot, ["d", "f"]);
}

#[test]
fn the_inverted_tree_goes_from_self_costs_to_callers() {
    let context = context(&project());
    let question =
        answers::CallTreeQuestion { inverted: true, depth: Some(2), ..Default::default() };
    assert_eq!(
        shown_tree(&context, &question),
        ["hash 3/3", "  parse -/2 +2", "  eval -/1 +1", "eval 1/1", "  main -/1 leaf"]
    );
    let nodes = call_tree(&context, &question).unwrap().nodes;
    assert_eq!((nodes[0].text.as_str(), nodes[0].children[0].text.as_str()), ("75.0%", "50.0%"));
}

#[test]
fn frames_of_a_flame_graph_lie_below_their_callers() {
    let graph = flame_graph(&context(&project()), &answers::FlameGraphQuestion::default()).unwrap();
    let frames: Vec<_> = graph
        .frames
        .iter()
        .map(|frame| {
            let marks = [(frame.recursive, " recursive"), (frame.leaf, " leaf")];
            let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
            format!("{} {:?} {}+{}{marks}", frame.name, frame.parent, frame.left, frame.width)
        })
        .collect();
    assert_eq!(
        frames,
        [
            "main None 0+1",
            "eval Some(0) 0+0.75",
            "parse Some(0) 0.75+0.25",
            "parse Some(1) 0+0.25",
            "eval Some(1) 0.25+0.25 recursive",
            "hash Some(2) 0.75+0.25 leaf",
            "hash Some(3) 0+0.25 leaf",
            "hash Some(4) 0.25+0.25 leaf",
        ]
    );
    assert_eq!((graph.omitted, graph.at_least), (0, false));
    let eval = &graph.frames[1];
    assert_eq!(fields(&eval.place, &eval.fields), "app.rs:8 25.0% 75.0% 0.75 3");
}

/// Each frame as `depth name self/total`, marked if it was found.
fn drawn(question: &answers::FlameGraphQuestion) -> Vec<String> {
    let graph = flame_graph(&context(&project()), question).unwrap();
    let row = |frame: &answers::FlameFrame| {
        let own = frame.self_.map_or("-".to_owned(), |own| own.0.to_string());
        let mark = if frame.found { " found" } else { "" };
        format!("{} {} {own}/{}{mark}", frame.depth, frame.name, frame.total.0)
    };
    graph.frames.iter().map(row).collect()
}

/// Of the four samples, `hash` is the leaf of three and `eval` of one.
#[test]
fn a_flame_graph_is_drawn_bottom_up_and_around_a_function() {
    let inverted =
        answers::FlameGraphQuestion { tree_order: TreeOrder::BottomUp, ..Default::default() };
    let rows = drawn(&inverted);
    assert_eq!(rows[..5], ["0 hash 3/3", "0 eval 1/1", "1 parse -/2", "1 eval -/1", "1 main -/1"]);

    let snapshot = context(&project());
    let shown = snapshot.world.snapshot().unwrap();
    let key = |name: &str| {
        let mut functions = shown.costs.functions().map(|(function, _)| function);
        Key::of(shown, functions.find(|&it| shown.function(it).name == name).unwrap())
    };
    let around = |name, tree_order| answers::FlameGraphQuestion {
        function: Some(key(name)),
        tree_order,
        ..Default::default()
    };
    // `parse` has two calls: by `eval` and by `main`.
    assert_eq!(drawn(&around("parse", TreeOrder::TopDown)), ["0 parse 0/2", "1 hash 2/2"]);
    let callers = ["0 parse 0/2", "1 main -/1", "1 eval -/1", "2 main -/1"];
    let mut rows = drawn(&around("parse", TreeOrder::BottomUp));
    rows[1..3].sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(rows, callers);
    // The outermost call of `eval` has three samples, the inner one is below it.
    assert_eq!(
        drawn(&around("eval", TreeOrder::TopDown))[..2],
        ["0 eval 1/3".to_owned(), "1 parse 0/1".to_owned()]
    );
    // Zoomed to the callee.
    let node = vec![key("parse"), key("hash")];
    let zoomed = answers::FlameGraphQuestion { node, ..around("parse", TreeOrder::TopDown) };
    let graph = flame_graph(&context(&project()), &zoomed).unwrap();
    assert_eq!((graph.above, graph.frames.len(), graph.frames[1].width), (2, 2, 1.0));
}

#[test]
fn a_search_marks_frames_and_has_the_cost_of_all_samples_with_them() {
    let ask = |text: &str, regex| answers::FlameGraphQuestion {
        search: Some(answers::FlameSearch { text: text.to_owned(), regex }),
        ..Default::default()
    };
    let found = |question: &_| flame_graph(&context(&project()), question).unwrap().found.unwrap();
    // Both `parse`, one of them below `eval`; samples with both `eval` count once.
    for (text, regex, cost, n_frames) in
        [("PAR", false, "50.0%", 2), ("^eval$", true, "75.0%", 2), ("none", false, "0.0%", 0)]
    {
        let question = ask(text, regex);
        assert_eq!(found(&question).text.as_deref(), Some(cost), "{text}");
        let marked = drawn(&question).iter().filter(|row| row.ends_with("found")).count();
        assert_eq!(marked, n_frames, "{text}");
    }
    assert!(found(&ask("(", true)).problem.is_some());
}

#[test]
fn frames_below_a_thousandth_are_not_drawn() {
    let project = project();
    let drawn = |weight: f64| {
        let samples = text_samples::weighted("hot[lib:app] cold[lib:app]", &[weight, 1.0]);
        let graph = flame_graph(
            &project.context(project.load(samples), &[]),
            &answers::FlameGraphQuestion::default(),
        )
        .unwrap();
        let names: Vec<_> = graph.frames.iter().map(|frame| frame.name.clone()).collect();
        (names.join(" "), graph.omitted)
    };
    assert_eq!(drawn(999.0), ("hot cold".to_owned(), 0));
    assert_eq!(drawn(1000.0), ("hot".to_owned(), 1));
}
