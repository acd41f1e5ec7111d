//! Costs by function, line, edge and call node of a recorded profile.
