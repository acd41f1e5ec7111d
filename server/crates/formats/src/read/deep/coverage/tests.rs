use super::super::goal::Determinism;
use super::super::procrep::Procrep;
use super::*;
use mercury_files::procrep::*;

/// A procedure and its counts.
struct Case {
    body: Written,
    calls: u64,
    exits: u64,
    sites: Vec<SiteCounts<'static>>,
    points: Vec<PointCount<'static>>,
}

impl Case {
    fn new(exits: u64, body: Written) -> Self {
        Self { body, calls: 10, exits, sites: Vec::new(), points: Vec::new() }
    }

    fn site(mut self, goal_path: &'static str, line: u32, calls: u64, exits: u64) -> Self {
        self.sites.push(SiteCounts { goal_path, line, calls, exits, exceptions: 0 });
        self
    }

    fn throws(mut self) -> Self {
        self.sites.last_mut().unwrap().exceptions = 1;
        self
    }

    /// A count of the executions that reach the end of a goal.
    fn after(mut self, goal_path: &'static str, count: u64) -> Self {
        self.points.push(PointCount { goal_path, is_branch: false, count });
        self
    }

    /// A count of the executions of a branch.
    fn branch(mut self, goal_path: &'static str, count: u64) -> Self {
        self.points.push(PointCount { goal_path, is_branch: true, count });
        self
    }

    /// The executions of each line.
    fn lines(&self) -> Result<Vec<(u32, Option<u64>)>, Misfit> {
        let options = Options { version: 6, width: 0, names: false, types: false };
        let bytes = write(options, &[("p", self.body.clone())]);
        let procrep = Procrep::read(&bytes).unwrap();
        let counts = ProcCounts {
            calls: self.calls,
            exits: self.exits,
            sites: self.sites.clone(),
            points: self.points.clone(),
        };
        let lines = lines(procrep.body(&procrep.procs[0]), &counts)?;
        Ok(lines.into_iter().map(|((_, line), count)| (line, count)).collect())
    }

    #[track_caller]
    fn expect<const N: usize>(&self, lines: [(u32, u64); N]) {
        let lines = lines.map(|(line, count)| (line, Some(count)));
        assert_eq!(self.lines(), Ok(lines.to_vec()));
    }
}

const TRUE: fn() -> Written = || conjunction(Vec::new());

#[test]
fn goals_of_a_conjunction_begin_when_the_one_before_ends() {
    let body = conjunction(vec![assignment(1), call(2), assignment(3), test(4), assignment(5)]);
    let case = Case::new(6, body.clone()).site("c2;", 2, 10, 7).after("c4;", 6);
    case.expect([(1, 10), (2, 10), (3, 7), (4, 7), (5, 6)]);
    // A test without a point after it: how often it succeeds is unknown.
    let case = Case::new(6, body).site("c2;", 2, 10, 7);
    let lines = case.lines().unwrap();
    assert_eq!(lines[3..], [(4, Some(7)), (5, None)]);
}

#[test]
fn calls_tell_how_often_they_begin() {
    let body = conjunction(vec![test(1), call(2), assignment(3)]);
    let case = Case::new(4, body).site("c2;", 2, 5, 4);
    case.expect([(1, 10), (2, 5), (3, 4)]);
}

#[test]
fn the_first_arm_of_a_disjunction_begins_with_it() {
    let body = disjunction(vec![assignment(1), assignment(2), call(3).nondet()]).nondet();
    let case = Case::new(40, body).branch("d2;", 8).branch("d3;", 7).site("d3;", 3, 7, 22);
    case.expect([(1, 10), (2, 8), (3, 7)]);
    let nothing = Case::new(0, conjunction(vec![disjunction(vec![]), assignment(1)]));
    nothing.expect([(1, 0)]);
}

#[test]
fn the_last_arm_of_a_switch_has_the_rest() {
    let arms = || vec![assignment(1), test(2), assignment(3)];
    let body = switch(arms()).semidet();
    let case = Case::new(9, body).branch("s1-3;", 6).branch("s2-3;", 3).after("s2-3;", 2);
    case.expect([(1, 6), (2, 3), (3, 1)]);
    let can_fail = goal(3, 0, arms()).semidet();
    let case = Case::new(6, can_fail).branch("s1-na;", 3).branch("s2-na;", 1);
    case.branch("s3-na;", 2).after("s2-na;", 1).expect([(1, 3), (2, 1), (3, 2)]);
}

#[test]
fn the_condition_decides_between_then_and_else() {
    let body = || if_then_else(test(1), assignment(2), assignment(3));
    Case::new(10, body()).branch("t;", 6).expect([(1, 10), (2, 6), (3, 4)]);
    Case::new(10, body()).after("?;", 6).expect([(1, 10), (2, 6), (3, 4)]);
    // A condition with several solutions says nothing about the else-part.
    let body = if_then_else(test(1).nondet(), assignment(2), assignment(3));
    let case = Case::new(26, body.clone()).after("?;", 25);
    assert_eq!(case.lines().unwrap(), [(1, Some(10)), (2, Some(25)), (3, None)]);
    Case::new(26, body).after("?;", 25).branch("e;", 1).expect([(1, 10), (2, 25), (3, 1)]);
}

#[test]
fn a_condition_that_throws_says_nothing_about_else() {
    let body = if_then_else(call(1).semidet(), assignment(2), assignment(3));
    let case = Case::new(10, body).site("?;", 1, 10, 6);
    case.expect([(1, 10), (2, 6), (3, 4)]);
    let thrown = Case { exits: 9, ..case }.throws();
    assert_eq!(thrown.lines().unwrap(), [(1, Some(10)), (2, Some(6)), (3, None)]);
}

#[test]
fn the_end_of_negations_and_cuts_is_counted_by_points() {
    let body = conjunction(vec![negation(test(1)), scope(true, assignment(2)), assignment(3)]);
    let case = Case::new(5, body.clone()).after("c1;", 7).after("c2;", 5);
    case.expect([(1, 10), (2, 7), (3, 5)]);
    let lines = Case::new(5, body).lines().unwrap();
    assert_eq!(lines, [(1, Some(10)), (2, None), (3, None)]);
    let body = conjunction(vec![scope(false, call(1)), assignment(2)]);
    Case::new(8, body).site("c1;q;", 1, 10, 8).expect([(1, 10), (2, 8)]);
    let body = conjunction(vec![scope(true, call(1)), assignment(2)]);
    Case::new(8, body).site("c1;q!;", 1, 10, 8).after("c1;", 8).expect([(1, 10), (2, 8)]);
}

#[test]
fn goals_that_never_succeed_end_never() {
    for determinism in [0, 4] {
        let body = conjunction(vec![assignment(1).determinism(determinism), call(2)]);
        Case::new(0, body).site("c2;", 2, 0, 0).expect([(1, 10), (2, 0)]);
    }
}

#[test]
fn what_was_never_called_was_never_executed() {
    let body = conjunction(vec![
        if_then_else(negation(test(1)), switch(vec![test(2), TRUE()]), TRUE()),
        disjunction(vec![call(3), assignment(4)]).nondet(),
    ]);
    let case = Case { calls: 0, ..Case::new(0, body).site("c2;d1;", 3, 0, 0) };
    case.expect([(1, 0), (2, 0), (3, 0), (4, 0)]);
}

#[test]
fn a_line_was_executed_as_often_as_its_most_frequent_goal() {
    let body = conjunction(vec![assignment(1), call(2), assignment(1), assignment(2)]);
    Case::new(6, body).site("c2;", 2, 10, 6).expect([(1, 10), (2, 10)]);
    let body = conjunction(vec![assignment(1), test(2), assignment(1)]);
    let lines = Case::new(6, body).lines().unwrap();
    assert_eq!(lines, [(1, None), (2, Some(10))]);
}

#[test]
fn counts_that_contradict_each_other_are_refused() {
    let refused = |case: Case, misfit: Misfit| assert_eq!(case.lines(), Err(misfit));
    let body = || conjunction(vec![assignment(1), call(2)]);
    refused(Case::new(7, body()).site("c2;", 2, 9, 7), Misfit::Counts);
    refused(Case::new(7, body()).site("c2;", 2, 10, 6), Misfit::Counts);
    refused(Case::new(7, body()).site("c2;", 2, 10, 7).after("c1;", 9), Misfit::Counts);
    let body = || switch(vec![assignment(1), assignment(2)]);
    refused(Case::new(10, body()).branch("s1-2;", 11), Misfit::Counts);
    refused(Case::new(10, body()).branch("s1-2;", 4).branch("s2-2;", 5), Misfit::Counts);
}

#[test]
fn counts_of_another_body_are_refused() {
    let refused = |case: Case| assert_eq!(case.lines(), Err(Misfit::Body));
    let body = || conjunction(vec![assignment(1), call(2)]);
    refused(Case::new(7, body()));
    refused(Case::new(7, body()).site("c1;", 1, 10, 7));
    refused(Case::new(7, body()).site("c2;", 3, 10, 7));
    refused(Case::new(7, body()).site("c2;", 2, 10, 7).site("c3;", 2, 10, 7));
    refused(Case::new(7, body()).site("c2;", 2, 10, 7).site("c2;", 2, 10, 7));
    refused(Case::new(7, body()).site("c2;", 2, 10, 7).branch("c2;t;", 3));
    for path in ["x1;", "c;", "c-1;", "cx;", "t1;", ";", "q?;", "ä;"] {
        refused(Case::new(7, body()).site("c2;", 2, 10, 7).after(path, 3));
    }
}

/// Foreign code may call Mercury; its site says nothing about the goal itself.
#[test]
fn foreign_code_may_have_a_site() {
    let body = conjunction(vec![atomic(14, 1), assignment(2)]);
    Case::new(10, body).site("c1;", 1, 30, 30).expect([(1, 10), (2, 10)]);
}

#[test]
fn goals_may_be_nested_deeply() {
    const DEPTH: u32 = 1_000_000;
    let goal = |kind, size| Goal { kind, determinism: Determinism::DET, size };
    let mut body: Vec<Goal> =
        (1..DEPTH).map(|i| goal(GoalKind::Scope { cuts: false }, DEPTH - i + 1)).collect();
    body.push(goal(GoalKind::Conjunction, 1));
    let path = "q;".repeat(DEPTH as usize - 1);
    let point = PointCount { goal_path: &path, is_branch: false, count: 10 };
    let counts = ProcCounts { calls: 10, exits: 10, points: vec![point], ..ProcCounts::default() };
    assert_eq!(lines(&body, &counts), Ok(BTreeMap::new()));
}
