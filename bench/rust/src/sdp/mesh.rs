use super::generated::mesh as gen;
use super::{all, owned_cases, view_cases};
use crate::dataset::{Mesh, Sum, Triangle, Vector3};
use crate::subject::Subject;

pub fn subject(data: &'static Mesh) -> Subject {
    let builder = owned_cases!(data, gen::Mesh);
    view_cases!(builder, MeshView, sum).done()
}

fn sum(mesh: &gen::MeshView<'_>) -> u64 {
    let mut sum = Sum::default();
    for triangle in mesh.triangles() {
        sum.float(triangle.normal.x);
        sum.float(triangle.normal.y);
        sum.float(triangle.normal.z);
    }
    sum.0
}

impl From<&Vector3> for gen::Vector3 {
    fn from(from: &Vector3) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<gen::Vector3> for Vector3 {
    fn from(from: gen::Vector3) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<&Triangle> for gen::Triangle {
    fn from(from: &Triangle) -> Self {
        Self {
            v0: (&from.v0).into(),
            v1: (&from.v1).into(),
            v2: (&from.v2).into(),
            normal: (&from.normal).into(),
        }
    }
}

impl From<gen::Triangle> for Triangle {
    fn from(from: gen::Triangle) -> Self {
        Self {
            v0: from.v0.into(),
            v1: from.v1.into(),
            v2: from.v2.into(),
            normal: from.normal.into(),
        }
    }
}

impl From<&Mesh> for gen::Mesh {
    fn from(from: &Mesh) -> Self {
        Self {
            triangles: all(&from.triangles),
        }
    }
}

impl From<gen::Mesh> for Mesh {
    fn from(from: gen::Mesh) -> Self {
        Self {
            triangles: all(from.triangles),
        }
    }
}
