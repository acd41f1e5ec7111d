//! A kind of file that is recognized but not read.

use crate::signature::Signature;

/// A kind of file that is recognized but not read.
#[derive(Debug)]
pub struct Foreign {
    /// A stable name for programs; also the name of the folder of its samples in
    /// `fixtures/foreign`.
    pub name: &'static str,
    /// What the file is, with its article, to follow `this is`.
    pub what: &'static str,
    /// What to do instead: a clause with the exact command. `FILE` stands for the file, `app` for
    /// the user's program.
    pub instead: &'static str,
    /// How the file is recognized: any one of these is enough.
    pub(crate) signatures: &'static [Signature],
}

impl Foreign {
    /// What the file is and what to do, without the name of the file: `this is …, which Costline
    /// does not read; …`.
    pub fn sentence(&self) -> String {
        format!("this is {}, which Costline does not read; {}", self.what, self.instead)
    }
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Foreign {}
