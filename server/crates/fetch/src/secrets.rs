//! Secrets: only environment variables or the user's keyring have them, never a file of the project or
//! the command line, which others can read.

use crate::error::FetchError;
use crate::options::Options;
use data_encoding::BASE64;
use std::env;
use std::process::{Command, Stdio};

/// What the names of the variables begin with. The file of sources comes with a project, so it must
/// not be able to name the secrets of other programs.
const PREFIX: &str = "COSTLINE_";
/// The variable with the user's command that prints secrets. It is no key of sources, because a project
/// must not run programs.
const KEYRING: &str = "COSTLINE_KEYRING_COMMAND";

/// The secrets of a request, as the environment or the user's command has them.
pub struct Secrets {
    /// The header `Authorization`.
    pub(crate) authorization: Option<String>,
    /// The access key and the secret key of an object store.
    pub(crate) keys: Option<(String, String)>,
}

impl Secrets {
    /// The secrets that options name. This may run the user's command, which may ask the user.
    pub fn of(options: &Options) -> Result<Self, FetchError> {
        Ok(Self { keys: keys(options)?, authorization: authorization(options)? })
    }
}

/// The header `Authorization`, if the options ask for one.
fn authorization(options: &Options) -> Result<Option<String>, FetchError> {
    let usage = |message: &str| Err(FetchError::Usage(message.to_owned()));
    match (&options.token_env, &options.user, &options.password_env) {
        (None, None, None) => Ok(None),
        (Some(token), None, None) => Ok(Some(format!("Bearer {}", secret(token)?))),
        (None, Some(user), Some(password)) => {
            let pair = format!("{user}:{}", secret(password)?);
            Ok(Some(format!("Basic {}", BASE64.encode(pair.as_bytes()))))
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
        (Some(access), Some(key)) => Ok(Some((secret(access)?, secret(key)?))),
        _ => usage("`access-key-env` and `secret-key-env` must be given together"),
    }
}

/// The secret in an environment variable. If that is not set, it is what the command in [`KEYRING`]
/// prints when it is given the name of the variable.
fn secret(variable: &str) -> Result<String, FetchError> {
    if !variable.starts_with(PREFIX) {
        return Err(FetchError::Usage(format!(
            "{variable}: the names of variables with secrets begin with {PREFIX}, so that a project \
             cannot ask for those of other programs; use {PREFIX}{variable}"
        )));
    }
    match env::var(variable) {
        Ok(secret) if !secret.is_empty() => Ok(secret),
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
fn of_keyring(command: &str, variable: &str) -> Result<String, FetchError> {
    let fails = |message: String| FetchError::Secret(format!("{KEYRING}: {command}: {message}"));
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut command = Command::new(program);
    command.args(words).arg(variable).stdin(Stdio::inherit()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| fails(error.to_string()))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.lines().next() {
        Some(secret) if output.status.success() && !secret.is_empty() => Ok(secret.to_owned()),
        _ => Err(fails(format!("has no secret for {variable} ({})", output.status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let text = |text: &str| Some(text.to_owned());
        let message = |options: Options| authorization(&options).unwrap_err().to_string();
        assert_eq!(authorization(&Options::default()).unwrap(), None);
        let user = Options { user: text("me"), ..Options::default() };
        assert!(message(user.clone()).contains("`password-env`"));
        let both = Options { token_env: text("COSTLINE_T"), ..user };
        assert!(message(both).contains("cannot be combined"));
        let other = Options { token_env: text("AWS_SECRET"), ..Options::default() };
        assert!(message(other).contains("use COSTLINE_AWS_SECRET"));
    }
}
