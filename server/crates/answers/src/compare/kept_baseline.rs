//! Baselines that are kept runs ([`loading::kept_runs`]): `previous`, `previous:5`, `git:main`.

use loading::MAX_PREVIOUS;
use std::path::Path;

const PREVIOUS: &str = "previous";
const GIT: &str = "git:";

/// Which kept runs to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptBaseline {
    /// The mean of the last runs before the one shown.
    Previous {
        /// The number of runs, from 1 to [`MAX_PREVIOUS`].
        runs: usize,
    },
    /// The newest run that was recorded at a revision of Git.
    Git {
        /// The revision, as the user wrote it.
        revision: String,
    },
}

impl KeptBaseline {
    /// The baseline of a setting or choice. `None` if it is a path. The error is a message for users.
    pub fn parse(text: &Path) -> Option<Result<Self, String>> {
        let text = text.to_str()?;
        if let Some(revision) = text.strip_prefix(GIT) {
            let revision = revision.trim().to_owned();
            return Some(if revision.is_empty() {
                Err("`git:` names no revision: write `git:main`".to_owned())
            } else {
                Ok(Self::Git { revision })
            });
        }
        if text == PREVIOUS {
            return Some(Ok(Self::Previous { runs: 1 }));
        }
        let runs = text.strip_prefix(PREVIOUS)?.strip_prefix(':')?;
        let number = runs.parse().ok().filter(|runs| (1..=MAX_PREVIOUS).contains(runs));
        Some(number.map(|runs| Self::Previous { runs }).ok_or_else(|| {
            format!("`{text}`: the number of runs must be from 1 to {MAX_PREVIOUS}")
        }))
    }

    /// The value of the setting.
    pub fn value(&self) -> String {
        match self {
            Self::Previous { runs: 1 } => PREVIOUS.to_owned(),
            Self::Previous { runs } => format!("{PREVIOUS}:{runs}"),
            Self::Git { revision } => format!("{GIT}{revision}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_by_name() {
        let parse = |text: &str| KeptBaseline::parse(Path::new(text));
        let previous = |runs| Some(Ok(KeptBaseline::Previous { runs }));
        assert_eq!(parse("previous"), previous(1));
        assert_eq!(parse("previous:1"), previous(1));
        assert_eq!(parse("previous:5"), previous(5));
        let git = |revision: &str| Some(Ok(KeptBaseline::Git { revision: revision.to_owned() }));
        assert_eq!(parse("git:main"), git("main"));
        assert_eq!(parse("git:HEAD~2"), git("HEAD~2"));
        assert_eq!(parse("previous.folded"), None);
        assert_eq!(parse("old/previous"), None);
        for wrong in ["previous:0", "previous:20", "previous:x", "previous:"] {
            let problem = parse(wrong).unwrap().unwrap_err();
            assert_eq!(problem, format!("`{wrong}`: the number of runs must be from 1 to 19"));
        }
        assert!(parse("git:").unwrap().unwrap_err().contains("git:main"));
        for text in ["previous", "previous:5", "git:main"] {
            assert_eq!(parse(text).unwrap().unwrap().value(), text);
        }
    }
}
