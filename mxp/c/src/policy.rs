//! Policies of repetitions, and rules of WebSocket.

#[cfg(feature = "websocket")]
use mxp::net::transport::WebSocketOptions;
use mxp::net::RetryPolicy;

use crate::client::microseconds;
use crate::code::Code;
use crate::shapes;

/// Replaces defaults where numbers of the host's are not zero.
macro_rules! choose {
    ($options:ident: $($number:expr => $name:ident($($value:expr)?);)*) => {
        $(if $number != 0 { $options = $options.$name($($value)?); })*
    };
}
pub(crate) use choose;

/// A policy of repetitions, as the host gives it.
pub(crate) fn retry(given: &shapes::RetryOptions) -> Result<RetryPolicy, Code> {
    let times = [
        given.least_pause_us,
        given.greatest_pause_us,
        given.timeout_us,
        given.hedge_us,
    ];
    if given.budget.is_nan() || times.iter().any(|&time| time < 0) {
        return Err(Code::BadValue);
    }
    let mut policy = RetryPolicy::new();
    choose! { policy:
        given.attempts => attempts(given.attempts);
        given.least_pause_us => least_pause(microseconds(given.least_pause_us));
        given.greatest_pause_us => greatest_pause(microseconds(given.greatest_pause_us));
        given.timeout_us => timeout(microseconds(given.timeout_us));
        given.hedge_us => hedge(microseconds(given.hedge_us));
    }
    if given.budget != 0.0 {
        policy = policy.budget(given.budget);
    }
    Ok(policy)
}

/// The rules of WebSocket, as the host gives them. Others are refused here, where the library would
/// panic.
#[cfg(feature = "websocket")]
pub(crate) fn websocket(
    token: &str,
    hosts: Vec<String>,
    origins: Vec<String>,
) -> Result<WebSocketOptions, Code> {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    let is_host = |host: &String| {
        !host.is_empty() && !host.contains(['[', ']']) && host.matches(':').count() != 1
    };
    if token.len() > 256 || !token.bytes().all(is_word) || !hosts.iter().all(is_host) {
        return Err(Code::BadValue);
    }
    let mut rules = WebSocketOptions::new();
    if !token.is_empty() {
        rules = rules.token(token);
    }
    rules = hosts.into_iter().fold(rules, WebSocketOptions::host);
    Ok(origins.into_iter().fold(rules, WebSocketOptions::origin))
}
