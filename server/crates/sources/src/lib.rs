//! Paths named by profiles to files of a workspace, and lines of a recorded text to lines of an edited one.
