//! One HTTP exchange: deadlines, a limit of size, redirects, and further tries.
//!
//! Redirects are followed here and not by the library, because an answer must not lead to another
//! kind of address, and secrets must not go to another host.

use crate::error::FetchError;
use crate::options::Options;
use crate::secrets::authorization;
use crate::step::Step;
use rustls::crypto::ring;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};
use url::Url;

const MAX_REDIRECTS: usize = 5;
/// How long to wait before the second and the third try.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];
/// How much of the answer of a failed request is read, for the message.
const SAID_BYTES: u64 = 4096;
/// How much is read at once.
const PART: usize = 64 << 10;

/// A client for the requests of one fetch.
pub(crate) struct Http {
    agent: Agent,
    timeout: Duration,
    max_bytes: u64,
    authorization: Option<String>,
}

impl Http {
    /// `timeout`: how long the host may send nothing.
    pub(crate) fn new(options: &Options, timeout: Duration) -> Result<Self, FetchError> {
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
            .build()
            .new_agent();
        let authorization = authorization(options)?;
        Ok(Self { agent, timeout, max_bytes: options.max_bytes(), authorization })
    }

    /// The content of the answer to GET.
    pub(crate) fn get(
        &self,
        url: &Url,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Vec<u8>, FetchError> {
        let mut at = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            observe(Step::Asking(at.clone()));
            let response = self.answer(&at, is_same_host(&at, url), observe)?;
            if !response.status().is_redirection() {
                return self.content(&at, response, observe);
            }
            at = redirected(&at, &response)?;
        }
        let reason = "which is one redirect too many";
        Err(FetchError::Redirect { url: url.to_string(), to: at.into(), reason })
    }

    /// The answer, after further tries if the connection or the host fails.
    fn answer(
        &self,
        url: &Url,
        trusted: bool,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Response<Body>, FetchError> {
        for pause in PAUSES {
            let reason = match self.once(url, trusted) {
                Ok(response) if is_passing(response.status()) => response.status().to_string(),
                Err(ureq::Error::Io(error)) if is_passing_error(&error) => error.to_string(),
                Ok(response) => return Ok(response),
                Err(error) => return Err(self.described(url, error)),
            };
            observe(Step::Again { reason });
            sleep(pause);
        }
        self.once(url, trusted).map_err(|error| self.described(url, error))
    }

    fn once(&self, url: &Url, trusted: bool) -> Result<Response<Body>, ureq::Error> {
        let mut request = self.agent.get(url.as_str());
        if let Some(authorization) = self.authorization.as_ref().filter(|_| trusted) {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        request.call()
    }

    /// The body of an answer with status 200.
    fn content(
        &self,
        url: &Url,
        response: Response<Body>,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Vec<u8>, FetchError> {
        let status = response.status();
        if status != StatusCode::OK {
            return Err(refused(url, status, response));
        }
        let stated = response.body().content_length();
        let too_large = || FetchError::TooLarge { url: url.to_string(), limit: self.max_bytes };
        if stated.is_some_and(|length| length > self.max_bytes) {
            return Err(too_large());
        }
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut content = Vec::new();
        let mut part = vec![0; PART];
        loop {
            let n = match body.read(&mut part) {
                Ok(0) => return Ok(content),
                Ok(n) => n,
                Err(error) => return Err(self.described(url, ureq::Error::from(error))),
            };
            content.extend_from_slice(part.get(..n).unwrap_or_default());
            if content.len() as u64 > self.max_bytes {
                return Err(too_large());
            }
            observe(Step::Received(content.len() as u64, stated));
        }
    }

    fn described(&self, url: &Url, error: ureq::Error) -> FetchError {
        let message = match error {
            ureq::Error::Timeout(_) => {
                return FetchError::Timeout { url: url.to_string(), waited: self.timeout };
            }
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                return FetchError::Timeout { url: url.to_string(), waited: self.timeout };
            }
            ureq::Error::HostNotFound => "no such host; check the name".to_owned(),
            ureq::Error::Io(error) => match certificate_error(&error) {
                Some(reason) => format!(
                    "the certificate is not trusted: {reason}; install the certificate of its authority on this \
                     machine, or name its file in SSL_CERT_FILE"
                ),
                None if error.kind() == io::ErrorKind::ConnectionRefused => {
                    "nothing listens there; check the host and port, and that the program runs"
                        .to_owned()
                }
                None => format!("the connection failed: {error}"),
            },
            error => error.to_string(),
        };
        FetchError::Connection { url: url.to_string(), message }
    }
}

/// Whether an address may be asked.
pub(crate) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Whether secrets for one address may be sent to the other.
fn is_same_host(a: &Url, b: &Url) -> bool {
    a.origin() == b.origin()
}

/// Where a redirect leads.
fn redirected(url: &Url, response: &Response<Body>) -> Result<Url, FetchError> {
    let location = response.headers().get(header::LOCATION);
    let location = location.map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned());
    let location = location.unwrap_or_default();
    let refuse =
        |reason| Err(FetchError::Redirect { url: url.to_string(), to: location.clone(), reason });
    match url.join(&location) {
        Ok(next) if !is_http(&next) => refuse("which is no http or https address"),
        Ok(next) if url.scheme() == "https" && next.scheme() == "http" => {
            refuse("which is not encrypted")
        }
        Ok(next) => Ok(next),
        Err(_) => refuse("which is no address"),
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

fn refused(url: &Url, status: StatusCode, response: Response<Body>) -> FetchError {
    let mut said = Vec::new();
    // The status says enough if the rest cannot be read.
    let _ = response.into_body().into_reader().take(SAID_BYTES).read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said).into_owned();
    let said = said.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('<'));
    let advice = match status.as_u16() {
        401 | 403 => "; give a secret with --token-env, or with --user and --password-env",
        404 => "; check the path",
        _ => "",
    };
    FetchError::Status {
        url: url.to_string(),
        status: status.to_string(),
        said: said.map_or_else(String::new, |said| format!(": {said}")),
        advice,
    }
}
