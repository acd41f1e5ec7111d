//! Endpoints that answer with a profile: Go's `net/http/pprof` and what follows its example.

use crate::answer::Fetched;
use crate::error::FetchError;
use crate::http::Http;
use crate::request::Query;
use crate::step::Step;
use std::time::Duration;
use url::Url;

pub(crate) fn fetch(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    let &Query { url, options, secrets, .. } = query;
    let http = Http::new(options, secrets, options.timeout().saturating_add(recording_time(url)));
    let answer = http.get(url, observe)?;
    Fetched::checked(answer, url.as_str())
}

/// How long the endpoint records before it answers: `seconds` in the query.
fn recording_time(url: &Url) -> Duration {
    let seconds = url.query_pairs().find(|(key, _)| key == "seconds");
    let seconds = seconds.and_then(|(_, value)| value.parse::<f64>().ok());
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
}
