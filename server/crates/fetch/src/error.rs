//! Why nothing was fetched. Each message is one sentence that names the source and what to do.

use std::path::PathBuf;
use std::time::Duration;

/// Why nothing was fetched. The file of an earlier fetch is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The arguments, or the keys of a source, make no request.
    #[error("{0}")]
    Usage(String),
    /// A secret is not where the options say.
    #[error("{0}")]
    Secret(String),
    /// The file of sources cannot be read.
    #[error("{}: {message}", path.display())]
    Sources {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// No connection, or one that broke.
    #[error("{url}: {message}")]
    Connection {
        /// What was asked for.
        url: String,
        /// What happened, and what to do.
        message: String,
    },
    /// The host did not send anything for too long.
    #[error(
        "{url}: sent nothing for {} s; check that the address is right, or wait longer with --timeout SECONDS",
        waited.as_secs()
    )]
    Timeout {
        /// What was asked for.
        url: String,
        /// The limit.
        waited: Duration,
    },
    /// The host sends its response too slowly.
    #[error(
        "{url}: the response was not complete after {} s; request less, or wait longer with --timeout SECONDS",
        waited.as_secs()
    )]
    Slow {
        /// What was asked for.
        url: String,
        /// The limit.
        waited: Duration,
    },
    /// The answer has another status than 200.
    #[error("{url}: answered {status}{said}{advice}")]
    Status {
        /// What was asked for.
        url: String,
        /// The code and its name.
        status: String,
        /// The first line of the answer, with a separator before it.
        said: String,
        /// What to do, with a separator before it.
        advice: String,
    },
    /// The host sends the client to a place where it does not go.
    #[error("{url}: redirects to {to}, {reason}; nothing was read")]
    Redirect {
        /// What was asked for.
        url: String,
        /// Where it leads.
        to: String,
        /// Why it is not followed.
        reason: &'static str,
    },
    /// The answer exceeds the limit.
    #[error(
        "{url}: sent more than {limit} bytes; raise the limit with --max-bytes N, or request less"
    )]
    TooLarge {
        /// What was asked for.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// The answer is no profile that can be read.
    #[error("{from}: the response cannot be read as a profile: {error}")]
    NoProfile {
        /// The address or folder.
        from: String,
        /// What the reader expected.
        error: formats::ReadError,
    },
    /// The answer of a source makes no profile.
    #[error("{from}: {message}")]
    Answer {
        /// The address.
        from: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The files of a folder cannot be merged.
    #[error("{}: {message}", path.display())]
    Merge {
        /// The folder, or the file that does not go with the others.
        path: PathBuf,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The profile cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Store {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
}
