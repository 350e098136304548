use std::fs;
use std::path::Path;

use crate::environment::Environment;

/// The crate that the code of services needs, and the name of its library.
const NAMES: [&str; 2] = ["mesh-exchange-protocol", "mxp"];

/// Warns if the crate doesn't depend on the library that the code of services needs. A manifest that names it anywhere
/// may get it in a way that only cargo understands.
pub(crate) fn advise(environment: &mut Environment<'_>) {
    let Some(folder) = (environment.variable)("CARGO_MANIFEST_DIR") else {
        return;
    };
    let manifest = fs::read_to_string(Path::new(&folder).join("Cargo.toml"));
    if manifest.is_ok_and(|text| !NAMES.iter().any(|name| text.contains(name))) {
        environment.tell(
            "warning",
            "the services need a library that is no dependency: add `mesh-exchange-protocol = { git = \
             \"https://github.com/serial-data-protocol/sdp\", features = [\"tokio\"] }` to [dependencies], or its path \
             in a copy of that repository, mxp/rust",
        );
    }
}
