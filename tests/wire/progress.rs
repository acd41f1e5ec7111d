//! `$/progress`: begin, reports, end, with a token that one side created.

use super::schema::shown;
use serde_json::Value;
use std::collections::HashMap;

/// The tokens that are in use.
#[derive(Default)]
pub struct Progress {
    tokens: HashMap<String, State>,
}

#[derive(Clone, Copy)]
enum State {
    /// The client has not accepted it yet.
    Requested,
    /// Accepted, but not begun.
    Open,
    /// Begun, with the last percentage.
    Begun(u64),
}

impl Progress {
    /// A token that the client sent with a request, or accepted.
    pub fn open(&mut self, token: &Value) {
        self.tokens.insert(token.to_string(), State::Open);
    }

    /// A token that the server asks the client to accept.
    pub fn create(&mut self, token: &Value) -> Option<String> {
        self.tokens
            .insert(token.to_string(), State::Requested)
            .map(|_| format!("the token {token} is in use"))
    }

    /// A token that the client rejected.
    pub fn reject(&mut self, token: &Value) {
        self.tokens.remove(&token.to_string());
    }

    /// Checks the params of the next `$/progress`.
    pub fn check(&mut self, params: &Value) -> Option<String> {
        let (token, value) = (params["token"].to_string(), &params["value"]);
        let state = self.tokens.get(&token).copied();
        let percentage = value["percentage"].as_u64();
        let next = match (value["kind"].as_str(), state) {
            (_, None) => Err("with a token that neither side created"),
            (_, Some(State::Requested)) => Err("before the client has agreed to it"),
            (Some("begin"), Some(State::Open)) => Ok(Some(State::Begun(percentage.unwrap_or(0)))),
            (Some("begin"), Some(State::Begun(_))) => Err("begun twice"),
            (_, Some(State::Open)) => Err("not begun"),
            (Some("end"), Some(State::Begun(_))) => Ok(None),
            (_, Some(State::Begun(before))) => match percentage {
                Some(percentage) if percentage < before => Err("going backwards"),
                Some(percentage) if percentage > 100 => Err("over 100%"),
                percentage => Ok(Some(State::Begun(percentage.unwrap_or(before)))),
            },
        };
        match next {
            Ok(Some(state)) => self.tokens.insert(token, state),
            Ok(None) => self.tokens.remove(&token),
            Err(fault) => return Some(format!("progress {fault}: {}", shown(params))),
        };
        None
    }
}
