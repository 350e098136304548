//! Addresses of the mesh, which name agents instead of places [MESH-3.1], and the program's own
//! node [MESH-1.3].

use std::env;
use std::format;
use std::path::Path;
use std::string::{String, ToString as _};

use crate::net::transport::unix::socket_in;
use crate::net::Failure;
use crate::session::{Kind, Query};

/// The beginning of addresses of the mesh.
const PREFIX: &str = "mesh:///";

/// The socket of a node, in a folder that programs know.
const SOCKET: &str = "sdp-mesh/node.sock";

/// The node on Windows, which has no such folder.
const PIPE: &str = "mxp+pipe://sdp-mesh";

/// The longest name, in bytes.
const NAME_BYTES: usize = 128;

/// Whether a text is meant to be an address of the mesh.
pub(crate) fn is_address(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// The agents that an address names: `mesh:///name`, or `mesh:///?capability=c&service=s`.
pub(crate) fn query_of(text: &str) -> Result<Query, Failure> {
    let rest = text.strip_prefix(PREFIX).unwrap_or_default();
    let mut query = Query::new();
    let Some(words) = rest.strip_prefix('?') else {
        return Ok(query.with_name(named(text, "name", rest)?));
    };
    for word in words.split('&') {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let place = match key {
            "capability" => &mut query.capability,
            "service" => &mut query.service,
            "name" => &mut query.name,
            _ => {
                return Err(invalid(&format!(
                    "{text:?} asks for {key:?}, which is none of capability, service and name"
                )))
            }
        };
        if !place.is_empty() {
            return Err(invalid(&format!("{text:?} has two of {key}")));
        }
        *place = named(text, key, value)?;
    }
    Ok(query)
}

/// A name that an address says, if it can be one.
fn named(text: &str, key: &str, value: &str) -> Result<String, Failure> {
    if is_name(value) {
        return Ok(value.into());
    }
    let forms = "parts of letters, digits, - and _, with a dot between two, up to 128 bytes";
    Err(invalid(&format!(
        "{text:?} has {value:?} as {key}, which is no name: {forms}"
    )))
}

/// The refusal of a text that is no address of the mesh.
pub(crate) fn invalid(why: &str) -> Failure {
    Failure::saying(Kind::AddressInvalid, why)
}

/// Whether a text can be a name, or a capability [MESH-2.1].
pub(crate) fn is_name(text: &str) -> bool {
    let is_known = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_known);
    text.len() <= NAME_BYTES && text.split('.').all(is_part)
}

/// The address of the program's own node: the given address, or the environment's `MXP_MESH`, or
/// the socket in `XDG_RUNTIME_DIR`, or in `/run`; on Windows, the pipe `sdp-mesh`.
#[must_use]
pub fn node_address(address: Option<&str>) -> String {
    let said = address
        .map(String::from)
        .or_else(|| env::var("MXP_MESH").ok());
    if let Some(said) = said.filter(|address| !address.is_empty()) {
        return said;
    }
    if cfg!(windows) {
        return String::from(PIPE);
    }
    let folder = env::var("XDG_RUNTIME_DIR").ok();
    let folder = folder.filter(|folder| !folder.is_empty());
    let folder = folder.as_deref().unwrap_or("/run");
    socket_in(Path::new(folder), SOCKET).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [MESH-3.1]
    #[test]
    fn addresses_are_names_or_words() {
        let long = "n".repeat(128);
        for right in [
            "a",
            "studio.reverb-2_x",
            &long,
            "?capability=c&service=a.B&name=n",
        ] {
            assert!(query_of(&format!("{PREFIX}{right}")).is_ok(), "{right}");
        }
        let (long, longest) = ("n".repeat(129), "n".repeat(255));
        for wrong in [
            "",
            "?",
            "a b",
            "a..b",
            ".",
            "a.",
            "*",
            ">",
            "a\0",
            "ä",
            &long,
            &longest,
            "?capability=",
            "?capability=a&capability=b",
            "?colour=red",
            "?name=*",
        ] {
            let refused = query_of(&format!("{PREFIX}{wrong}")).unwrap_err();
            assert_eq!(refused.name, "address_invalid", "{wrong}");
        }
        let query = query_of("mesh:///?capability=mix&service=desk.Mixer").unwrap();
        let wanted = Query::new()
            .with_capability("mix")
            .with_service("desk.Mixer");
        assert_eq!(query, wanted);
    }

    /// [MESH-1.3]
    #[test]
    fn own_node_is_where_it_was_told_or_the_environment_says() {
        env::remove_var("MXP_MESH");
        env::remove_var("XDG_RUNTIME_DIR");
        let in_folder = |folder: &str| match () {
            () if cfg!(windows) => String::from("mxp+pipe://sdp-mesh"),
            () => socket_in(Path::new(folder), "sdp-mesh/node.sock").to_string(),
        };
        assert_eq!(node_address(None), in_folder("/run"));
        env::set_var("XDG_RUNTIME_DIR", "/run/user/7");
        assert_eq!(node_address(None), in_folder("/run/user/7"));
        env::set_var("MXP_MESH", "n");
        assert_eq!(node_address(None), "n");
        assert_eq!(node_address(Some("told")), "told");
    }
}
