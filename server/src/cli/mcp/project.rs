//! The profiles of a project, and their loaded views. Nothing outside the project is read, except
//! for profiles that the command line names.

use super::view::View;
use crate::cli::current_folder::{absolute, absolute_folder, current_folder};
use crate::cli::exit::{Failure, UNREADABLE};
use crate::cli::read::is_standard_input;
use crate::cli::view::ViewArgs;
use answers::preference::attempts;
use answers::{
    Context, Found, FunctionId, Mapping, OpenDocuments, Recognised, Settings, Snapshot,
    SourceIndex, Stamp, Unit, World, discover, lexical, project_at,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of views of profiles that stay in memory.
const MAX_LOADED: usize = 3;

/// A project and its loaded profiles.
pub struct Project {
    /// The arguments of the command line.
    base: ViewArgs,
    /// The folders of the project.
    pub roots: Vec<PathBuf>,
    /// Newer profiles than the one shown by default that cannot be read, each as a message.
    pub skipped: Vec<String>,
    recognised: Recognised,
    /// The latest last.
    loaded: Vec<Loaded>,
}

/// A profile under a view.
struct Loaded {
    view: ViewArgs,
    /// The files that the costs depend on, as they were read.
    files: Vec<(PathBuf, Stamp)>,
    snapshot: Arc<Snapshot>,
    index: Arc<SourceIndex>,
}

impl Loaded {
    fn is_current(&self) -> bool {
        self.files.iter().all(|(path, stamp)| Stamp::of(path).is_ok_and(|now| now == *stamp))
    }
}

/// A profile that a query is about.
pub struct Opened {
    /// For queries.
    pub context: Context,
    /// The profile.
    pub snapshot: Arc<Snapshot>,
    /// The files of the project.
    pub index: Arc<SourceIndex>,
}

impl Opened {
    /// The only function that a name stands for.
    pub fn function(&self, name: &str) -> Result<FunctionId, String> {
        self.snapshot.only_named(name).map_err(|unmatched| unmatched.problem)
    }
}

impl Project {
    /// The project of the command line's `--root`, or else around the current folder.
    pub(in crate::cli) fn new(mut base: ViewArgs) -> Result<Self, Failure> {
        if base.profiles.iter().any(|path| is_standard_input(path)) {
            let message = "mcp: standard input is the connection to the client; pass a file";
            return Err(Failure::usage(message));
        }
        base.check_paths()?;
        base.profiles = base.profiles.iter().map(|path| absolute(path)).collect();
        let mut roots: Vec<PathBuf> = base.root.iter().map(|root| absolute_folder(root)).collect();
        if roots.is_empty() {
            let current = current_folder();
            roots.push(project_at(&current).unwrap_or(current));
        }
        base.root.clone_from(&roots);
        Ok(Self {
            base,
            roots,
            skipped: Vec::new(),
            recognised: Recognised::default(),
            loaded: Vec::new(),
        })
    }

    /// The settings of the project.
    pub fn settings(&self) -> Settings {
        Settings { unit: Unit::Both, ..self.base.settings() }
    }

    /// A path of the project: relative paths begin at its first folder.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.roots.first().map_or_else(|| path.to_owned(), |root| root.join(path))
    }

    /// The profile of a view. The error is a message for the client.
    pub fn open(&mut self, view: &View) -> Result<Opened, String> {
        let world = self.world(view)?;
        let Some((snapshot, index)) = world.snapshot().cloned().zip(world.index.clone()) else {
            let folders: Vec<_> =
                self.roots.iter().map(|root| root.display().to_string()).collect();
            let problems = world.problems.iter().map(|(_, problem)| format!("; {problem}"));
            return Err(format!(
                "no profile found in {}{}; call `record` to see how to record one",
                folders.join(", "),
                problems.collect::<String>()
            ));
        };
        let context = Context { world: Arc::new(world), documents: OpenDocuments::default() };
        Ok(Opened { context, snapshot, index })
    }

    /// What is shown: the profile of a view, if there is one, and all profiles of the project.
    pub(in crate::cli) fn world(&mut self, view: &View) -> Result<World, String> {
        let args = view.apply(&self.base)?;
        let settings = self.settings();
        let found = discover(&self.roots, &settings, &mut self.recognised);
        let choices = self.choices(view, &found)?;
        let is_chosen = view.profile.is_some() || !self.base.profiles.is_empty();
        let (mut problems, mut shown) = (Vec::new(), None);
        for files in choices {
            let first = files.first().cloned().unwrap_or_default();
            match self.load(ViewArgs { profiles: files, ..args.clone() }) {
                Ok(loaded) => {
                    shown = Some(loaded);
                    break;
                }
                // A newer file that cannot be read hides no profile, as in the editor.
                Err((_, message)) if is_chosen => return Err(message),
                Err((false, message)) => return Err(message),
                Err((true, message)) => problems.push((first, message)),
            }
        }
        if shown.is_none() && !is_chosen {
            problems.extend(found.foreign_messages());
        }
        let settings = Settings { unit: Unit::Both, ..args.settings() };
        let (snapshot, index) = shown.unzip();
        if !is_chosen {
            self.skipped =
                problems.iter().map(|(_, message): &(_, String)| message.clone()).collect();
        }
        Ok(World {
            settings: Arc::new(settings),
            roots: self.roots.clone(),
            candidates: found.candidates,
            shown: snapshot,
            index,
            problems,
            ..World::default()
        })
    }

    /// The files of each profile to try, in order.
    fn choices(&self, view: &View, found: &Found) -> Result<Vec<Vec<PathBuf>>, String> {
        let found = attempts(found);
        let Some(given) = &view.profile else {
            let named = &self.base.profiles;
            return Ok(if named.is_empty() { found } else { vec![named.clone()] });
        };
        let path = self.path(given);
        if let Some(run) = found.into_iter().find(|run| run.contains(&path)) {
            return Ok(vec![run]);
        }
        if self.base.profiles.contains(&path) {
            return Ok(vec![vec![path]]);
        }
        // The system is not asked about other paths: they may be on another machine.
        if self.contains(&lexical(&path)) {
            let real = path.canonicalize();
            let real = real.map_err(|error| format!("{}: {error}", path.display()))?;
            if self.contains(&real) {
                return Ok(vec![vec![path]]);
            }
        }
        Err(format!(
            "{}: outside the project; `profiles` lists those that can be read",
            given.display()
        ))
    }

    /// Whether a path is in a folder of the project, by its text alone.
    fn contains(&self, path: &Path) -> bool {
        let is_in = |root: &PathBuf| {
            path.starts_with(root) || root.canonicalize().is_ok_and(|root| path.starts_with(root))
        };
        self.roots.iter().any(is_in)
    }

    /// Loads profiles, unless they are loaded and nothing has changed since. The error is a message,
    /// and whether a file could not be read.
    fn load(
        &mut self,
        view: ViewArgs,
    ) -> Result<(Arc<Snapshot>, Arc<SourceIndex>), (bool, String)> {
        let is_same = |loaded: &Loaded| loaded.view == view;
        if let Some(at) = self.loaded.iter().position(is_same) {
            let known = self.loaded.remove(at);
            if known.is_current() {
                let answer = (known.snapshot.clone(), known.index.clone());
                self.loaded.push(known);
                return Ok(answer);
            }
        }
        let loaded = view.load_quietly(&[]);
        let (snapshot, index) =
            loaded.map_err(|failure| (failure.code == UNREADABLE, failure.message))?;
        let sources = snapshot.mappings().filter_map(|(_, _, mapping)| match mapping {
            Mapping::Mapped { path, .. } => Some((path.clone(), Stamp::of(path).ok()?)),
            _ => None,
        });
        let files = snapshot.loaded.files.iter().map(|(path, stamp)| (path.clone(), *stamp));
        let files = files.chain(sources).collect();
        let (snapshot, index) = (Arc::new(snapshot), Arc::new(index));
        if self.loaded.len() == MAX_LOADED {
            self.loaded.remove(0);
        }
        let answer = (snapshot.clone(), index.clone());
        self.loaded.push(Loaded { view, files, snapshot, index });
        Ok(answer)
    }
}
