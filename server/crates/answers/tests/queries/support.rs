//! A project that consists of texts, and a profile that is built from text samples, loaded, with
//! open documents.

use analysis::{Recording, Thread};
use answers::{
    Baseline, Caches, Context, Copies, Document, Encoding, Environment, LineHint, Loaded,
    OpenDocuments, Position, Settings, Snapshot, Stamp, Text, World, index_sources, load,
};
use formats::{Format, Limits};
use serde_json::json;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use url::Url;

/// A workspace folder with files, and settings.
pub struct Project {
    folder: TempDir,
    settings: Settings,
    caches: Caches,
}

impl Project {
    /// A folder with files, by relative path and text.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
            settings: Settings::default(),
            caches: Caches::default(),
        };
        for (path, text) in files {
            let path = project.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        project
    }

    /// The project with other settings.
    pub fn with_settings(mut self, settings: &serde_json::Value) -> Self {
        let (settings, warnings) = Settings::parse(settings);
        assert_eq!(warnings, [""; 0]);
        self.settings = settings;
        self
    }

    /// The project as a new session sees it: with the copies that were kept, and no other text.
    pub fn with_copies(mut self) -> Self {
        self.caches = Caches::new(Some(Copies::new(&self.folder.path().join(".copies"))));
        self
    }

    /// The canonical path of a file.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// The URI of a file.
    pub fn uri(&self, path: &str) -> Url {
        Url::from_file_path(self.path(path)).unwrap()
    }

    /// Loads a recording of this project. The profile is newer than the files.
    pub fn load(&self, recording: impl Into<Recording>) -> Snapshot {
        self.load_all(vec![self.loaded(recording)])
    }

    /// Loads the recordings of one run.
    pub fn load_all(&self, files: Vec<Loaded>) -> Snapshot {
        self.load_of_threads(files.into_iter().map(|file| (file, Thread::default())).collect())
    }

    /// Loads recordings, each of a run of its own.
    pub fn load_runs(&self, files: Vec<Loaded>) -> Snapshot {
        let of_run = |(run, file)| (file, Thread { run, ..Thread::default() });
        self.load_of_threads((0..).zip(files).map(of_run).collect())
    }

    fn load_of_threads(&self, files: Vec<(Loaded, Thread)>) -> Snapshot {
        let settings = &self.settings.costs();
        let index = &index_sources(&self.roots(), &settings.sources);
        let environment = Environment { settings, index, caches: &self.caches };
        load(files, environment, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    /// Loads a recording, and resolves its addresses.
    #[cfg(feature = "symbols")]
    pub fn load_with_symbols(&self, loaded: Loaded) -> Snapshot {
        let settings = &self.settings.costs();
        let index = &index_sources(&self.roots(), &settings.sources);
        let environment = Environment { settings, index, caches: &self.caches };
        answers::load_read_with_symbols(Arc::new(loaded), environment)
    }

    /// A recording that is newer than the files.
    pub fn loaded(&self, recording: impl Into<Recording>) -> Loaded {
        self.loaded_at(recording, SystemTime::now() + Duration::from_secs(60))
    }

    /// A recording that is older than the files, so that the recorded texts are not known.
    pub fn loaded_before_edits(&self, recording: impl Into<Recording>) -> Loaded {
        self.loaded_at(recording, SystemTime::now() - Duration::from_secs(3600))
    }

    fn loaded_at(&self, recording: impl Into<Recording>, written: SystemTime) -> Loaded {
        let path = self.path("profile.folded");
        fs::write(&path, "").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
        let stamp = Stamp::of(&path).unwrap();
        Loaded {
            files: vec![(path.clone(), stamp)],
            threads: Vec::new(),
            companions: Vec::new(),
            path,
            stamp,
            content: 0,
            format: Format::Folded,
            version: None,
            mode: None,
            writer: formats::Writer::default(),
            span_seconds: None,
            truncated: None,
            recording: Arc::new(recording.into()),
            raw_stacks: None,
            needs_programs: false,
            report: None,
            lacks_lines_of_counts: false,
            fleet: None,
            revisions: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The input of queries if `snapshot` is shown and the files `open` are open, with the texts on
    /// disk.
    pub fn context(&self, snapshot: Snapshot, open: &[&str]) -> Context {
        let texts = open.iter().map(|path| fs::read_to_string(self.path(path)).unwrap());
        let texts: Vec<_> = open.iter().copied().zip(texts).collect();
        self.context_with(snapshot, &texts)
    }

    /// Like [`Self::context`], with texts of the editor.
    pub fn context_with(&self, snapshot: Snapshot, open: &[(&str, String)]) -> Context {
        let settings = self.settings.costs();
        let world = World {
            revision: 1,
            settings: Arc::new(self.settings.clone()),
            roots: self.roots(),
            index: Some(Arc::new(index_sources(&self.roots(), &settings.sources))),
            shown: Some(Arc::new(snapshot)),
            ..World::default()
        };
        let documents: OpenDocuments = open
            .iter()
            .map(|(path, text)| {
                let text = Text::new(text.as_str(), Encoding::Utf16);
                Arc::new(Document::new(self.uri(path), self.path(path), 1, text))
            })
            .collect();
        Context { world: Arc::new(world), documents }
    }

    fn roots(&self) -> Vec<PathBuf> {
        vec![self.path("")]
    }
}

/// The recording in the text of a profile.
pub fn recording(text: &str) -> Recording {
    let go_on = |_: u64| ControlFlow::Continue(());
    formats::read(text.as_bytes().to_vec(), Limits::default(), &mut { go_on }).unwrap().recording
}

/// A profile of V8 with nodes `(name, line, column, parent, samples)`: lines and columns are 0-based,
/// the parent is the position in the list.
pub fn v8(url: &str, nodes: &[(&str, i32, i32, Option<usize>, usize)]) -> String {
    let children = |id: usize| {
        let of =
            |(_, node): &(usize, &(_, _, _, Option<usize>, _))| node.3.map_or(1, |it| it + 2) == id;
        let children = nodes.iter().enumerate().filter(of).map(|(at, _)| at + 2);
        children.collect::<Vec<_>>()
    };
    let node = |id: usize, name: &str, url: &str, line: i32, column: i32, hits: usize| {
        json!({
            "id": id,
            "callFrame": {
                "functionName": name, "scriptId": "1", "url": url,
                "lineNumber": line, "columnNumber": column,
            },
            "hitCount": hits,
            "children": children(id),
        })
    };
    let mut all = vec![node(1, "(root)", "", -1, -1, 0)];
    let mut samples = Vec::new();
    for (at, &(name, line, column, _, n)) in nodes.iter().enumerate() {
        all.push(node(at + 2, name, url, line, column, n));
        samples.extend(vec![at + 2; n]);
    }
    // Each sample lasts until the next one, the last until the end.
    let mut deltas = vec![1000; samples.len()];
    deltas[0] = 0;
    let end = 1000 * samples.len();
    json!({
        "nodes": all, "startTime": 0, "endTime": end, "samples": samples, "timeDeltas": deltas,
    })
    .to_string()
}

/// The same context, compared with another recording.
pub fn compared_with(context: &Context, before: Snapshot) -> Context {
    compared_with_runs(context, vec![before])
}

/// The same context, compared with several runs, the newest first.
pub fn compared_with_runs(context: &Context, runs: Vec<Snapshot>) -> Context {
    let mut runs = runs.into_iter().map(Arc::new);
    let newest = runs.next().unwrap();
    let baseline = Some(Arc::new(Baseline::of_runs(newest, runs.collect())));
    let world = World { baseline, ..World::clone(&context.world) };
    Context { world: Arc::new(world), documents: context.documents.clone() }
}

/// Line (1-based) and label of a hint, without the word `total` of the first one of each function.
pub fn numbered(hint: &LineHint) -> String {
    format!("{} {}", hint.position.line0 + 1, hint.label.replacen(" total", "", 1))
}

/// The first position of `part` in a text.
pub fn position_of(text: &str, part: &str) -> Position {
    let at = text.find(part).unwrap_or_else(|| panic!("no `{part}`"));
    let before = &text[..at];
    let line0 = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    Position::new(line0 as u32, column as u32)
}
