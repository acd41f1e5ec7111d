//! Blocks of units that moved to another place of the text.

use super::compare::{Texts, unique_places};
use super::pairs::Pairs;

/// A single unit must have this many letters and digits to count as moved. `git diff
/// --color-moved` has the same limit for blocks.
const MIN_ALNUM: u32 = 20;

/// Pairs the blocks that are in both texts but not paired yet. A block contains a unit that is
/// unique in each text, and is long enough not to be equal by chance: two units with words, or one
/// with [`MIN_ALNUM`] letters and digits.
pub(super) fn pair_blocks(texts: &Texts<'_>, pairs: &mut Pairs) {
    let places = unique_places(texts.after);
    let mut unique: Vec<(usize, usize)> = unique_places(texts.before)
        .into_iter()
        .filter_map(|(token, from)| Some((from?, *places.get(&token)?.as_ref()?)))
        .collect();
    unique.sort_unstable();
    for (from, to) in unique {
        let is_same = |(from, to): &(usize, usize)| {
            texts.before[*from] == texts.after[*to]
                && is_available(texts, pairs, *from)
                && is_open_available(texts, pairs, *to)
        };
        if pairs.open[from].is_some() || pairs.recorded[to].is_some() {
            continue;
        }
        let above = (0..from).rev().zip((0..to).rev()).take_while(is_same).count();
        let below =
            (from..texts.before.len()).zip(to..texts.after.len()).take_while(is_same).count();
        let (from, to, n_units) = (from - above, to - above, above + below);
        if is_long_enough(texts, from, n_units) {
            pairs.add(from, to, n_units);
        }
    }
}

/// Whether a recorded unit can be part of a block: it is not paired, or is a bracket that only
/// happens to equal the bracket that it is paired with.
fn is_available(texts: &Texts<'_>, pairs: &Pairs, recorded: usize) -> bool {
    pairs.open[recorded].is_none_or(|open| is_accidental(texts, pairs, recorded, open))
}

fn is_open_available(texts: &Texts<'_>, pairs: &Pairs, open: usize) -> bool {
    pairs.recorded[open].is_none_or(|recorded| is_accidental(texts, pairs, recorded, open))
}

fn is_accidental(texts: &Texts<'_>, pairs: &Pairs, recorded: usize, open: usize) -> bool {
    !texts.has_words(texts.before[recorded]) && !pairs.continues(recorded, open)
}

fn is_long_enough(texts: &Texts<'_>, from: usize, n_units: usize) -> bool {
    let alnum = texts.before[from..][..n_units].iter().map(|&token| texts.n_alnum(token));
    let with_words: Vec<u32> = alnum.filter(|&n_alnum| n_alnum > 0).collect();
    with_words.len() >= 2 || with_words.iter().any(|&n_alnum| n_alnum >= MIN_ALNUM)
}
