//! Unix sockets where the system has none: their addresses are refused by name. Windows has such
//! sockets, but tells no server which user has connected.

#[cfg(feature = "tokio")]
use std::path::Path;
use std::string::String;

use super::{Protects, Provider, PREFIX, SYSTEM};
use crate::net::Address;

pub(crate) const SCHEME: &str = "unix";

/// The transports that programs have instead.
const PRESENT: &str = if cfg!(all(windows, feature = "shm")) {
    "mxp+pipe, mxp+shm, mxp+tcp and mxp+tls"
} else if cfg!(windows) {
    "mxp+pipe, mxp+tcp and mxp+tls"
} else {
    "mxp+tcp and mxp+tls"
};

/// A transport of no places.
pub(crate) struct Unix;

impl Provider for Unix {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn address(&self, _: &str) -> Option<Address> {
        None
    }

    fn protects(&self) -> Protects {
        Protects::PEER_CREDENTIALS
    }
}

/// The end of the refusal of an address whose transport the system lacks.
pub(super) fn lack(text: &str) -> Option<String> {
    let (scheme, _) = text.strip_prefix(PREFIX)?.split_once(':')?;
    (scheme == SCHEME || scheme == "shm" && !cfg!(feature = "shm"))
        .then(|| std::format!("available on {SYSTEM}: {PRESENT} are"))
}

/// The address of a socket in a folder.
#[cfg(feature = "tokio")]
pub(crate) fn socket_in(folder: &Path, name: &str) -> Address {
    Address::Unix([&folder.to_string_lossy(), name].join("/").into())
}

/// The user that this program runs as, if that is known.
#[cfg(feature = "tokio")]
pub(crate) fn own_account() -> Option<crate::net::peer::Account> {
    #[cfg(windows)]
    return super::pipe::system::own_user().ok();
    #[cfg(not(windows))]
    None
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;
    use crate::net::transport::registry::Registry;

    #[test]
    fn sockets_are_refused_by_name() {
        let mut lacks = std::vec!["mxp+unix:///run/x.sock", "mxp+unix://C:/x"];
        if cfg!(not(feature = "shm")) {
            lacks.push("mxp+shm:///x");
        }
        for text in lacks {
            let refusal = Registry::default().read(text).err();
            let text = std::format!("{text:?} is not available on {SYSTEM}: {PRESENT} are");
            assert_eq!(refusal.map(|refusal| refusal.to_string()), Some(text));
        }
    }
}
