//! Services that a library serves beside its user's, as spec/ declares them.

mod mxp_health;
mod mxp_health_service;
mod mxp_mesh;
mod mxp_mesh_service;
mod mxp_reflection;
mod mxp_reflection_service;

/// Whether a server can be asked [MXP-13.8]: the service `mxp.health.Health`.
pub mod health {
    pub use super::mxp_health::*;
    pub use super::mxp_health_service::*;
}

/// The catalog of a server [MXP-13.10]: the service `mxp.reflection.Reflection`.
pub mod reflection {
    pub use super::mxp_reflection::*;
    pub use super::mxp_reflection_service::*;
}

/// Events through a node of the mesh [MESH-5]: the service `mxp.mesh.Mesh`, which a node serves.
pub mod mesh {
    pub use super::mxp_mesh::*;
    pub use super::mxp_mesh_service::*;
}
