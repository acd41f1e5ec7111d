//! The same recording with the lines of inlined functions told where the physical function calls them: the cost of inlined code is
//! seen at the outermost call, in the function that was compiled.

use crate::{FrameId, FrameTable, Profile, Recording, SourceId};
use rustc_hash::FxHashMap;

/// The recording in which each inlined frame stands at the place of the frame that it was inlined into, the outermost one.
/// Functions, samples and stacks stay as they are, and so do their ids; frames do not. Call graphs know no frames and stay.
#[must_use]
pub fn at_call_sites(recording: &Recording) -> Recording {
    match recording {
        Recording::Stacks(profile) => Recording::Stacks(stacks_at_call_sites(profile)),
        Recording::Graph(graph) => Recording::Graph(graph.clone()),
    }
}

fn stacks_at_call_sites(profile: &Profile) -> Profile {
    let mut frames = FrameTable::default();
    let mut stacks = profile.stacks.without_rows();
    let mut known: FxHashMap<(FrameId, Option<FrameId>), FrameId> = FxHashMap::default();
    // The frame that each stack's frame is inlined into, or that frame itself.
    let mut physical: Vec<FrameId> = Vec::with_capacity(profile.stacks.len());
    for id in profile.stacks.ids() {
        let (old, prefix) = (profile.stacks.frame(id), profile.stacks.prefix(id));
        let into = prefix.filter(|_| profile.frames.get(old).inlined).map(|prefix| physical[prefix.index()]);
        physical.push(into.unwrap_or(old));
        let frame = *known.entry((old, into)).or_insert_with(|| {
            let new = profile.frames.get(old);
            let own = profile.symbols.funcs.get(new.func).source;
            let place: Option<(SourceId, u32)> = profile.place(into.unwrap_or(old));
            let (line, column) = match place {
                Some((source, line)) if own == Some(source) => (line, if into.is_none() { new.column } else { 0 }),
                _ => (0, 0),
            };
            frames.push(crate::Frame { line, column, ..new });
            if let Some((source, line)) = place.filter(|(source, _)| own != Some(*source)) {
                frames.put_elsewhere(source, line);
            }
            FrameId::new(frames.len() as u32 - 1)
        });
        stacks.push_in(profile.stacks.category(id), prefix, frame);
    }
    Profile { frames, stacks: stacks.into(), ..profile.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_samples;

    #[test]
    fn inlined_code_is_seen_where_the_physical_function_calls_it() {
        let old = text_samples::profile(
            "
            run@4[file:run.rs]          run@6               run@7[inl]
            fold@90[file:iter.rs][inl]  step@12             step@13[inl]
            step@12[file:run.rs][inl]   hash@1[file:h.rs][cat:Hash]
            ",
        );
        let Recording::Stacks(new) = at_call_sites(&Recording::Stacks(old)) else { panic!("it has stacks") };
        let symbols = new.symbols();
        let place = |stack| new.place(new.stacks().frame(stack)).map(|(source, line)| (symbols.source_name(source), line));
        let samples: Vec<Vec<_>> = new.threads()[0]
            .samples
            .stacks()
            .map(|leaf| std::iter::successors(leaf, |&stack| new.stacks().prefix(stack)).map(place).collect())
            .collect();
        let (run, hash) = (|line| Some(("run.rs", line)), Some(("h.rs", 1)));
        assert_eq!(samples[0], [run(4), run(4), run(4)]);
        assert_eq!(samples[1], [hash, run(12), run(6)]);
        // The physical function of an inlined root is not in the profile.
        assert_eq!(samples[2], [run(7), run(7)]);
        let categories = new.threads()[0].samples.stacks().flatten();
        let categories: Vec<_> = categories.map(|leaf| new.stacks().category_name(new.stacks().category(leaf))).collect();
        assert_eq!(categories, ["Other", "Hash", "Other"]);
    }
}
