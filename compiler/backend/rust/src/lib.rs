//! Generated code of the schemas that every language is tested with, of two releases
//! of another, and of one for Rust alone. It needs `alloc` alone.
#![no_std]
#![forbid(unsafe_code)]

// Declares `odd`, `plugins` and `shapes`.
include!(concat!(env!("OUT_DIR"), "/shared/mod.rs"));

/// A package whose texts try to be code, also that of the tests in its comments.
#[path = "../../../../mxp/rust/tests/stubs/golden/texts.rs"]
pub mod texts;
/// Types without their owned forms.
pub mod unowned {
    include!(concat!(env!("OUT_DIR"), "/unowned/mod.rs"));
}
/// The first release of a package.
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/v1/mod.rs"));
}
/// The second release of the package.
pub mod v2 {
    include!(concat!(env!("OUT_DIR"), "/v2/mod.rs"));
}
