//! Hosts as requests of HTTP name them.

use core::net::IpAddr;

/// Whether a host, with or without a port, is a literal loopback address, or a name that
/// browsers take for one.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = bare(host);
    match name.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() && address.is_ipv6() == host.starts_with('['),
        Err(_) => !host.starts_with('[') && is_localhost(name),
    }
}

/// Whether a name is `localhost`, or one under it.
fn is_localhost(name: &str) -> bool {
    let mut labels = name.rsplit('.');
    let is_known = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    labels
        .next()
        .is_some_and(|last| last.eq_ignore_ascii_case("localhost"))
        && labels.all(|label| !label.is_empty() && label.bytes().all(is_known))
}

/// A host without its port and brackets.
pub(super) fn bare(host: &str) -> &str {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    match host.strip_prefix('[') {
        Some(_) => name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(host),
        None if name.contains(':') => host,
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_are_literal() {
        for good in [
            "127.0.0.1",
            "127.9.9.9:80",
            "[::1]",
            "[::1]:80",
            "localhost",
            "LocalHost:80",
            "a.b-1.localhost:80",
        ] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in [
            "",
            "localhost.",
            ".localhost",
            "a..localhost",
            "a/.localhost",
            "localhost:x",
            "evillocalhost",
            "localhost.evil.example",
            "::1",
            "[127.0.0.1]",
            "[localhost]",
            "[::ffff:127.0.0.1]",
            "127.0.0.1.evil.example",
            "0.0.0.0",
            "10.0.0.1:80",
            "[::1]evil",
            "[::2]:80",
            "127.0.0.1:x",
            "evil:127.0.0.1",
            "127.0.0.1:80:80",
            "[127.0.0.1",
        ] {
            assert!(!is_loopback(bad), "{bad}");
        }
        assert_eq!(bare("Studio.example:443"), "Studio.example");
        assert_eq!(bare("[fe80::1]:443"), "fe80::1");
        assert_eq!(bare("fe80::1"), "fe80::1");
    }
}
