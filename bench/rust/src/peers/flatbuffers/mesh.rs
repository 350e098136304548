use flatbuffers::WIPOffset;

use super::generated::mesh::mesh as fb;
use super::{HasTable, Tables};
use crate::dataset::{Mesh, Sum, Triangle, Vector3};

impl From<&Vector3> for fb::Vector3 {
    fn from(from: &Vector3) -> Self {
        Self::new(from.x, from.y, from.z)
    }
}

impl From<&fb::Vector3> for Vector3 {
    fn from(from: &fb::Vector3) -> Self {
        Self {
            x: from.x(),
            y: from.y(),
            z: from.z(),
        }
    }
}

impl From<&fb::Triangle> for Triangle {
    fn from(from: &fb::Triangle) -> Self {
        Self {
            v0: from.v0().into(),
            v1: from.v1().into(),
            v2: from.v2().into(),
            normal: from.normal().into(),
        }
    }
}

impl HasTable for Mesh {
    type Table = fb::Mesh<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let triangles = self.triangles.iter().map(|from| {
            fb::Triangle::new(
                &(&from.v0).into(),
                &(&from.v1).into(),
                &(&from.v2).into(),
                &(&from.normal).into(),
            )
        });
        let triangles: Vec<_> = triangles.collect();
        let triangles = Some(tables.create_vector_direct(&triangles));
        fb::Mesh::create(tables, &fb::MeshArgs { triangles })
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        for triangle in table.triangles() {
            let normal = triangle.normal();
            sum.float(normal.x());
            sum.float(normal.y());
            sum.float(normal.z());
        }
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            triangles: table.triangles().iter().map(Into::into).collect(),
        }
    }
}
