//! Merges inlined functions into the function that they were compiled into. The cost of inlined
//! code is then at the line that calls it, as `perf report --no-inline` shows it.

use crate::{Profile, Recording};

/// The recording without inlined frames. Each becomes the outermost frame that it was inlined into.
/// Ids, samples and categories of stacks do not change. An inlined frame at the root of a stack
/// stays, because the function around it was not recorded. Call graphs have no inlined frames.
#[must_use]
pub fn at_call_sites(recording: &Recording) -> Recording {
    match recording {
        Recording::Stacks(profile) => Recording::Stacks(without_inlined(profile)),
        Recording::Graph(graph) => Recording::Graph(graph.clone()),
    }
}

fn without_inlined(profile: &Profile) -> Profile {
    let old = &profile.stacks;
    let mut stacks = old.without_rows();
    for id in old.ids() {
        // The row of the prefix is a physical frame already.
        let physical = old.prefix(id).filter(|_| profile.frames.get(old.frame(id)).inlined);
        let (prefix, frame) = match physical {
            Some(physical) => (stacks.prefix(physical), stacks.frame(physical)),
            None => (old.prefix(id), old.frame(id)),
        };
        stacks.push_in(old.category(id), prefix, frame);
    }
    Profile { stacks: stacks.into(), ..profile.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StackAccess;
    use crate::text_samples;

    #[test]
    fn inlined_frames_become_the_frame_that_they_were_inlined_into() {
        let old = text_samples::profile(
            "
            run@4[file:run.rs]          run@6               run@7[inl]
            fold@90[file:iter.rs][inl]  step@12             step@13[inl]
            step@12[file:run.rs][inl]   hash@1[file:h.rs][cat:Hash]
            hash@1[file:h.rs]
            ",
        );
        let Recording::Stacks(new) = at_call_sites(&Recording::Stacks(old)) else {
            panic!("it has stacks")
        };
        let frame = |stack| {
            let frame = new.frames().get(new.stacks().frame(stack));
            format!("{}@{}", new.symbols().func_name(frame.func), frame.line)
        };
        let samples: Vec<Vec<_>> = new.samples()[0]
            .stacks()
            .map(|leaf| {
                std::iter::successors(leaf, |&stack| new.stacks().prefix(stack))
                    .map(frame)
                    .collect()
            })
            .collect();
        assert_eq!(samples[0], ["hash@1", "run@4"]);
        assert_eq!(samples[1], ["hash@1", "step@12", "run@6"]);
        // The physical function of an inlined root is not in the profile.
        assert_eq!(samples[2], ["run@7"]);
        let categories = new.samples()[0].stacks().flatten();
        let categories: Vec<_> = categories
            .map(|leaf| new.stacks().category_name(new.stacks().category(leaf)))
            .collect();
        assert_eq!(categories, ["Other", "Hash", "Other"]);
    }
}
