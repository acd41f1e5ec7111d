//! Secrets: only environment variables or the user's keyring have them, never a file of the project or
//! the command line, which others can read.

use crate::error::FetchError;
use crate::options::Options;
use data_encoding::BASE64;
use std::env;
use std::process::{Command, Stdio};
use ureq::http::HeaderValue;

/// What the names of the variables begin with. The file of sources comes with a project, so it must
/// not be able to name the secrets of other programs.
const PREFIX: &str = "COSTLINE_";
/// The variable with the user's command that prints secrets. It is no key of sources, because a project
/// must not run programs.
const KEYRING: &str = "COSTLINE_KEYRING_COMMAND";

/// The secrets of a request, as the environment or the user's command has them.
pub struct Secrets {
    /// What requests are authorized with.
    pub(crate) authorization: Option<Authorization>,
    /// The access key and the secret key of an object store.
    pub(crate) keys: Option<(String, String)>,
}

impl Secrets {
    /// The secrets that options name. This may run the user's command, which may ask the user.
    pub fn of(options: &Options) -> Result<Self, FetchError> {
        Ok(Self { keys: keys(options)?, authorization: authorization(options)? })
    }

    /// The same error, without the secrets that a server may have repeated.
    pub(crate) fn hide_in(&self, error: FetchError) -> FetchError {
        use FetchError::{Answer, Redirect, Status};
        match error {
            Status { url, status, said, advice } => {
                Status { url, status, said: self.hide(&said), advice }
            }
            Redirect { url, to, reason } => Redirect { url, to: self.hide(&to), reason },
            Answer { from, message } => Answer { from, message: self.hide(&message) },
            other => other,
        }
    }

    /// A text of a server for a message. The server may have repeated the secret that it was sent.
    pub(crate) fn hide(&self, text: &str) -> String {
        let hidden = self.authorization.iter().flat_map(|authorization| &authorization.hidden);
        hidden.fold(text.to_owned(), |text, hidden| text.replace(hidden, "…"))
    }
}

/// The header `Authorization`, and what messages say of it.
#[derive(Clone)]
pub(crate) struct Authorization {
    pub(crate) header: String,
    /// Whose it is: `the secret in the environment variable COSTLINE_SHOP`.
    pub(crate) whose: String,
    /// The texts that no message contains, longer ones before those that they contain.
    hidden: Vec<String>,
}

/// The header `Authorization`, if the options ask for one.
fn authorization(options: &Options) -> Result<Option<Authorization>, FetchError> {
    let usage = |message: &str| Err(FetchError::Usage(message.to_owned()));
    match (&options.token_env, &options.user, &options.password_env) {
        (None, None, None) => Ok(None),
        (Some(token), None, None) => {
            let Secret { text, whose } = secret(token)?;
            let header = format!("Bearer {text}");
            if HeaderValue::from_str(&header).is_err() {
                return Err(FetchError::Secret(format!(
                    "{whose} has a character that cannot be sent as a token: only letters without \
                     accents, digits and ASCII punctuation can"
                )));
            }
            Ok(Some(Authorization { header, whose, hidden: vec![text] }))
        }
        (None, Some(user), Some(password)) => {
            let Secret { text, whose } = secret(password)?;
            let pair = format!("{user}:{text}");
            let encoded = BASE64.encode(pair.as_bytes());
            let header = format!("Basic {encoded}");
            let whose = format!("the user {user} with {whose}");
            Ok(Some(Authorization { header, whose, hidden: vec![encoded, pair, text] }))
        }
        (None, Some(_), None) => {
            usage("`user` needs `password-env`, the variable with the password")
        }
        (None, None, Some(_)) => usage("`password-env` needs `user`"),
        (Some(_), ..) => usage("`token-env` and `user` cannot be combined: give one of them"),
    }
}

/// The keys of an object store, if the options name some.
fn keys(options: &Options) -> Result<Option<(String, String)>, FetchError> {
    let usage = |message: &str| Err(FetchError::Usage(message.to_owned()));
    match (&options.access_key_env, &options.secret_key_env) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) if options.token_env.is_some() || options.user.is_some() => {
            usage("`access-key-env` cannot be used with `token-env` or `user`")
        }
        (Some(access), Some(key)) => Ok(Some((secret(access)?.text, secret(key)?.text))),
        _ => usage("`access-key-env` and `secret-key-env` must be given together"),
    }
}

/// A secret, and the words for it.
struct Secret {
    text: String,
    whose: String,
}

/// The secret in an environment variable, without the end of its line, which files have. If that is
/// not set, it is what the command in [`KEYRING`] prints when it is given the name of the variable.
fn secret(variable: &str) -> Result<Secret, FetchError> {
    if !variable.starts_with(PREFIX) {
        return Err(FetchError::Usage(format!(
            "{variable}: the names of variables with secrets begin with {PREFIX}, so that a project \
             cannot ask for those of other programs; use {PREFIX}{variable}"
        )));
    }
    match env::var(variable).map(|text| text.trim_end_matches(['\r', '\n']).to_owned()) {
        Ok(text) if !text.is_empty() => {
            Ok(Secret { text, whose: format!("the secret in the environment variable {variable}") })
        }
        Ok(_) | Err(env::VarError::NotPresent) => match env::var(KEYRING) {
            Ok(command) if !command.trim().is_empty() => of_keyring(&command, variable),
            _ => Err(FetchError::Secret(format!("the environment variable {variable} is not set"))),
        },
        Err(env::VarError::NotUnicode(_)) => {
            Err(FetchError::Secret(format!("the environment variable {variable} is not UTF-8")))
        }
    }
}

/// The first line that a command of the user prints. It may ask for a password, on standard error if
/// it does not open the terminal.
fn of_keyring(command: &str, variable: &str) -> Result<Secret, FetchError> {
    let fails = |message: String| FetchError::Secret(format!("{KEYRING}: {command}: {message}"));
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut command = Command::new(program);
    command.args(words).arg(variable).stdin(Stdio::inherit()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| fails(error.to_string()))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.lines().next() {
        Some(text) if output.status.success() && !text.is_empty() => {
            let whose = format!("the secret that {KEYRING} prints for {variable}");
            Ok(Secret { text: text.to_owned(), whose })
        }
        _ => Err(fails(format!("has no secret for {variable} ({})", output.status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let text = |text: &str| Some(text.to_owned());
        let message = |options: Options| authorization(&options).err().unwrap().to_string();
        assert!(authorization(&Options::default()).unwrap().is_none());
        let user = Options { user: text("me"), ..Options::default() };
        assert!(message(user.clone()).contains("`password-env`"));
        let both = Options { token_env: text("COSTLINE_T"), ..user };
        assert!(message(both).contains("cannot be combined"));
        let other = Options { token_env: text("AWS_SECRET"), ..Options::default() };
        assert!(message(other).contains("use COSTLINE_AWS_SECRET"));
    }
}
