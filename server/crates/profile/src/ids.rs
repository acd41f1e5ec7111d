//! Indexes as types, one per table, so that a func index cannot be mistaken for a frame index.

/// The value of a column that refers to no row.
pub(crate) const NONE: u32 = u32::MAX;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of row `index`. Tables have fewer than `u32::MAX` rows; the builder checks
            /// this.
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The row, 0-based.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The row, as stored in columns.
            pub const fn raw(self) -> u32 {
                self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}
pub(crate) use ids;

ids! {
    /// A row of the string table.
    StringId
    /// A library: an executable, a shared object, a kernel.
    LibId
    /// A source file, under one of its names in the profile.
    SourceId
    /// A row of the func table.
    FuncId
    /// A frame: a func at a line and address.
    FrameId
    /// A stack: a frame and the stack that called it.
    StackId
    /// A thread.
    ThreadId
    /// A metric.
    MetricId
    /// A label of samples.
    LabelId
    /// The labels that a sample has.
    LabelSetId
}
