//! One HTTP exchange: deadlines, a limit of size, redirects, and further tries.
//!
//! Redirects are followed here and not by the library, because an answer must not lead to another
//! kind of address, and secrets must not go to another host.

use crate::error::FetchError;
use crate::options::Options;
use crate::secrets::{Authorization, Secrets};
use crate::step::Step;
use flate2::read::MultiGzDecoder;
use rustls::crypto::ring;
use std::env;
use std::io::{self, Read};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use ureq::http::{HeaderMap, Method, Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};
use url::Url;

const MAX_REDIRECTS: usize = 5;
/// The limit for a whole response, as a multiple of the time that the host may send nothing.
const PATIENCE: u32 = 100;
/// The longest timeout. A much larger one cannot be added to a clock.
const MAX_TIMEOUT: Duration = Duration::from_secs(366 * 24 * 3600);
/// How long to wait before the second and the third try.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];
/// How much of the answer of a failed request is read, for the message.
const SAID_BYTES: u64 = 4096;
/// The variables that may name a proxy. `ureq` takes the first one with a valid address.
const PROXY_VARIABLES: [&str; 6] =
    ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
/// The header of S3 with the region of a bucket, also if another region was asked.
const REGION: &str = "x-amz-bucket-region";

/// A client for the requests of one fetch.
pub(crate) struct Http {
    agent: Agent,
    timeout: Duration,
    /// How long a whole answer may take.
    longest: Duration,
    max_bytes: u64,
    authorization: Option<Authorization>,
}

impl Http {
    /// `timeout`: how long the host may send nothing.
    pub(crate) fn new(options: &Options, secrets: &Secrets, timeout: Duration) -> Self {
        let timeout = timeout.min(MAX_TIMEOUT);
        Self::with_deadlines(options, secrets, timeout, timeout * PATIENCE)
    }

    /// `longest`: how long a whole answer may take.
    pub(crate) fn with_deadlines(
        options: &Options,
        secrets: &Secrets,
        timeout: Duration,
        longest: Duration,
    ) -> Self {
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .user_agent(concat!("costline/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(timeout))
            .timeout_connect(Some(timeout))
            .timeout_recv_response(Some(timeout))
            .timeout_per_read(Some(timeout))
            .timeout_per_write(Some(timeout))
            .timeout_global(Some(longest))
            .build()
            .new_agent();
        let authorization = secrets.authorization.clone();
        Self { agent, timeout, longest, max_bytes: options.max_bytes(), authorization }
    }

    /// The content of the answer to GET.
    pub(crate) fn get(
        &self,
        url: &Url,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Vec<u8>, FetchError> {
        let (_, mut body) = self.open(&Ask::get(url.clone()), observe)?;
        body.whole()
    }

    /// Checks the limits of an answer that comes in several parts, which `open` checks for each.
    pub(crate) fn check_all(
        &self,
        url: &Url,
        n_bytes: u64,
        waited: Duration,
    ) -> Result<(), FetchError> {
        let url = url.to_string();
        if n_bytes > self.max_bytes {
            return Err(FetchError::TooLarge { url, limit: self.max_bytes });
        }
        if waited > self.longest {
            return Err(FetchError::Slow { url, waited: self.longest });
        }
        Ok(())
    }

    /// The headers and the content of an answer with status 200. Redirects are followed for GET.
    pub(crate) fn open<'a>(
        &'a self,
        ask: &Ask,
        observe: &'a mut dyn FnMut(Step),
    ) -> Result<(HeaderMap, Content<'a>), FetchError> {
        let (mut at, mut shown) = (ask.url.clone(), ask.shown.clone());
        for _ in 0..=MAX_REDIRECTS {
            observe(Step::Asking(shown.clone()));
            let response = self.answer(&at, &shown, ask, observe)?;
            let Some(location) = location(&response) else {
                let denied = match self.authorization_at(&at, ask) {
                    Some(sent) => {
                        format!("{} was refused: check that it may be used here", sent.whose)
                    }
                    None => ask.denied.to_owned(),
                };
                return self.content(shown, &denied, response, observe);
            };
            at = redirected(&at, &shown, &location)?;
            // It may be signed, also if the first address is not.
            shown = at.clone();
            shown.set_query(None);
            if ask.body.is_some() {
                let reason = "which is only followed for profile addresses; give that address";
                return Err(FetchError::Redirect {
                    url: ask.shown.to_string(),
                    to: shown.into(),
                    reason,
                });
            }
        }
        let reason = "which is one redirect too many";
        Err(FetchError::Redirect { url: ask.shown.to_string(), to: shown.into(), reason })
    }

    /// The answer, after further tries if the connection or the host fails.
    fn answer(
        &self,
        url: &Url,
        shown: &Url,
        ask: &Ask,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Response<Body>, FetchError> {
        for pause in PAUSES {
            let reason = match self.once(url, ask) {
                Ok(response) if is_passing(response.status()) => response.status().to_string(),
                Err(ureq::Error::Io(error)) if is_passing_error(&error) => error.to_string(),
                Ok(response) => return Ok(response),
                Err(error) => return Err(self.described(shown, error)),
            };
            observe(Step::Again { reason });
            sleep(pause);
        }
        self.once(url, ask).map_err(|error| self.described(shown, error))
    }

    fn once(&self, url: &Url, ask: &Ask) -> Result<Response<Body>, ureq::Error> {
        let method = if ask.body.is_some() { Method::POST } else { Method::GET };
        let mut request = ureq::http::Request::builder().method(method).uri(url.as_str());
        let secret = self.authorization_at(url, ask);
        let secret = secret.map(|it| (header::AUTHORIZATION.as_str(), it.header.as_str()));
        let headers = ask.headers.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in headers.chain(secret) {
            request = request.header(name, value);
        }
        match &ask.body {
            Some(body) => self.agent.run(request.body(body.as_slice())?),
            None => self.agent.run(request.body(())?),
        }
    }

    /// What a request of an address is authorized with. Secrets go to the host of the source only.
    fn authorization_at(&self, url: &Url, ask: &Ask) -> Option<&Authorization> {
        let sent = is_same_host(url, &ask.url) && !ask.is_signed;
        self.authorization.as_ref().filter(|_| sent)
    }

    /// The headers and the body of an answer with status 200.
    fn content<'a>(
        &'a self,
        url: Url,
        denied: &str,
        response: Response<Body>,
        observe: &'a mut dyn FnMut(Step),
    ) -> Result<(HeaderMap, Content<'a>), FetchError> {
        let status = response.status();
        if status != StatusCode::OK {
            return Err(refused(&url, status, denied, response));
        }
        let stated = response.body().content_length();
        if stated.is_some_and(|length| length > self.max_bytes) {
            return Err(FetchError::TooLarge { url: url.to_string(), limit: self.max_bytes });
        }
        let (parts, body) = response.into_parts();
        let body = body.into_with_config().limit(u64::MAX).reader();
        Ok((parts.headers, Content { http: self, url, body, stated, n_bytes: 0, observe }))
    }

    fn described(&self, url: &Url, error: ureq::Error) -> FetchError {
        let proxy = self.proxy_for(url);
        let message = match error {
            ureq::Error::Timeout(ureq::Timeout::Global) => {
                return FetchError::Slow { url: url.to_string(), waited: self.longest };
            }
            ureq::Error::Timeout(_) => {
                return FetchError::Timeout { url: url.to_string(), waited: self.timeout };
            }
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                return FetchError::Timeout { url: url.to_string(), waited: self.timeout };
            }
            ureq::Error::ConnectProxyFailed(reason) => format!(
                "{} does not connect to this host: {reason}; allow it to (with CONNECT, also for \
                 http addresses), or name the host in NO_PROXY",
                proxy.unwrap_or_default()
            ),
            ureq::Error::HostNotFound => match proxy {
                Some(proxy) => format!("{proxy} was not found; check the variable"),
                None => "no such host; check the name".to_owned(),
            },
            ureq::Error::Io(error) => match certificate_error(&error) {
                Some(reason) => format!(
                    "the certificate is not trusted: {reason}; install the certificate of its authority on this \
                     machine, or name its file in SSL_CERT_FILE"
                ),
                None if error.kind() == io::ErrorKind::ConnectionRefused => match proxy {
                    Some(proxy) => format!("nothing is listening at {proxy}; check the variable"),
                    None => "nothing is listening there; check the host and port, and that the \
                             program is running"
                        .to_owned(),
                },
                None => match proxy {
                    Some(proxy) => format!("the connection through {proxy} failed: {error}"),
                    None => format!("the connection failed: {error}"),
                },
            },
            error => error.to_string(),
        };
        FetchError::Connection { url: url.to_string(), message }
    }

    /// The proxy that an address is asked through: `the proxy proxy.example.com:3128 (HTTPS_PROXY)`.
    fn proxy_for(&self, url: &Url) -> Option<String> {
        let proxy = self.agent.config().proxy()?;
        if url.as_str().parse().is_ok_and(|uri| proxy.is_no_proxy(&uri)) {
            return None;
        }
        let named = |variable: &&str| {
            let value = env::var(variable).ok().and_then(|value| Proxy::new(&value).ok());
            value.is_some_and(|named| named.uri() == proxy.uri())
        };
        let variable = PROXY_VARIABLES.into_iter().find(named).unwrap_or_default();
        Some(format!("the proxy {}:{} ({variable})", proxy.host(), proxy.port()))
    }
}

/// What to ask for.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) url: Url,
    /// The address in messages, without what is no one's business.
    pub(crate) shown: Url,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The body of a POST; `None` for GET.
    pub(crate) body: Option<Vec<u8>>,
    /// Whether the address has its own proof of who asks, and secrets must not be sent.
    pub(crate) is_signed: bool,
    /// What to do if the host denies access.
    pub(crate) denied: &'static str,
}

impl Ask {
    pub(crate) fn get(url: Url) -> Self {
        Self {
            shown: url.clone(),
            url,
            headers: Vec::new(),
            body: None,
            is_signed: false,
            denied: "give a secret with --token-env, or with --user and --password-env",
        }
    }

    pub(crate) fn post(url: Url, content_type: &str, body: Vec<u8>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self { headers, body: Some(body), ..Self::get(url) }
    }
}

/// The content of an answer, as it comes. Errors contain a [`FetchError`] ([`failure`]).
pub(crate) struct Content<'a> {
    http: &'a Http,
    url: Url,
    body: ureq::BodyReader<'static>,
    stated: Option<u64>,
    n_bytes: u64,
    observe: &'a mut dyn FnMut(Step),
}

impl Content<'_> {
    /// Reads it as a whole.
    pub(crate) fn whole(&mut self) -> Result<Vec<u8>, FetchError> {
        let url = self.url.clone();
        let mut content = Vec::new();
        match io::copy(self, &mut content) {
            Ok(_) => Ok(content),
            Err(error) => Err(failure(&url, error)),
        }
    }
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = match self.body.read(buffer) {
            Ok(n) => n,
            Err(error) => {
                return Err(io::Error::other(
                    self.http.described(&self.url, ureq::Error::from(error)),
                ));
            }
        };
        self.n_bytes += n as u64;
        let limit = self.http.max_bytes;
        if self.n_bytes > limit {
            let url = self.url.to_string();
            return Err(io::Error::other(FetchError::TooLarge { url, limit }));
        }
        if n > 0 {
            (self.observe)(Step::Received(self.n_bytes, self.stated));
        }
        Ok(n)
    }
}

/// Why [`Content`] cannot be read.
pub(crate) fn failure(url: &Url, error: io::Error) -> FetchError {
    let message = error.to_string();
    let inner = error.into_inner().and_then(|inner| inner.downcast::<FetchError>().ok());
    inner.map_or(FetchError::Connection { url: url.to_string(), message }, |inner| *inner)
}

/// Whether an address may be asked.
pub(crate) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Whether secrets for one address may be sent to the other.
fn is_same_host(a: &Url, b: &Url) -> bool {
    a.origin() == b.origin()
}

/// The text that says where an answer leads. Without it, the answer is a failure like others.
fn location(response: &Response<Body>) -> Option<String> {
    let location = response.headers().get(header::LOCATION)?;
    let is_redirect = response.status().is_redirection();
    is_redirect.then(|| String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// Where a redirect from an address leads. `shown` is the address in messages.
fn redirected(url: &Url, shown: &Url, location: &str) -> Result<Url, FetchError> {
    let refuse = |reason| {
        let to = location.split('?').next().unwrap_or_default().to_owned();
        Err(FetchError::Redirect { url: shown.to_string(), to, reason })
    };
    match url.join(location) {
        Ok(next) if !is_http(&next) => refuse("which is not an http or https address"),
        Ok(next) if url.scheme() == "https" && next.scheme() == "http" => {
            refuse("which is not encrypted")
        }
        Ok(next) => Ok(next),
        Err(_) => refuse("which is not a valid address"),
    }
}

/// Whether a status may be another one soon.
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502..=504)
}

fn is_passing_error(error: &io::Error) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof,
    };
    matches!(
        error.kind(),
        ConnectionRefused | ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof
    )
}

/// What is wrong with a certificate, if that is the error.
fn certificate_error(error: &io::Error) -> Option<String> {
    match error.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(reason) => Some(reason.to_string()),
        _ => None,
    }
}

fn refused(url: &Url, status: StatusCode, denied: &str, response: Response<Body>) -> FetchError {
    let mut said = Vec::new();
    let region = response.headers().get(REGION).and_then(|region| region.to_str().ok());
    let region = region.map(ToOwned::to_owned);
    let is_packed = response.headers().get(header::CONTENT_ENCODING).is_some_and(|it| it == "gzip");
    let mut body = response.into_body().into_reader().take(SAID_BYTES);
    // The status says enough if the rest cannot be read.
    let _ = if is_packed {
        MultiGzDecoder::new(body).take(SAID_BYTES).read_to_end(&mut said)
    } else {
        body.read_to_end(&mut said)
    };
    let said = String::from_utf8_lossy(&said).into_owned();
    let said = message_of(&said).unwrap_or(said);
    let said = said.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('<'));
    let advice = match (status.as_u16(), region) {
        (401 | 403, _) => &format!("; {denied}"),
        (404, _) => "; check the path",
        (300..=400, Some(region)) => &format!(
            "; the bucket is in another region: give --region {region}, and the store's address \
             there"
        ),
        _ => "",
    };
    FetchError::Status {
        url: url.to_string(),
        status: status.to_string(),
        said: said.map_or_else(String::new, |said| format!(": {said}")),
        advice: advice.to_owned(),
    }
}

/// The message of an error in JSON, as Connect and others send it.
fn message_of(said: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Error {
        message: String,
    }
    serde_json::from_str::<Error>(said).ok().map(|error| error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn a_response_that_is_sent_too_slowly_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
            while stream.write_all(b"x").is_ok() {
                sleep(Duration::from_millis(20));
            }
        });
        let (timeout, longest) = (Duration::from_secs(20), Duration::from_secs(2));
        let options = Options::default();
        let secrets = Secrets::of(&options).unwrap();
        let http = Http::with_deadlines(&options, &secrets, timeout, longest);
        let message = http.get(&url, &mut |_| {}).unwrap_err().to_string();
        let expected = "the response was not complete after 2 s; request less, or wait longer with --timeout SECONDS";
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn any_time_can_be_waited_for() {
        let options = Options::default();
        let secrets = Secrets::of(&options).unwrap();
        let http = Http::new(&options, &secrets, Duration::MAX);
        // Nothing listens there.
        let url = Url::parse("http://127.0.0.1:1/").unwrap();
        let message = http.get(&url, &mut |_| {}).unwrap_err().to_string();
        assert!(message.contains("nothing is listening there"), "{message}");
    }
}
