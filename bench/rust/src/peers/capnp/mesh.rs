use capnp::Result;

use super::generated::mesh_capnp as cp;
use super::{length, numbered, HasStruct};
use crate::dataset::{Mesh, Sum, Triangle, Vector3};

fn build_vector(from: Vector3, mut to: cp::vector3::Builder<'_>) {
    to.set_x(from.x);
    to.set_y(from.y);
    to.set_z(from.z);
}

fn own_vector(from: cp::vector3::Reader<'_>) -> Vector3 {
    Vector3 {
        x: from.get_x(),
        y: from.get_y(),
        z: from.get_z(),
    }
}

fn own_triangle(from: cp::triangle::Reader<'_>) -> Result<Triangle> {
    Ok(Triangle {
        v0: own_vector(from.get_v0()?),
        v1: own_vector(from.get_v1()?),
        v2: own_vector(from.get_v2()?),
        normal: own_vector(from.get_normal()?),
    })
}

impl HasStruct for Mesh {
    type Struct = cp::mesh::Owned;

    fn build(&self, to: cp::mesh::Builder<'_>) {
        let mut triangles = to.init_triangles(length(&self.triangles));
        for (i, triangle) in numbered(&self.triangles) {
            let mut to = triangles.reborrow().get(i);
            build_vector(triangle.v0, to.reborrow().init_v0());
            build_vector(triangle.v1, to.reborrow().init_v1());
            build_vector(triangle.v2, to.reborrow().init_v2());
            build_vector(triangle.normal, to.init_normal());
        }
    }

    fn sum_in_place(from: cp::mesh::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        for triangle in from.get_triangles()? {
            let normal = triangle.get_normal()?;
            sum.float(normal.get_x());
            sum.float(normal.get_y());
            sum.float(normal.get_z());
        }
        Ok(sum.0)
    }

    fn own(from: cp::mesh::Reader<'_>) -> Result<Self> {
        let triangles = from.get_triangles()?.iter().map(own_triangle);
        Ok(Self {
            triangles: triangles.collect::<Result<_>>()?,
        })
    }
}
