//! The types of `{{package}}.sdp`. `sdp gen` writes the modules.

pub mod {{module}};
