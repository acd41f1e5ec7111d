//! The queries of editors and the command line. Each is a pure function of a
//! [`Context`](crate::world::context::Context) or a [`Snapshot`](loading::Snapshot); only
//! [`targets`] also asks the disk which names are files.

pub(crate) mod action;
pub(crate) mod annotated;
pub(crate) mod call_groups;
pub(crate) mod call_tree;
pub(crate) mod calls;
pub(crate) mod catalog;
pub(crate) mod choices;
pub(crate) mod explain;
pub(crate) mod flame_chart;
pub(crate) mod flame_frames;
pub(crate) mod flame_graph;
pub(crate) mod fleet;
pub(crate) mod function_costs;
pub(crate) mod functions_at;
pub(crate) mod health;
pub(crate) mod hot_line;
pub(crate) mod hot_places;
pub(crate) mod hot_spots;
pub(crate) mod hover;
pub(crate) mod kept_runs;
pub(crate) mod line_costs;
pub(crate) mod other_profiles;
pub(crate) mod path_rules;
pub(crate) mod paths;
pub(crate) mod possible_mappings;
pub(crate) mod profiles;
pub(crate) mod provenance;
pub(crate) mod recipes;
pub(crate) mod selection;
pub(crate) mod sources;
pub(crate) mod step;
pub(crate) mod symbols;
pub(crate) mod targets;
pub(crate) mod timeline;
pub(crate) mod tree_rows;
pub(crate) mod view;
