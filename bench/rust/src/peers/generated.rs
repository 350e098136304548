//! Code that the tools of prost, flatbuffers and capnp wrote; `build.rs` runs them.

#![allow(
    warnings,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    reason = "nobody edits it, and it isn't ours to judge"
)]

/// Modules, each of the file of its name in a folder of `OUT_DIR`.
macro_rules! generated {
    ($folder:literal: $($module:ident)*) => {
        $(pub mod $module {
            include!(concat!(env!("OUT_DIR"), "/", $folder, "/", stringify!($module), ".rs"));
        })*
    };
}

pub mod capnp {
    generated!("capnp": arrays_capnp log_capnp mesh_capnp minecraft_savedata_capnp mk48_capnp plugins_capnp primitives_capnp);
}

pub mod flatbuffers {
    generated!("flatbuffers": arrays log mesh minecraft_savedata mk48 plugins primitives);
}

pub mod prost {
    generated!("prost": arrays log mesh minecraft_savedata mk48 plugins primitives);
}
