//! HTTP servers of the test. They answer as they are told to, also wrongly.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What a server answers.
pub(super) enum Reply {
    /// A status, headers and the body.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Nothing, with an open connection.
    Hangs,
    /// Nothing, and the connection ends.
    Closes,
    /// All but the last byte, with an open connection.
    Stops(Vec<u8>),
    /// All but the last byte, and the connection ends.
    Short(Vec<u8>),
    /// Zeros without end.
    Endless,
}

impl Reply {
    pub(super) fn ok(body: Vec<u8>) -> Self {
        Self::Answer(200, Vec::new(), body)
    }

    pub(super) fn status(status: u16, body: &str) -> Self {
        Self::Answer(status, Vec::new(), body.into())
    }

    pub(super) fn redirect(to: &str) -> Self {
        Self::Answer(302, vec![("Location", to.to_owned())], Vec::new())
    }
}

/// A request.
pub(super) struct Request {
    /// The path with the query.
    pub(super) path: String,
    headers: Vec<(String, String)>,
    /// The body, of the stated length.
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of a header, by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn read(stream: &mut impl Read) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let path = lines.first()?.split(' ').nth(1)?.to_owned();
        let header = |line: &String| {
            let (key, value) = line.split_once(": ")?;
            Some((key.to_ascii_lowercase(), value.to_owned()))
        };
        let headers: Vec<_> = lines.iter().skip(1).filter_map(header).collect();
        let mut request = Self { path, headers, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
        request.body.resize(length, 0);
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }
}

/// A server on a free port, until the test ends.
pub(super) struct Server {
    pub(super) port: u16,
    base: String,
    requests: Arc<AtomicUsize>,
}

impl Server {
    pub(super) fn http(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start("http://127.0.0.1", answer, Some)
    }

    /// A server with a certificate for `localhost` that it signed itself, and the certificate.
    pub(super) fn https(
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> (String, Self) {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let encrypted = move |stream| {
            let connection = ServerConnection::new(config.clone()).ok()?;
            Some(StreamOwned::new(connection, stream))
        };
        (pem(cert.der()), Self::start("https://localhost", answer, encrypted))
    }

    fn start<S: Read + Write>(
        base: &str,
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = requests.clone();
        let shared = Arc::new((answer, wrap));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, counted) = (shared.clone(), counted.clone());
                thread::spawn(move || {
                    let Some(mut stream) = (shared.1)(stream) else { return };
                    let Some(request) = Request::read(&mut stream) else { return };
                    counted.fetch_add(1, Ordering::SeqCst);
                    // The client may have left.
                    let _ = send(&mut stream, (shared.0)(&request));
                });
            }
        });
        Self { port, base: format!("{base}:{port}"), requests }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// How many requests came.
    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn send(stream: &mut (impl Read + Write), reply: Reply) -> std::io::Result<()> {
    let but_one = |body: &[u8]| body[..body.len() - 1].to_vec();
    let length = |body: &[u8]| format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    match reply {
        Reply::Answer(status, headers, body) => {
            let headers: Vec<String> =
                headers.iter().map(|(key, value)| format!("{key}: {value}\r\n")).collect();
            let headers = headers.concat();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
            )?;
            stream.write_all(&body)?;
            stream.flush()
        }
        Reply::Closes => Ok(()),
        Reply::Hangs => wait(stream),
        Reply::Stops(body) => {
            stream.write_all(length(&body).as_bytes())?;
            stream.write_all(&but_one(&body))?;
            wait(stream)
        }
        Reply::Short(body) => {
            stream.write_all(length(&body).as_bytes())?;
            stream.write_all(&but_one(&body))
        }
        Reply::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&[0; 4096])?;
            }
        }
    }
}

/// Waits until the client closes the connection.
fn wait(stream: &mut impl Read) -> std::io::Result<()> {
    stream.read(&mut [0; 1]).map(|_| ())
}

fn pem(der: &[u8]) -> String {
    let text = data_encoding::BASE64.encode(der);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}
