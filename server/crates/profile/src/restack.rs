//! Replaces the stacks of a recording, for filters and transforms.
//!
//! `analysis` decides which frames a stack keeps; this module builds the tables. Names, ids and
//! samples stay, apart from the stacks of samples. Idle samples stay idle even if their idle frames
//! are removed.

use crate::StackAccess;
use crate::symbol_tables::Names;
use crate::{
    Frame, FrameId, Func, FuncId, LabelSetId, LibId, Profile, StackId, StackTable, ThreadId,
};
use rustc_hash::FxHashMap;

/// Builds new stacks for a recording.
#[derive(Debug)]
pub struct Restack<'p> {
    old: &'p Profile,
    stacks: StackTable,
}

impl<'p> Restack<'p> {
    /// Starts without stacks.
    pub fn new(old: &'p Profile) -> Self {
        Self { old, stacks: old.stacks.without_rows() }
    }

    /// Appends a stack of `frame` called from `prefix`, in the category of `like`.
    ///
    /// # Panics
    /// If `prefix` was not appended, or if `like` is of another profile.
    pub fn push(&mut self, prefix: Option<StackId>, frame: FrameId, like: StackId) -> StackId {
        assert!(
            prefix.is_none_or(|prefix| prefix.index() < self.stacks.len()),
            "callers come first"
        );
        self.stacks.push_in(self.old.stacks.category(like), prefix, frame)
    }

    /// The recording with each sample at the new stack that `new` returns for its old one. `None`
    /// leaves the sample out. Samples without a stack stay.
    #[must_use]
    pub fn finish(mut self, new: impl Fn(StackId) -> Option<StackId>) -> Profile {
        let old = &self.old.stacks;
        // If idle and other samples come to the same new stack, add one more for those that it does
        // not fit.
        let mut twins: FxHashMap<StackId, StackId> = FxHashMap::default();
        let mut becomes: Vec<Option<StackId>> = Vec::with_capacity(old.len());
        for id in old.ids() {
            let fits = |new: &StackId| self.stacks.is_idle(*new) == old.is_idle(id);
            let new = new(id);
            becomes.push(new.filter(fits).or_else(|| {
                let new = new?;
                Some(*twins.entry(new).or_insert_with(|| {
                    self.stacks.push_in(
                        old.category(id),
                        self.stacks.prefix(new),
                        self.stacks.frame(new),
                    )
                }))
            }));
        }
        let profile = Profile { stacks: self.stacks.into(), ..self.old.clone() };
        profile.with_samples(profile.default_metric(), |_, samples| {
            Some(samples.with_stacks(|stack| match stack {
                Some(stack) => becomes[stack.index()].map(Some),
                None => Some(None),
            }))
        })
    }

    /// The recording with each sample at the new stack that `new` returns for its thread, its old stack
    /// and its labels. Samples without a stack stay.
    #[must_use]
    pub fn finish_by_labels(
        mut self,
        mut new: impl FnMut(&mut Self, ThreadId, StackId, LabelSetId) -> StackId,
    ) -> Profile {
        let old = self.old;
        let ids = (0..).map(ThreadId::new);
        let samples = ids.zip(old.samples.iter()).map(|(thread, samples)| {
            let stacks = samples.stacks().enumerate();
            let stacks =
                stacks.map(|(i, stack)| Some(new(&mut self, thread, stack?, samples.label_set(i))));
            samples.at_stacks(stacks.collect::<Vec<_>>())
        });
        let samples = samples.collect();
        Profile { stacks: self.stacks.into(), samples, ..old.clone() }
    }
}

impl Profile {
    /// The recording with more funcs, which have no source, and a frame of each. `None` if a table
    /// would have too many rows.
    #[must_use]
    pub fn with_funcs<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        lib: Option<LibId>,
    ) -> Option<(Self, Vec<FrameId>)> {
        let mut strings = Names::of(&self.symbols);
        let (mut funcs, mut frames) = (self.symbols.funcs.clone(), self.frames.clone());
        let next = |len: usize| u32::try_from(len).ok().filter(|&next| next != crate::ids::NONE);
        let mut added = Vec::new();
        for name in names {
            let name = strings.string(name)?;
            let (id, frame) = (FuncId::new(next(funcs.len())?), FrameId::new(next(frames.len())?));
            funcs.push(Func { name, source: None, lib, line: 0, column: 0 });
            frames.push(Frame::new(id, 0));
            added.push(frame);
        }
        let symbols = strings.with(self.symbols.libs.clone(), funcs);
        Some((Self { symbols, frames, ..self.clone() }, added))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_samples;

    /// Each sample with its category, root first.
    fn samples(profile: &Profile) -> Vec<String> {
        let stacks = profile.stacks();
        let name = |id: StackId| {
            profile.symbols().func_name(profile.frames().get(stacks.frame(id)).func).to_owned()
        };
        let samples = profile.samples()[0].stacks().flatten().map(|leaf| {
            let mut names: Vec<_> =
                std::iter::successors(Some(leaf), |&id| stacks.prefix(id)).map(name).collect();
            names.reverse();
            format!("{} {}", names.join(">"), stacks.category_name(stacks.category(leaf)))
        });
        samples.collect()
    }

    #[test]
    fn idle_samples_stay_idle_and_others_do_not_become_so() {
        let profile = text_samples::profile(
            "
            main[cat:A]  main  main          main          other
            poll[idle]         call          wait[cat:Idle]
                               work          back[cat:B]
            ",
        );
        let old = profile.stacks();
        assert_eq!(
            samples(&profile),
            ["main>poll Idle", "main A", "main>call>work A", "main>wait>back B", "other Other"]
        );
        // All but the outermost frames merge into those.
        let mut restack = Restack::new(&profile);
        let mut root = Vec::new();
        for id in old.ids() {
            let new = match old.prefix(id) {
                Some(prefix) => root[prefix.index()],
                None => restack.push(None, old.frame(id), id),
            };
            root.push(new);
        }
        let new = restack.finish(|id| Some(root[id.index()]).filter(|_| id != StackId::new(0)));
        assert_eq!(samples(&new), ["main Idle", "main A", "main A", "other Other"]);
    }

    #[test]
    fn adding_a_func_changes_nothing_else() {
        let old = text_samples::profile("main@3[file:a.c][lib:app][js]");
        let (new, frame) = old.with_funcs(["app"], Some(LibId::new(0))).unwrap();
        let func = new.frames().get(frame[0]).func;
        assert_eq!(
            (new.symbols().func_name(func), new.symbols().funcs.get(func).lib),
            ("app", Some(LibId::new(0)))
        );
        assert_eq!(samples(&new), samples(&old));
        assert_eq!(new.symbols().funcs.code(FuncId::new(0)), crate::Code::JavaScript);
    }
}
