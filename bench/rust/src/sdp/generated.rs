//! Code that SDP's compiler wrote into `gen/`; `generate.sh` runs it.
#![allow(dead_code, reason = "no benchmark uses all of it")]

#[path = "../../gen/arrays.rs"]
pub mod arrays;
#[path = "../../gen/log.rs"]
pub mod log;
#[path = "../../gen/mesh.rs"]
pub mod mesh;
#[path = "../../gen/minecraft_savedata.rs"]
pub mod minecraft_savedata;
#[path = "../../gen/mk48.rs"]
pub mod mk48;
#[path = "../../gen/plugins.rs"]
pub mod plugins;
#[path = "../../gen/primitives.rs"]
pub mod primitives;
