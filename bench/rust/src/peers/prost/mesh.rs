use super::all;
use super::generated::mesh as pb;
use crate::dataset::{Mesh, Triangle, Vector3};

impl From<&Vector3> for pb::Vector3 {
    fn from(from: &Vector3) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<&Triangle> for pb::Triangle {
    fn from(from: &Triangle) -> Self {
        Self {
            v0: Some((&from.v0).into()),
            v1: Some((&from.v1).into()),
            v2: Some((&from.v2).into()),
            normal: Some((&from.normal).into()),
        }
    }
}

impl From<&Mesh> for pb::Mesh {
    fn from(from: &Mesh) -> Self {
        Self {
            triangles: all(&from.triangles),
        }
    }
}

impl From<pb::Vector3> for Vector3 {
    fn from(from: pb::Vector3) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<pb::Triangle> for Triangle {
    fn from(from: pb::Triangle) -> Self {
        Self {
            v0: from.v0.unwrap().into(),
            v1: from.v1.unwrap().into(),
            v2: from.v2.unwrap().into(),
            normal: from.normal.unwrap().into(),
        }
    }
}

impl From<pb::Mesh> for Mesh {
    fn from(from: pb::Mesh) -> Self {
        Self {
            triangles: all(from.triangles),
        }
    }
}
