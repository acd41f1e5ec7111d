//! The options of a fetch: flags of the command line, and keys of a source with the same names.

use crate::kind::Kind;
use crate::schema::Template;
use formats::merge::Cuts;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// The time to the first byte, and between two parts of the response.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The limit of a response, as sent.
const MAX_BYTES: u64 = 1 << 30;

/// What flags and the keys of a source can set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
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
    /// Give up after this many seconds without data from the host, in addition to the time for which it
    /// records (`seconds=N` in the URL) [default: 20]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// The maximum size of the response [default: 1 GiB]
    #[arg(long, value_name = "BYTES")]
    pub max_bytes: Option<u64>,
    /// The environment variable with a token to send (`Authorization: Bearer`); its name must begin
    /// with `COSTLINE_`
    #[arg(long, value_name = "VARIABLE")]
    pub token_env: Option<String>,
    /// The user name, to send with the password (`Authorization: Basic`)
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The environment variable with the user's password; its name must begin with `COSTLINE_`
    #[arg(long, value_name = "VARIABLE")]
    pub password_env: Option<String>,
    /// The tenant: `X-Scope-OrgID` of Pyroscope, `projectID` of Polar Signals
    #[arg(long, value_name = "ID")]
    pub tenant: Option<String>,
    /// The profile type: `process_cpu:cpu:nanoseconds:cpu:nanoseconds`; `--list` shows the source's
    /// types
    #[arg(long, value_name = "TYPE")]
    pub profile_type: Option<String>,
    /// Only profiles with these labels: `{service_name="checkout", region=~"eu-.*"}`
    #[arg(long, value_name = "SELECTOR")]
    pub labels: Option<String>,
    /// The start of the time range: `90s`, `15m`, `1h`, `7d`, `2w` ago, or a time like
    /// `2026-11-24T10:00:00Z` [default: 1h]
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// The end of the time range [default: now]
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Also fetch a time range of the same length that starts here, to compare with. Its file is
    /// NAME-baseline
    #[arg(long, value_name = "TIME")]
    pub baseline_since: Option<String>,
    /// The ClickHouse query in SQL, with the columns `stack` and `value`, or `functions`, `files`,
    /// `lines` and `value`; `{from}` and `{until}` are the time range, in seconds since 1970
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,
    /// A built-in query for a known ClickHouse schema, instead of `--query`
    #[arg(long, value_name = "SCHEMA")]
    pub template: Option<Template>,
    /// The ClickHouse database [default: default]
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// The ClickHouse cluster to query (with `--template`)
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// An SQL condition for the rows (with `--template`): `ServiceName = 'checkout'`
    #[arg(long, value_name = "SQL")]
    pub filter: Option<String>,
    /// What the ClickHouse values count, and their unit, such as `cpu:nanoseconds` [default:
    /// samples:count]
    #[arg(long, value_name = "NAME:UNIT")]
    pub values: Option<String>,
    /// The region of the object store [default: us-east-1]
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// The environment variable with the access key of the object store; its name must begin with
    /// `COSTLINE_`
    #[arg(long, value_name = "VARIABLE")]
    pub access_key_env: Option<String>,
    /// The environment variable with the secret key of the object store; its name must begin with
    /// `COSTLINE_`
    #[arg(long, value_name = "VARIABLE")]
    pub secret_key_env: Option<String>,
    /// Leave out calls that cost less than this share of the total; their cost goes to the caller
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub min_percent: Option<f64>,
    /// Keep this many frames of each stack, from the root; the cost of deeper frames goes to the last
    /// frame that is kept
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_depth: Option<u32>,
    /// Keep the stacks that cost the most; the others become the function `(cut)`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_stacks: Option<u64>,
    /// How many nodes of the call tree Pyroscope should return
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub max_nodes: Option<i64>,
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
            tenant: self.tenant.or(others.tenant),
            profile_type: self.profile_type.or(others.profile_type),
            labels: self.labels.or(others.labels),
            since: self.since.or(others.since),
            until: self.until.or(others.until),
            baseline_since: self.baseline_since.or(others.baseline_since),
            query: self.query.or(others.query),
            template: self.template.or(others.template),
            database: self.database.or(others.database),
            cluster: self.cluster.or(others.cluster),
            filter: self.filter.or(others.filter),
            values: self.values.or(others.values),
            region: self.region.or(others.region),
            access_key_env: self.access_key_env.or(others.access_key_env),
            secret_key_env: self.secret_key_env.or(others.secret_key_env),
            min_percent: self.min_percent.or(others.min_percent),
            max_depth: self.max_depth.or(others.max_depth),
            max_stacks: self.max_stacks.or(others.max_stacks),
            max_nodes: self.max_nodes.or(others.max_nodes),
        }
    }

    /// What to leave out.
    pub(crate) fn cuts(&self) -> Cuts {
        let Self { min_percent, max_depth, max_stacks, .. } = *self;
        Cuts { min_percent, max_depth, max_stacks }
    }

    /// The database of ClickHouse.
    pub(crate) fn database(&self) -> &str {
        self.database.as_deref().unwrap_or("default")
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.map_or(TIMEOUT, Duration::from_secs)
    }

    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes.unwrap_or(MAX_BYTES)
    }
}
