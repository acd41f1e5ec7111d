//! What messages say of a secret, and what they do not say.

use super::{Outcome, Project, Reply, Server, go_profile};

/// A server that repeats what it was sent.
fn repeating() -> Server {
    Server::http(|request| {
        let sent = request.header("authorization").unwrap_or_default();
        Reply::status(401, &format!("{sent} (s3cret) is not allowed"))
    })
}

#[test]
fn a_refused_secret_is_named_and_not_printed() {
    let server = repeating();
    let project = Project::new();
    let url = server.url("/");
    let message = |arguments: &[&str]| {
        let arguments = [&[url.as_str()], arguments].concat();
        Outcome::of(project.command(&arguments).env("COSTLINE_SHOP", "s3cret")).failure(1)
    };
    let refused = "the secret in the environment variable COSTLINE_SHOP was refused: check that it \
                   may be used here";
    assert_eq!(
        message(&["--token-env", "COSTLINE_SHOP"]),
        format!("{url}: answered 401 Unauthorized: Bearer … (…) is not allowed; {refused}")
    );
    assert_eq!(
        message(&["--user", "me", "--password-env", "COSTLINE_SHOP"]),
        format!(
            "{url}: answered 401 Unauthorized: Basic … (…) is not allowed; the user me with {refused}"
        )
    );
}

#[test]
fn the_end_of_a_line_is_no_part_of_a_secret() {
    let server = Server::http(|request| match request.header("authorization") {
        // `me:s3cret`.
        Some("Bearer s3cret" | "Basic bWU6czNjcmV0") => Reply::ok(go_profile()),
        _ => Reply::status(401, "who are you?"),
    });
    let project = Project::new();
    let url = server.url("/");
    let fetch = |arguments: &[&str], secret: &str| {
        let arguments = [&[url.as_str(), "--name", "shop"], arguments].concat();
        Outcome::of(project.command(&arguments).env("COSTLINE_SHOP", secret))
    };
    let token = ["--token-env", "COSTLINE_SHOP"];
    fetch(&token, "s3cret\r\n").success();
    fetch(&["--user", "me", "--password-env", "COSTLINE_SHOP"], "s3cret\n").success();
    let message = fetch(&token, "s3\ncret").failure(1);
    let expected =
        "the secret in the environment variable COSTLINE_SHOP has a character that cannot be sent";
    assert!(message.starts_with(expected), "{message}");
    assert!(!message.contains("cret has"), "{message}");
}
