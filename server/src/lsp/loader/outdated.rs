//! Whether snapshots were computed with the present settings and roots.

use answers::World;

/// Whether the shown snapshot, its index or the baseline has other settings or roots.
pub fn is_outdated(world: &World) -> bool {
    let Some(shown) = world.snapshot() else { return false };
    let settings = world.settings.costs();
    let roots = settings.sources.roots(&world.roots);
    shown.settings != settings
        || world.index.as_ref().is_some_and(|index| !index.is_built_from(&roots))
        || has_outdated_baseline(world)
}

/// Whether the baseline has other settings.
pub fn has_outdated_baseline(world: &World) -> bool {
    let settings = world.settings.costs();
    world.baseline.as_ref().is_some_and(|baseline| baseline.snapshot.settings != settings)
}
