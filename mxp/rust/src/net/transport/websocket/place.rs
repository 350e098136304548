//! Places of WebSocket: a host, a port and a path [MXP-19.1].

use core::fmt::Write as _;
use std::string::String;

use crate::net::transport::tcp::is_authority;

/// The host and the port of a place, and its path, which is `/` where there is none.
pub(super) fn split(place: &str) -> (&str, &str) {
    match place.find('/') {
        Some(at) => place.split_at(at),
        None => (place, "/"),
    }
}

/// Whether a text is a place.
pub(super) fn is_place(text: &str) -> bool {
    let (at, path) = split(text);
    let is_odd = |c: char| matches!(c, '?' | '#' | ' ') || c.is_ascii_control();
    let mut escapes = path.split('%').skip(1);
    let is_escape = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    is_authority(at) && !at.contains(is_odd) && !path.contains(is_odd) && escapes.all(is_escape)
}

/// A path as a request has it: of characters that stand in none, their bytes in hexadecimal.
pub(super) fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // A String takes all text.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_host_a_port_and_maybe_a_path() {
        for good in [
            "h:1",
            "h:1/",
            "[::1]:65535/a/b",
            "h:1/{a}",
            "h:1/ä",
            "h:1/%7Ba",
        ] {
            assert!(is_place(good), "{good}");
        }
        for bad in [
            "",
            "h",
            "h:",
            ":1",
            "/path",
            "h:port",
            "h:65536",
            "h:1/a?token=x",
            "h:1/a#b",
            "h:1/%zz",
            "h:1/%7",
            "h:1/a\n",
            "h:1/a b",
            "h x:1",
            "h:1?a",
        ] {
            assert!(!is_place(bad), "{bad}");
        }
        assert_eq!(split("h:1"), ("h:1", "/"));
        assert_eq!(split("h:1/a/b"), ("h:1", "/a/b"));
    }

    #[test]
    fn paths_are_written_in_ascii() {
        assert_eq!(escaped("/a/../b"), "/a/../b");
        assert_eq!(escaped("/{a}ä%7Bb"), "/%7Ba%7D%C3%A4%7Bb");
    }
}
