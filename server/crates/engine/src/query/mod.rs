//! The queries of editors and the command line. Each is a pure function of a
//! [`Context`](crate::world::context::Context) or a [`Snapshot`](crate::snapshot::Snapshot); only
//! [`targets`] also asks the disk which names are files.

pub mod action;
pub mod annotated;
pub mod call_groups;
pub mod call_tree;
pub mod calls;
pub mod catalog;
pub mod choices;
pub mod explain;
mod flame_chart;
mod flame_frames;
pub mod flame_graph;
pub mod fleet;
pub mod function_costs;
pub mod functions_at;
pub mod health;
pub mod hot_line;
pub mod hot_places;
pub mod hot_spots;
pub mod hover;
mod kept_runs;
pub mod line_costs;
mod other_profiles;
pub mod path_rules;
pub mod paths;
pub mod possible_mappings;
pub mod profile_total;
pub mod profiles;
pub mod provenance;
pub mod recipes;
pub mod selection;
pub mod sources;
pub mod step;
pub mod symbols;
pub mod targets;
pub mod timeline;
pub mod tree_rows;
pub mod view;
