//! Buckets of object stores that speak S3: many pprof or folded files, which become one file.
//!
//! `rusty-s3` makes and signs the addresses; they are asked as all others are.

use crate::answer::Fetched;
use crate::error::FetchError;
use crate::http::{Ask, Http};
use crate::parts::{self, decode};
use crate::request::Query;
use crate::step::Step;
use roxmltree::{Document, Node};
use rusty_s3::actions::S3Action as _;
use rusty_s3::{Bucket, Credentials, UrlStyle};
use std::time::{Duration, Instant};
use url::Url;

/// How long a signed address is valid.
const VALID: Duration = Duration::from_secs(3600);
/// The maximum number of objects.
const MAX_OBJECTS: usize = 1_000_000;
const REGION: &str = "us-east-1";

/// A bucket, and who asks.
struct Store {
    bucket: Bucket,
    credentials: Option<Credentials>,
}

impl Store {
    /// The bucket of an address like `https://s3.example.com/BUCKET/PREFIX`, and the prefix.
    fn new(query: &Query) -> Result<(Self, String), FetchError> {
        let &Query { url, options, secrets, .. } = query;
        let path =
            percent_encoding::percent_decode_str(url.path()).decode_utf8_lossy().into_owned();
        let path = path.trim_start_matches('/');
        let (name, prefix) = path.split_once('/').unwrap_or((path, ""));
        let mut endpoint = url.clone();
        endpoint.set_path("");
        endpoint.set_query(None);
        let region = options.region.clone().unwrap_or_else(|| REGION.to_owned());
        let bucket = Bucket::new(endpoint, UrlStyle::Path, name.to_owned(), region);
        let bucket = bucket.ok().filter(|_| !name.is_empty()).ok_or_else(|| {
            FetchError::Usage(format!(
                "{url}: expected https://HOST/BUCKET/PREFIX of an object store"
            ))
        })?;
        let credentials = secrets.keys.clone().map(|(access, key)| Credentials::new(access, key));
        Ok((Self { bucket, credentials }, prefix.to_owned()))
    }

    /// What to ask for at an address, which has a signature if there are keys. That is no part of
    /// messages.
    fn ask(&self, url: Url) -> Ask {
        let mut shown = url.clone();
        shown.set_query(None);
        let is_signed = self.credentials.is_some();
        let denied = if is_signed {
            "check the keys in --access-key-env and --secret-key-env"
        } else {
            "give keys with --access-key-env and --secret-key-env, or a token with --token-env"
        };
        Ask { shown, is_signed, denied, ..Ask::get(url) }
    }

    /// The names of the objects below a prefix, in order.
    fn list(
        &self,
        prefix: &str,
        http: &Http,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Vec<String>, FetchError> {
        let fails = |message: String| FetchError::Answer {
            from: self.bucket.base_url().to_string(),
            message,
        };
        let mut names = Vec::new();
        let mut next: Option<String> = None;
        // All pages are one answer to who waits for it.
        let began = Instant::now();
        let mut n_bytes = 0;
        loop {
            // A list is the object without a name. The crate's own request for lists would bring a parser
            // that takes the lists of one store only.
            let mut action = self.bucket.get_object(self.credentials.as_ref(), "");
            let query = action.query_mut();
            query.insert("list-type", "2");
            query.insert("encoding-type", "url");
            query.insert("prefix", prefix.to_owned());
            if let Some(token) = &next {
                query.insert("continuation-token", token.clone());
            }
            let url = action.sign(VALID);
            let answer = http.open(&self.ask(url), observe)?.1.whole()?;
            n_bytes += answer.len() as u64;
            http.check_all(self.bucket.base_url(), n_bytes, began.elapsed())?;
            let text = String::from_utf8_lossy(&answer);
            let page = Page::parse(&text).map_err(|error| {
                fails(format!("{error}; check that this is the address of a bucket"))
            })?;
            names.extend(page.names);
            if names.len() > MAX_OBJECTS {
                return Err(fails(format!(
                    "has more than {MAX_OBJECTS} objects below {prefix:?}; give a longer prefix"
                )));
            }
            if page.next.is_none() {
                // Programs make folders as empty objects.
                names.retain(|key| !key.ends_with('/'));
                return Ok(names);
            }
            if page.next == next {
                return Err(fails(
                    "the list of objects does not continue: two parts name the same one as the next; check \
                     that the store can continue lists, or give a longer prefix"
                        .to_owned(),
                ));
            }
            next = page.next;
        }
    }
}

/// A part of a list of objects. Stores differ in the namespace of its elements.
struct Page {
    names: Vec<String>,
    next: Option<String>,
}

impl Page {
    fn parse(text: &str) -> Result<Self, String> {
        let document = Document::parse(text).map_err(|error| error.to_string())?;
        let root = document.root_element();
        if root.tag_name().name() != "ListBucketResult" {
            return Err(format!("found <{}> instead of a list of objects", root.tag_name().name()));
        }
        let encoded = child(root, "EncodingType") == Some("url");
        let name = |key: &str| if encoded { decoded(key) } else { key.to_owned() };
        let objects = root.children().filter(|node| node.tag_name().name() == "Contents");
        let names = objects.filter_map(|object| child(object, "Key")).map(name).collect();
        let next = child(root, "NextContinuationToken").map(str::to_owned);
        Ok(Self { names, next })
    }
}

/// The text of an element within another one.
fn child<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.tag_name().name() == name)?.text()
}

/// A name that is written as in a query: a space is `+`.
fn decoded(key: &str) -> String {
    percent_encoding::percent_decode_str(&key.replace('+', " ")).decode_utf8_lossy().into_owned()
}

pub(crate) fn fetch(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    let &Query { url, options, secrets, .. } = query;
    let http = Http::new(options, secrets, options.timeout());
    let (store, prefix) = Store::new(query)?;
    let mut names = store.list(&prefix, &http, observe)?;
    names.sort();
    let read = |name: &String| {
        let url = store.bucket.get_object(store.credentials.as_ref(), name).sign(VALID);
        let content = http.open(&store.ask(url), &mut |_| {})?.1.whole()?;
        Ok(decode(content))
    };
    parts::merge(url.as_str(), &names, Vec::new(), &options.cuts(), &read, observe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::secrets::Secrets;
    use crate::time::Range;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn lists_of_different_stores_are_read() {
        let aws = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
                   <EncodingType>url</EncodingType><Contents><Key>a+b%2Bc.pb.gz</Key><Size>3</Size></Contents>\
                   <NextContinuationToken>1/x=</NextContinuationToken></ListBucketResult>";
        let page = Page::parse(aws).unwrap();
        assert_eq!(
            (page.names, page.next.as_deref()),
            (vec!["a b+c.pb.gz".to_owned()], Some("1/x="))
        );
        let google = "<ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'><Contents>\
                      <Key>a+b</Key></Contents></ListBucketResult>";
        let page = Page::parse(google).unwrap();
        assert_eq!((page.names, page.next), (vec!["a+b".to_owned()], None));
        assert_eq!(
            Page::parse("<html/>").err().unwrap(),
            "found <html> instead of a list of objects"
        );
        assert!(Page::parse("no").is_err());
    }

    /// A server whose list of objects never ends: each part is empty, and names another one as the next.
    fn endless() -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/fleet/", listener.local_addr().unwrap())).unwrap();
        thread::spawn(move || {
            for (n, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(&stream).lines();
                lines.take_while(|line| line.as_ref().is_ok_and(|it| !it.is_empty())).count();
                let list = format!(
                    "<ListBucketResult><NextContinuationToken>{n}</NextContinuationToken></ListBucketResult>"
                );
                let length = list.len();
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:";
                let _ = write!(stream, "{head} {length}\r\n\r\n{list}");
            }
        });
        url
    }

    #[test]
    fn a_list_that_does_not_end_is_not_read_without_end() {
        let (url, secrets) = (endless(), Secrets::of(&Options::default()).unwrap());
        let range = Range { from_ms: 0, until_ms: 1 };
        let message = |options: &Options, longest| {
            let query = Query { url: &url, options, secrets: &secrets, range };
            let http = Http::with_deadlines(options, &secrets, Duration::from_secs(20), longest);
            let (store, prefix) = Store::new(&query).unwrap();
            store.list(&prefix, &http, &mut |_| {}).unwrap_err().to_string()
        };
        let slow = message(&Options::default(), Duration::from_secs(1));
        assert!(slow.contains("the response was not complete after 1 s; request less"), "{slow}");
        let options = Options { max_bytes: Some(1000), ..Options::default() };
        let large = message(&options, Duration::from_secs(60));
        assert!(large.contains("sent more than 1000 bytes; raise the limit"), "{large}");
    }
}
