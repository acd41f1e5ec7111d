//! ClickHouse over HTTP: the database sums the samples in its tables, on all its shards, and sends one
//! row per stack.
//!
//! The queries of Costline itself use no function that version 18.16 does not have.

mod cuts;
mod rows;
mod template;

use crate::answer::{Fetched, Listing};
use crate::error::FetchError;
use crate::http::{Ask, Content, Http, failure};
use crate::options::Options;
use crate::request::Query;
use crate::schema::Template;
use crate::step::Step;
use cuts::{Cut, Shape};
use flate2::read::MultiGzDecoder;
use formats::merge::Cuts;
use formats::{Fleet, FleetCut, Limits};
use rows::{EXPECTED, Row, Stacks, unreadable};
use std::io::{self, BufRead as _, BufReader, Read};
use url::Url;

/// The largest row.
const MAX_ROW: u64 = 256 << 20;

/// A database.
struct Database<'a> {
    url: Url,
    http: Http,
    query: &'a Query<'a>,
}

impl<'a> Database<'a> {
    fn new(query: &'a Query) -> Self {
        let http = Http::new(query.options, query.secrets, query.options.timeout());
        let mut url = query.url.clone();
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("database", query.options.database());
        pairs
            .append_pair("default_format", "JSONEachRow")
            .append_pair("enable_http_compression", "1");
        if let Some(template) = query.options.template {
            for (setting, value) in template.settings() {
                pairs.append_pair(setting, value);
            }
        }
        drop(pairs);
        Self { url, http, query }
    }

    fn fails(&self, message: impl Into<String>) -> FetchError {
        FetchError::Answer { from: self.query.url.to_string(), message: message.into() }
    }

    /// Calls a function with each row of an answer.
    fn rows(
        &self,
        sql: &str,
        observe: &mut dyn FnMut(Step),
        each: &mut dyn FnMut(Row) -> Result<(), String>,
    ) -> Result<(), FetchError> {
        let mut ask = Ask::post(self.url.clone(), "text/plain; charset=utf-8", sql.into());
        ask.shown = self.query.url.clone();
        ask.headers.push(("accept-encoding", "gzip".to_owned()));
        let (headers, content) = self.http.open(&ask, observe)?;
        let is_packed = headers.get("content-encoding").is_some_and(|it| it == "gzip");
        let failed = |error| failure(self.query.url, error);
        let mut lines = BufReader::new(Inflated::new(content, is_packed));
        let mut line = Vec::new();
        loop {
            line.clear();
            let n = lines.by_ref().take(MAX_ROW).read_until(b'\n', &mut line).map_err(failed)?;
            if n == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let row = serde_json::from_str(text);
            let row = row.map_err(|error| self.fails(unreadable(text, &error)))?;
            each(row).map_err(|message| self.fails(message))?;
        }
    }

    /// The first row of an answer.
    fn one(&self, sql: &str, observe: &mut dyn FnMut(Step)) -> Result<Option<Row>, FetchError> {
        let mut first = None;
        self.rows(sql, observe, &mut |row| {
            first.get_or_insert(row);
            Ok(())
        })?;
        Ok(first)
    }
}

/// Content as it is, or decompressed up to a limit.
enum Inflated<'a> {
    Plain(Box<Content<'a>>),
    Packed(Box<io::Take<MultiGzDecoder<Content<'a>>>>),
}

impl<'a> Inflated<'a> {
    fn new(content: Content<'a>, is_packed: bool) -> Self {
        if is_packed {
            let limit = Limits::default().max_inflated_bytes;
            Self::Packed(Box::new(MultiGzDecoder::new(content).take(limit)))
        } else {
            Self::Plain(Box::new(content))
        }
    }
}

impl Read for Inflated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(content) => content.read(buffer),
            Self::Packed(content) => {
                let n = content.read(buffer)?;
                if n == 0 && content.limit() == 0 {
                    let bytes = Limits::default().max_inflated_bytes;
                    return Err(io::Error::other(format!(
                        "the response has more than {bytes} bytes when decompressed; request less, \
                         with --min-percent, --max-depth or --max-stacks"
                    )));
                }
                Ok(n)
            }
        }
    }
}

/// The query that options make.
fn query_of(query: &Query) -> Result<String, FetchError> {
    let usage = |message: &str| Err(FetchError::Usage(message.to_owned()));
    let options = query.options;
    let [from, until] = query.range.seconds();
    match (&options.query, options.template) {
        (Some(_), Some(_)) => usage("`query` and `template` cannot be combined: give one of them"),
        (None, None) => usage(&format!(
            "a ClickHouse source needs `query`, SQL for the rows, or `template`: {}",
            Template::names()
        )),
        (Some(_), None) if options.filter.is_some() || options.cluster.is_some() => {
            usage("`filter` and `cluster` work only with `template`: put them into `query`")
        }
        (Some(sql), None) => {
            let sql = sql.trim().trim_end_matches(';');
            Ok(sql.replace("{from}", &from.to_string()).replace("{until}", &until.to_string()))
        }
        (None, Some(template)) => template.sql(options, query.range),
    }
}

/// The name and unit of values.
fn values(options: &Options) -> Result<(String, String), FetchError> {
    let of_template = options.template.map(|template| template.values(options));
    let text = options.values.clone().or(of_template).unwrap_or_else(|| "samples:count".to_owned());
    match text.split_once(':') {
        Some((name, unit)) if !name.is_empty() && !unit.is_empty() => {
            Ok((name.to_owned(), unit.to_owned()))
        }
        _ => {
            Err(FetchError::Usage(format!("values {text}: expected NAME:UNIT, `cpu:nanoseconds`")))
        }
    }
}

pub(crate) fn fetch(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    let database = Database::new(query);
    let options = query.options;
    let sql = query_of(query)?;
    let (metric, unit) = values(options)?;
    let mut stacks = Stacks::new(&metric, &unit);
    // A tree is cut here: its rows are no stacks.
    let cuts = options.cuts();
    let mut cut = None;
    if cuts.is_empty() || options.template == Some(Template::Qryn) {
        database.rows(&sql, observe, &mut |row| stacks.add(row))?;
    } else {
        let weight = cut_rows(&database, &sql, &cuts, &mut stacks, observe)?;
        cut = Some(FleetCut { how: cuts.to_string(), weight: Some(weight as f64) });
    }
    if stacks.is_empty() {
        return Err(database
            .fails("the query has no rows; check its time range (--since) and its conditions"));
    }
    let (bytes, format) = stacks.finish().map_err(|message| database.fails(message))?;
    let mut notes = Vec::new();
    let summary = match options.template.and_then(|it| it.summary(options, query.range)) {
        None => None,
        Some(summary) => database.one(&summary?, observe).unwrap_or_else(|error| {
            notes.push(format!("not known: {error}"));
            None
        }),
    };
    let (hosts, profiles) = summary.map_or((None, None), |row| (row.hosts(), row.profiles()));
    let is_ranged = options.template.is_some()
        || options.query.as_ref().is_some_and(|sql| sql.contains("{from}"));
    let fleet = Fleet {
        profile_type: options.profile_type.clone(),
        range_ms: is_ranged.then_some([query.range.from_ms, query.range.until_ms]),
        hosts,
        profiles,
        cut,
        ..Fleet::default()
    };
    Ok(Fetched { notes, fleet: Some(fleet), ..Fetched::unread(bytes, format) })
}

/// Adds rows that the database has cut. Returns the weight that is not where it was spent.
fn cut_rows(
    database: &Database,
    sql: &str,
    cuts: &Cuts,
    stacks: &mut Stacks,
    observe: &mut dyn FnMut(Step),
) -> Result<i128, FetchError> {
    let mut columns = Vec::new();
    database.rows(&format!("DESCRIBE TABLE ({sql})"), observe, &mut |row| {
        columns.extend(row.column());
        Ok(())
    })?;
    let shape = Shape::of(&columns).ok_or_else(|| database.fails(EXPECTED))?;
    let total = database.one(&shape.total(sql), observe)?.and_then(|row| row.value()).unwrap_or(0);
    let mut cut = Cut::new(total);
    database.rows(&shape.cut(sql, cuts, total), observe, &mut |row| cut.add(row))?;
    cut.finish(cuts, stacks).map_err(|message| database.fails(message))
}

/// The types of profiles, and services.
pub(crate) fn list(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Listing, FetchError> {
    let Some(template) = query.options.template else {
        return Err(FetchError::Usage(format!(
            "only sources with a `template` can be listed: {}",
            Template::names()
        )));
    };
    let database = Database::new(query);
    let mut listing = Listing::default();
    let mut services = Vec::new();
    database.rows(&template.list(query.options), observe, &mut |row| {
        let (kind, service) = row.listed();
        listing.types.extend(kind);
        services.extend(service);
        Ok(())
    })?;
    listing.types.sort();
    listing.types.dedup();
    services.sort();
    services.dedup();
    if !services.is_empty() {
        listing.labels.push((template.service().to_owned(), services));
    }
    Ok(listing)
}
