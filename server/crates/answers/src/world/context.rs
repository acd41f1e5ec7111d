//! What a request sees: one world and the open documents, both as of the arrival of the request.

use crate::compare::baseline::Baseline;
use crate::compare::before::{Before, NO_COST};
use crate::compare::compared::Compared;
use crate::compare::comparison::Comparison;
use crate::compare::overlay::{Overlaid, Overlay};
use crate::lines::document::{Document, Mapped, OpenDocuments};
use crate::lines::file_lines::FileLines;
use crate::present::labels::Scale;
use crate::world::World;
use analysis::{FileId, FunctionId, Metric};
use loading::{Settings, Snapshot};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use url::Url;

/// The input of queries.
#[derive(Debug, Clone)]
pub struct Context {
    /// The profiles and settings.
    pub world: Arc<World>,
    /// The open documents.
    pub documents: OpenDocuments,
}

/// An open document that is a file of the profile.
#[derive(Debug)]
pub struct OpenFile {
    /// The document.
    pub document: Arc<Document>,
    /// The profile shown.
    pub snapshot: Arc<Snapshot>,
    /// The file of the profile.
    pub file: FileId,
    /// The line map from the recorded text to the document.
    mapped: Arc<Mapped>,
    /// The same for the baseline.
    before: Option<FileBefore>,
    /// The same for the overlay.
    overlay: Option<FileOverlay>,
}

/// The file in the overlay.
#[derive(Debug)]
struct FileOverlay {
    snapshot: Arc<Snapshot>,
    file: FileId,
    mapped: Arc<Mapped>,
}

/// The file in the baseline.
#[derive(Debug)]
struct FileBefore {
    baseline: Arc<Baseline>,
    by: Comparison,
    /// The file of each run. `None` if the run does not have it, or the text that it was recorded
    /// from is not known.
    runs: Vec<Option<(FileId, Arc<Mapped>)>>,
}

/// The second costs that are not zero on `range` of the lines of an overlay.
fn overlaid<'m>(
    lines: &FileLines<'_>,
    range: Range<u32>,
    metric: &'m Metric,
) -> BTreeMap<u32, Overlaid<'m>> {
    let costs = lines.costs(range).into_iter();
    costs.filter_map(|(line0, line)| Some((line0, Overlaid::new(line.cost, metric)?))).collect()
}

impl Context {
    /// The input of queries about one profile, with the settings that it was opened with.
    pub fn of(snapshot: Arc<Snapshot>, settings: &Settings) -> Self {
        let world = World {
            settings: Arc::new(settings.clone()),
            shown: Some(snapshot),
            ..World::default()
        };
        Self { world: Arc::new(world), documents: OpenDocuments::default() }
    }

    /// The document with this URI, if it is open and a file of the profile.
    pub fn open_file(&self, uri: &Url) -> Option<OpenFile> {
        let document = self.documents.get(uri)?.clone();
        let snapshot = self.world.snapshot()?.clone();
        let file = snapshot.file_at(&document.path)?;
        let mapped = document.mapped(&snapshot);
        let before = self.compared(&snapshot).map(|Compared { baseline, by }| {
            let in_run = |run: &Baseline| {
                let file = run.snapshot.file_at(&document.path)?;
                let mapped = document.mapped(&run.snapshot);
                (!mapped.stale).then_some((file, mapped))
            };
            let runs = baseline.runs().map(in_run).collect();
            FileBefore { baseline: baseline.clone(), by, runs }
        });
        let overlay = match (&snapshot.overlay, self.world.overlay_profile()) {
            (Some(metric), _) => {
                Some(FileOverlay { snapshot: metric.clone(), file, mapped: mapped.clone() })
            }
            (None, Some(profile)) => profile.snapshot.file_at(&document.path).map(|file| {
                let mapped = document.mapped(&profile.snapshot);
                FileOverlay { snapshot: profile.snapshot.clone(), file, mapped }
            }),
            (None, None) => None,
        };
        Some(OpenFile { document, snapshot, file, mapped, before, overlay })
    }

    /// The baseline, if costs of `snapshot` can be compared with it.
    pub fn compared(&self, snapshot: &Snapshot) -> Option<Compared<'_>> {
        let baseline = self.world.baseline_of(snapshot)?;
        let by = baseline.comparison(snapshot, self.world.settings.compare);
        Some(Compared { baseline, by })
    }

    /// The overlay of `snapshot`, which is shown.
    pub fn overlay<'s>(&'s self, snapshot: &'s Snapshot) -> Option<Overlay<'s>> {
        self.world.overlay_of(snapshot)
    }

    /// The cost of a function of `snapshot` in the baseline. `None` if there is no baseline, or no
    /// unique match in it.
    pub fn function_before(&self, snapshot: &Snapshot, function: FunctionId) -> Option<Before> {
        self.compared(snapshot)?.function(snapshot, function)
    }

    /// The cost of a line (1-based, as recorded) in the baseline. `None` if there is no baseline,
    /// or the line cannot be matched.
    pub fn line_before(&self, snapshot: &Snapshot, file: FileId, line: u32) -> Option<Before> {
        let path = snapshot.path_of(file)?;
        if let Some(document) = self.documents.at(path) {
            let open = self.open_file(&document.uri)?;
            return open.line_before(open.mapped.map.to_open(line.checked_sub(1)?)?);
        }
        let compared = self.compared(snapshot)?;
        compared.recorded_line(snapshot, file, line)
    }

    /// The scale for labels of `snapshot`.
    pub fn scale<'s>(&self, snapshot: &'s Snapshot) -> Scale<'s> {
        let scale =
            Scale::new(&snapshot.costs.metric, snapshot.costs.base, self.world.settings.unit);
        Scale { compares: self.world.baseline_of(snapshot).is_some(), ..scale }
    }
}

impl OpenFile {
    /// The cost of a line (0-based) of the document in the baseline. `None` if there is no
    /// baseline, or the line cannot be matched.
    pub fn line_before(&self, line0: u32) -> Option<Before> {
        let FileBefore { baseline, by, runs } = self.before.as_ref()?;
        if self.lines().is_doubtful(line0) {
            return None;
        }
        let cost = |(run, known): (&Baseline, &Option<(FileId, Arc<Mapped>)>)| {
            let Some((file, mapped)) = known else {
                // The baseline may have the file in another checkout.
                let recorded0 = self.mapped.map.to_recorded(line0)?;
                return run.recorded_line(&self.snapshot, self.file, recorded0 + 1);
            };
            mapped.map.to_recorded(line0)?;
            let (snapshot, map) = (&*run.snapshot, &mapped.map);
            let lines = FileLines { snapshot, file: *file, map, stale: false, document: None };
            Some(lines.cost_of(line0).unwrap_or((NO_COST, None)))
        };
        let costs = baseline.runs().zip(runs).map(cost);
        let spread_now = self.lines().cost_of(line0).and_then(|(_, spread)| spread);
        Compared { baseline, by: *by }.before(costs, spread_now)
    }

    /// The costs of the overlay on `lines` of the document (0-based).
    pub fn overlaid_lines(&self, lines: Range<u32>) -> BTreeMap<u32, Overlaid<'_>> {
        let Some(overlay) = self.overlay_lines() else { return BTreeMap::new() };
        overlaid(&overlay, lines, &overlay.snapshot.costs.metric)
    }

    /// The costs of an overlay that is not that of the world, by line of the document (0-based).
    pub fn overlaid_by<'o>(&self, overlay: Overlay<'o>) -> BTreeMap<u32, Overlaid<'o>> {
        let (snapshot, document) = (overlay.snapshot(), &*self.document);
        let Some(file) = snapshot.file_at(&document.path) else { return BTreeMap::new() };
        let mapped = document.mapped(snapshot);
        let (map, stale) = (&mapped.map, mapped.stale);
        let lines = FileLines { snapshot, file, map, stale, document: Some(document) };
        overlaid(&lines, 0..u32::MAX, &snapshot.costs.metric)
    }

    /// The costs of the overlay by line of the document.
    pub fn overlay_lines(&self) -> Option<FileLines<'_>> {
        let FileOverlay { snapshot, file, mapped } = self.overlay.as_ref()?;
        Some(FileLines {
            snapshot,
            file: *file,
            map: &mapped.map,
            stale: mapped.stale,
            document: Some(&self.document),
        })
    }

    /// The costs of the document by line.
    pub fn lines(&self) -> FileLines<'_> {
        FileLines {
            snapshot: &self.snapshot,
            file: self.file,
            map: &self.mapped.map,
            stale: self.mapped.stale,
            document: Some(&self.document),
        }
    }
}
