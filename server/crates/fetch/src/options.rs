//! The options of a fetch: flags of the command line, and keys of a source with the same names.

use crate::kind::Kind;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// The time to the first byte, and between two parts of the answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The limit of an answer, as sent.
const MAX_BYTES: u64 = 1 << 30;

/// What flags and the keys of a source can say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, clap::Args)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Options {
    /// The kind of a source; on the command line an argument.
    #[arg(skip)]
    pub(crate) kind: Option<Kind>,
    /// The address of a source; on the command line an argument.
    #[arg(skip)]
    pub(crate) url: Option<String>,
    /// The folder of a source, relative to the project; on the command line an argument.
    #[arg(skip)]
    pub(crate) path: Option<PathBuf>,
    /// How many seconds the host may send nothing; endpoints that record for a time have that time in
    /// addition [default: 20]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// The maximum size of the answer [default: 1 GiB]
    #[arg(long, value_name = "BYTES")]
    pub max_bytes: Option<u64>,
    /// The environment variable with a token to send (`Authorization: Bearer`); its name must begin
    /// with `COSTLINE_`
    #[arg(long, value_name = "VARIABLE")]
    pub token_env: Option<String>,
    /// The name of the user, to send with the password (`Authorization: Basic`)
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The environment variable with the password of the user; its name must begin with `COSTLINE_`
    #[arg(long, value_name = "VARIABLE")]
    pub password_env: Option<String>,
}

impl Options {
    /// These options; what they leave open is taken from `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            kind: self.kind.or(others.kind),
            url: self.url.or(others.url),
            path: self.path.or(others.path),
            timeout: self.timeout.or(others.timeout),
            max_bytes: self.max_bytes.or(others.max_bytes),
            token_env: self.token_env.or(others.token_env),
            user: self.user.or(others.user),
            password_env: self.password_env.or(others.password_env),
        }
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.map_or(TIMEOUT, Duration::from_secs)
    }

    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes.unwrap_or(MAX_BYTES)
    }
}
