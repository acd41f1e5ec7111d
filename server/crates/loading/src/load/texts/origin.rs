//! How a recorded text is known.

/// How the text of a source is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The profile contains it, or the source map of generated code.
    Profile,
    /// A copy that was kept earlier.
    Copy,
    /// The file on disk: it has the recorded checksum, or was not written since the recording.
    Disk,
    /// A version in Git.
    Git,
    /// That of the file that was renamed to this one: a copy, or a version in Git.
    Renamed,
    /// The file on disk. It was written later, so this is a guess.
    Guess,
    /// The file on disk. It was not written since the recording, but the profile has functions or
    /// lines elsewhere: the program was built or started before, or the profile was copied.
    Contradicted,
    /// The text that code was generated from again after the recording.
    Rebuilt,
    /// The file on disk. It has another checksum than the recorded one, so it was edited after the
    /// build.
    Edited,
}

impl Origin {
    /// Why the text may not be the recorded one. `None` if it is.
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Profile | Self::Copy | Self::Disk | Self::Git | Self::Renamed => None,
            Self::Guess => Some("the file is newer than the profile"),
            Self::Contradicted => Some("the profile has functions or lines of the file elsewhere"),
            Self::Rebuilt => Some("the program was built again since the profile was recorded"),
            Self::Edited => Some("the file was edited after the program was built"),
        }
    }
}
