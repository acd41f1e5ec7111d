//! Queries for the schemas of programs that keep samples in ClickHouse.

use crate::error::FetchError;
use crate::options::Options;
use crate::schema::Template;
use crate::time::Range;

impl Template {
    /// Settings of ClickHouse that its query needs.
    pub(super) fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Coroot | Self::Qryn => &[],
            Self::TraceLog => &[("allow_introspection_functions", "1")],
        }
    }

    /// The type of profiles to ask for.
    fn profile_type(self, options: &Options) -> Result<&str, FetchError> {
        match (self, options.profile_type.as_deref()) {
            (_, Some(given)) => Ok(given),
            (Self::TraceLog, None) => Ok("CPU"),
            (Self::Coroot | Self::Qryn, None) => Err(FetchError::Usage(
                "give --profile-type; --list shows the source's profile types".to_owned(),
            )),
        }
    }

    /// What values count, and their unit.
    pub(super) fn values(self, options: &Options) -> String {
        let parts: Vec<&str> =
            options.profile_type.as_deref().unwrap_or_default().split(':').collect();
        match (self, parts.as_slice()) {
            // `ebpf:cpu:nanoseconds`, `process_cpu:cpu:nanoseconds:cpu:nanoseconds`
            (Self::Coroot | Self::Qryn, [_, name, unit, ..]) => format!("{name}:{unit}"),
            (Self::TraceLog, ["Memory" | "MemorySample"]) => "alloc_space:bytes".to_owned(),
            _ => "samples:count".to_owned(),
        }
    }

    /// The query for the rows.
    pub(super) fn sql(self, options: &Options, range: Range) -> Result<String, FetchError> {
        let profile_type = self.profile_type(options)?;
        let [from, until] = range.seconds();
        let filter = options.filter.as_deref().unwrap_or("1");
        let of_type = quoted(profile_type);
        Ok(match self {
            Self::Coroot => {
                let (samples, stacks) =
                    (table(options, "profiling_samples"), table(options, "profiling_stacks"));
                // Frames are `name file:line`, leaf first.
                format!(
                    "SELECT arrayMap(f -> if(match(f, ' [^ ]*:[0-9]+$'), extract(f, '^(.*) [^ ]*:[0-9]+$'), f), frames) AS functions, \
                     arrayMap(f -> extract(f, ' ([^ ]*):[0-9]+$'), frames) AS files, \
                     arrayMap(f -> toUInt32OrZero(extract(f, ':([0-9]+)$')), frames) AS lines, value \
                     FROM (SELECT arrayReverse(Stack) AS frames, value FROM \
                     (SELECT StackHash, sum(Value) AS value FROM {samples} WHERE Type = {of_type} \
                     AND Start < toDateTime({until}) AND End > toDateTime({from}) AND ({filter}) GROUP BY StackHash) \
                     ANY INNER JOIN (SELECT Hash AS StackHash, any(Stack) AS Stack FROM {stacks} \
                     WHERE LastSeen > toDateTime({from}) GROUP BY Hash) USING StackHash)"
                )
            }
            Self::Qryn => {
                let (profiles, rows) = qryn(options, profile_type, range, filter)?;
                let sample = quoted(&self.values(options));
                format!(
                    "SELECT node, parent, function, value FROM \
                     (SELECT tupleElement(t, 3) AS node, any(tupleElement(t, 1)) AS parent, any(tupleElement(t, 2)) AS id, \
                     sum(tupleElement(arrayFirst(x -> tupleElement(x, 1) = {sample}, tupleElement(t, 4)), 2)) AS value \
                     FROM {profiles} ARRAY JOIN tree AS t WHERE {rows} GROUP BY node) \
                     ANY LEFT JOIN (SELECT tupleElement(f, 1) AS id, any(tupleElement(f, 2)) AS function \
                     FROM {profiles} ARRAY JOIN functions AS f WHERE {rows} GROUP BY id) USING id"
                )
            }
            Self::TraceLog => {
                let log = trace_log(options);
                let value = match profile_type {
                    "Real" | "CPU" => "count()",
                    _ => "sum(size)",
                };
                format!(
                    "SELECT arrayMap(a -> demangle(addressToSymbol(a)), addresses) AS functions, \
                     arrayMap(a -> extract(addressToLine(a), '^(.*):[0-9]+$'), addresses) AS files, \
                     arrayMap(a -> toUInt32OrZero(extract(addressToLine(a), ':([0-9]+)$')), addresses) AS lines, value \
                     FROM (SELECT arrayReverse(trace) AS addresses, toInt64({value}) AS value FROM {log} \
                     WHERE trace_type = {of_type} AND event_date >= toDate(toDateTime({from})) \
                     AND event_time >= toDateTime({from}) AND event_time < toDateTime({until}) \
                     AND ({filter}) GROUP BY trace)"
                )
            }
        })
    }

    /// The query for the numbers of hosts and profiles, where the schema has them.
    pub(super) fn summary(
        self,
        options: &Options,
        range: Range,
    ) -> Option<Result<String, FetchError>> {
        let filter = options.filter.as_deref().unwrap_or("1");
        let [from, until] = range.seconds();
        match self {
            Self::Coroot => None,
            Self::Qryn => Some(self.profile_type(options).and_then(|profile_type| {
                let (profiles, rows) = qryn(options, profile_type, range, filter)?;
                Ok(format!("SELECT count() AS profiles FROM {profiles} WHERE {rows}"))
            })),
            Self::TraceLog => Some(Ok(format!(
                "SELECT uniqExact(hostName()) AS hosts FROM {} WHERE event_time >= toDateTime({from}) \
                 AND event_time < toDateTime({until}) AND ({filter})",
                trace_log(options)
            ))),
        }
    }

    /// The query for the types of profiles and the services.
    pub(super) fn list(self, options: &Options) -> String {
        match self {
            Self::Coroot => format!(
                "SELECT DISTINCT Type AS type, ServiceName AS service FROM {}",
                table(options, "profiling_profiles")
            ),
            Self::Qryn => format!(
                "SELECT DISTINCT concat(splitByChar(':', type_id)[1], ':', tupleElement(sample, 1), ':', \
                 tupleElement(sample, 2), substring(type_id, position(type_id, ':'))) AS type, \
                 service_name AS service FROM {} ARRAY JOIN sample_types_units AS sample",
                table(options, "profiles_series")
            ),
            Self::TraceLog => {
                format!("SELECT DISTINCT toString(trace_type) AS type FROM {}", trace_log(options))
            }
        }
    }

    /// The column of services.
    pub(super) fn service(self) -> &'static str {
        match self {
            Self::Qryn => "service_name",
            Self::Coroot | Self::TraceLog => "ServiceName",
        }
    }
}

/// The table of qryn, and the condition for its rows.
fn qryn(
    options: &Options,
    profile_type: &str,
    range: Range,
    filter: &str,
) -> Result<(String, String), FetchError> {
    let parts: Vec<&str> = profile_type.split(':').collect();
    let [kind, _, _, period_type, period_unit, ..] = parts.as_slice() else {
        return Err(FetchError::Usage(format!(
            "profile-type {profile_type}: expected five parts, `process_cpu:cpu:nanoseconds:cpu:nanoseconds`"
        )));
    };
    let type_id = quoted(&format!("{kind}:{period_type}:{period_unit}"));
    let Range { from_ms, until_ms } = range;
    let rows = format!(
        "type_id = {type_id} AND timestamp_ns >= {from_ms}000000 AND timestamp_ns < {until_ms}000000 AND ({filter})"
    );
    Ok((table(options, "profiles"), rows))
}

fn trace_log(options: &Options) -> String {
    match &options.cluster {
        Some(cluster) => format!("cluster({}, system, trace_log)", quoted(cluster)),
        None => "system.trace_log".to_owned(),
    }
}

/// A table of the database, on all shards of a cluster if there is one.
fn table(options: &Options, name: &str) -> String {
    match &options.cluster {
        Some(cluster) => {
            format!("cluster({}, {}, {name})", quoted(cluster), quoted(options.database()))
        }
        None => name.to_owned(),
    }
}

/// A text in SQL.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
