//! Advice on profiles without costs.

use crate::support::Project;
use analysis::Thread;
use answers::{Advice, advice};
use profile::{AddressBase, Frame, Func, Lib, Metric, ProfileBuilder, Samples};
use std::path::Path;

/// Go's profiles of created threads have no stacks.
#[test]
fn samples_without_stacks_are_samples() {
    let advice_on = |n_samples: usize| {
        let mut builder = ProfileBuilder::new(vec![Metric::new("threadcreate", "count", None)], 0);
        let mut samples = Samples::with_metrics(1);
        (0..n_samples).for_each(|_| samples.push(None, |_| 5.0));
        builder.push_thread(Thread::default(), samples).unwrap();
        match advice(&Project::new(&[]).load(builder.build())) {
            Some(Advice::Record(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    assert!(advice_on(2).starts_with("no sample has a stack"), "{}", advice_on(2));
    assert!(advice_on(0).starts_with("the profile has no samples"), "{}", advice_on(0));
}

/// perf and pprof would use the file of another build, too.
#[test]
#[cfg(feature = "symbols")]
fn other_tools_are_advised_only_if_the_program_has_not_changed() {
    let project = Project::new(&[]);
    let advice_now = || {
        let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
        let lib = Lib {
            name: "app".to_owned(),
            path: project.path("app").to_str().unwrap().to_owned(),
            code_id: "1234567890123456789012345678901234567890".to_owned(),
            addresses: AddressBase::Image,
            ..Lib::default()
        };
        let lib = Some(builder.intern_lib(lib).unwrap());
        let name = builder.intern_string("0x1287").unwrap();
        let func = Func { name, source: None, lib, line: 0, column: 0 };
        let func = builder.intern_func(func).unwrap();
        let frame = builder.intern_frame(Frame::new(func, 0)).unwrap();
        let stack = builder.intern_stack(None, frame).unwrap();
        let mut samples = Samples::with_metrics(1);
        samples.push(Some(stack), |_| 1.0);
        builder.push_thread(Thread::default(), samples).unwrap();
        match advice(&project.load_with_symbols(project.loaded(builder.build()))) {
            Some(Advice::Record(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    assert!(advice_now().contains(". On the machine where it was recorded, `perf script"));
    // Any program with another build id.
    let program = "../../../fixtures/profiles/perf-data/cpp-raytrace-fp/bin/raytrace";
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(program);
    std::fs::copy(program, project.path("app")).unwrap();
    let text = advice_now();
    assert!(text.contains("Put the recorded program") && !text.contains("perf script"), "{text}");
}
