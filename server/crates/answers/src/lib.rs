//! Answers about the costs of a program: by line, function, call and path, before and after a change.
//!
//! It does not depend on the protocol, the async runtime or the terminal. The language server, the
//! command line and MCP all ask here, so their numbers are the same.
//!
//! A host opens a profile as a [`Snapshot`], which has all costs, and asks by name and JSON what the
//! commands of the language server ask ([`QUERIES`]), or calls the functions behind them:
//!
//! ```
//! use answers::{Context, Settings, ask, open, sorted_lines};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("app.py"), "def parse():\n    pass\n\nparse()\n")?;
//! let profile = folder.path().join("cpu.folded");
//! std::fs::write(&profile, "main (app.py:4);parse (app.py:2) 3\nmain (app.py:4) 1\n")?;
//! let settings = Settings::default();
//! let snapshot = Arc::new(open(&[profile], &[folder.path().to_owned()], &settings)?);
//!
//! // Line 4 is on the stack of all 4 samples, and the leaf of one.
//! let context = Context::of(snapshot.clone(), &settings);
//! let answer = ask(&context, "hotspots", &json!({ "by": "line", "sort": "total" }))?;
//! let hottest = &answer["lines"][0];
//! assert_eq!((&hottest["line"], &hottest["self"], &hottest["total"]), (&json!(4), &json!(1), &json!(4)));
//!
//! let hottest = &sorted_lines(&snapshot)[0];
//! assert_eq!((hottest.line, hottest.cost.self_, hottest.cost.total.exact()), (4, 1.0, Some(4.0)));
//! assert!(snapshot.path_of(hottest.file).is_some_and(|path| path.ends_with("app.py")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The example `hot_lines` is a whole program. It also runs in WebAssembly (`wasm32-wasip1`, without
//! `grammars`).

mod advice;
mod compare;
mod export;
mod functions;
mod items;
mod keys;
mod lines;
mod open;
mod present;
mod query;
mod ranking;
mod recipes;
mod session;
mod values;
mod view;
mod world;

pub use crate::advice::{Advice, advice};
pub use crate::compare::baseline::{Baseline, Same};
pub use crate::compare::before::{Before, NO_COST};
pub use crate::compare::compared::Compared;
pub use crate::compare::comparison::{By as CompareBy, Change, Comparison, counts_without_time};
pub use crate::compare::diff::{
    Diff, ListBy, Listed as ListedChanges, Row as DiffRow, Sides, SortBy as DiffSort, Unmatched,
};
pub use crate::compare::gate::{Visible, called_by};
pub use crate::compare::kept_baseline::KeptBaseline;
pub use crate::compare::overlay::{Overlaid, Overlay, OverlayData, no_overlay};
pub use crate::export::{
    Compat as ExportCompat, Cut as ExportCut, Options as ExportOptions, Target as ExportTarget,
    export, refusal as export_refusal, store as store_export,
};
pub use crate::functions::recorded::RecordedFunctions;
pub use crate::items::fields::{CostFields, PartChange, PlaceFields};
pub use crate::items::places::line_place;
pub use crate::items::{CallPath, CostData, Direction, GivenItem, Item, ItemPath, root_item};
pub use crate::keys::Key;
pub use crate::keys::weight::Weight;
pub use crate::lines::document::{Document, OpenDocuments};
pub use crate::lines::file_lines::FileLines;
pub use crate::lines::text::{Edit, Encoding, Position, Range, Text};
pub use crate::open::open;
pub use crate::present::details::{Listed, Markup};
pub use crate::present::labels::{Part as LabelPart, Scale as LabelScale};
pub use crate::present::names::NameParts;
pub use crate::query::annotated::{AnnotatedLine, AnnotatedSource, Shown as ShownLines};
pub use crate::query::call_groups::GroupBy;
pub use crate::query::call_tree::{CallTree, Question as CallTreeQuestion, TreeNode, call_tree};
pub use crate::query::calls::{Call, calls};
pub use crate::query::catalog::{Catalog, catalog};
pub use crate::query::choices::{Choice, ChoiceKey, ChoiceOption, ChoiceValue, Chosen};
pub use crate::query::explain::{
    Explanation, Question as ExplainQuestion, Reason as ExplainReason, explain,
};
pub use crate::query::flame_graph::{
    FlameGraph, Frame as FlameFrame, LegendEntry, Order as FlameOrder,
    Question as FlameGraphQuestion, Search as FlameSearch, flame_graph,
};
pub use crate::query::fleet::{FleetNumbers, minute};
pub use crate::query::function_costs::{FunctionLens, LensData, function_costs};
pub use crate::query::functions_at::functions_at;
pub use crate::query::health::{HealthCode, HealthEntry, Severity, health};
pub use crate::query::hot_line::{Question as HotLineQuestion, Step as HotLineStep, hot_line};
pub use crate::query::hot_places::{HotPlace, hot_places};
pub use crate::query::hot_spots::{
    HotCost, HotList, HotRow, HotSpots, PerCall, Question as HotSpotsQuestion, hot_spots,
};
pub use crate::query::hover::{function_details, hover, line_details, name_with_place};
pub use crate::query::line_costs::{HintData, HintLine, LineHint, line_costs};
pub use crate::query::paths::{How as HowMapped, Paths, RecordedFile, paths, recorded_files};
pub use crate::query::possible_mappings::possible_mappings;
pub use crate::query::profiles::{Profiles, Shown as ShownProfile, profiles};
pub use crate::query::recipes::{Question as RecipesQuestion, Recipe, recipes};
pub use crate::query::selection::{Question as SelectionQuestion, Selection, selection};
pub use crate::query::sources::{Sources, sources};
pub use crate::query::step::{Entry as StepEntry, Step as CallStep};
pub use crate::query::symbols::{HotSymbol, symbols};
pub use crate::query::targets::{Target, TargetProblem, hottest_files, weights_of_files};
pub use crate::query::timeline::{Question as TimelineQuestion, Timeline, timeline};
pub use crate::query::tree_rows::{
    MAX_ESTIMATED, MAX_PHASES, Question as TreeRowsQuestion, TreeOmitted, TreeProblem, TreeRow,
    TreeRows, tree_rows,
};
pub use crate::query::view::{View, view};
pub use crate::query::{Parsed, QUERIES, Query, Takes, ask};
pub use crate::ranking::order::{hottest_functions, sorted_lines};
pub use crate::ranking::{
    By as RankBy, InBaseline, Limits as RankLimits, Listing, Members, Omitted, Place, Ranked,
    Ranking, Role, Row as RankRow, Scope as RankScope, Sort as RankSort, Subject,
};
pub use crate::session::marks::Marks;
pub use crate::session::saved_views::SavedViews;
pub use crate::session::state::State as SavedState;
pub use crate::values::{Named, values};
pub use crate::view::absent::absent;
pub use crate::view::baseline::BaselineChoice;
pub use crate::view::baseline::ChosenBaseline;
pub use crate::view::checks::check_own;
pub use crate::view::given::Given;
pub use crate::view::options::{Choices, Overrides};
pub use crate::view::overrides::Change as ViewChange;
pub use crate::view::transforms::TransformData;
pub use crate::world::World;
pub use crate::world::context::{Context, OpenFile};
pub use crate::world::worlds::Worlds;
pub use loading::{
    Caches, Candidate, Combine, Commit, Compare, Content, Copies, CostSettings, Environment,
    Extent, FileVersion, Found, Generics, Implementation, Inlines, KeptRun, KeptRuns, Library,
    LoadError, Loaded, MARKERS, Missing, NAMES, Observe, Origin, PROFILE_FOLDERS, PUBLISH_INTERVAL,
    PathMapping, ProfileChoice, ProfileTotal, ReadStep, Recognised, RunFiles, Settings, Show,
    Snapshot, SourceSettings, Spread, Stamp, Symbols, Unit, ViewSettings, Watch, belongs_to_run,
    by_preference, commit_named, complete, discover, folders_of, foreign_message, has_end,
    index_sources, is_named_like_profile, is_one_series, is_outside, json, load,
    load_read_with_symbols, load_soon, load_with_symbols, preference, project_above, project_at,
    read_run, renew, renew_with_symbols, resolve_symbols, run_in_folder, run_indexes, runs,
    serve_guarded, sniff, text, units, use_helper, watch_globs,
};

// What the crates below say in answers: hosts depend on this crate alone.
pub use analysis::{
    CallGroup, CallGroups, CliqueCost, Cost, Edge, Edges, FileId, FunctionCost, FunctionId,
    FunctionRecursion, GroupKey, JitTier, LabelCost, LabelValue, LineCost, Metric, PartWithLabels,
    PathEntry, PathStep, Recursion, Site, SiteCost, Thread, ThreadChoice, ThreadId, ThreadTotal,
    TimeRange, Total, Transform, TransformKind, TreeOrder, Warning, WarningCode, find_metric,
    nearest, thread_and_process, thread_labels,
};
pub use formats::{
    At, ErrorKind, Foreign, Format, Limits as ReadLimits, Origin as FileOrigin, ReadError, Writer,
    dump,
};

pub use sources::{Mapping, Reason as UnmappedReason, SourceIndex, lexical, regular_file};
pub use symbols::Generics as SymbolGenerics;
pub use texts::{Functions, Highlight, Language};

/// Callers or callees grouped by function, module or library.
pub mod call_groups {
    pub use crate::query::call_groups::{grouped, groups, name, site, total};
}

/// Edges of the call hierarchy.
pub mod calls {
    pub use crate::items::rest_name;
    pub use crate::query::calls::step;
    pub use crate::query::step::RecursionFields;
}

/// Documents.
pub mod document {
    pub use crate::lines::document::path_of;
}

/// Parts of the report on health.
pub mod health {
    pub use crate::query::health::{deleted, missing, of_snapshot};
}

/// The groups of hot spots.
pub mod hot_groups {
    pub use crate::present::hot_groups::{HotGroup, hot_groups};
}

/// Costs as text.
pub mod labels {
    pub use crate::present::labels::{percent_change, totals};
}

/// Views with a name.
pub mod named_views {
    pub use crate::session::named_views::{problems, resolved};
}

/// Names of functions in parts.
pub mod names {
    pub use crate::present::names::{folded, shortened, without_parameters};
}

/// Orders of rows.
pub mod order {
    pub use crate::ranking::order::sorted;
}

/// Rules that map recorded paths, as settings and options.
pub mod path_rules {
    pub use crate::query::path_rules::{as_options, as_root, as_settings, for_mapping};
}

/// The list of profiles.
pub mod profiles {
    pub use crate::query::profiles::shown;
}

/// Progress of a load as text.
pub mod progress {
    pub use crate::present::progress::describe;
}

/// Choices that are kept for the next session.
pub mod state {
    pub use crate::session::state::{chosen, of_all, parse};
}

/// Steps of the call hierarchy.
pub mod step {
    pub use crate::query::step::show;
}

/// What a name or path on the command line means.
pub mod targets {
    pub use crate::query::targets::{functions, named};
}

/// Transforms as text.
pub mod transforms {
    pub use crate::view::transforms::parse;
}

/// Tiers of costs.
pub mod weight {
    pub use crate::keys::weight::tier;
}
