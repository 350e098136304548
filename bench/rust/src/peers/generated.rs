//! Code that the tools of prost, flatbuffers and capnp wrote; `peers/generate.sh` says which, and runs them again.

#![allow(
    warnings,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    reason = "nobody edits it, and it isn't ours to judge"
)]

pub mod capnp {
    pub mod arrays;
    pub mod log;
    pub mod mesh;
    pub mod minecraft_savedata;
    pub mod mk48;
    pub mod plugins;
    pub mod primitives;
}

pub mod flatbuffers {
    pub mod arrays;
    pub mod log;
    pub mod mesh;
    pub mod minecraft_savedata;
    pub mod mk48;
    pub mod plugins;
    pub mod primitives;
}

pub mod prost {
    pub mod arrays;
    pub mod log;
    pub mod mesh;
    pub mod minecraft_savedata;
    pub mod mk48;
    pub mod plugins;
    pub mod primitives;
}
