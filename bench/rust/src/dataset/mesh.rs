//! The triangles of `bench/schemas/mesh.sdp`.

use std::path::Path;

use super::random::Random;
use super::{owned, Data, Sum};

owned! {
    // The layout of C lets the codecs that can copy the whole mesh in one piece do so.
    #[derive(Copy)]
    #[repr(C)]
    pub struct Vector3 {
        pub x: f32,
        pub y: f32,
        pub z: f32,
    }

    #[derive(Copy)]
    #[repr(C)]
    pub struct Triangle {
        pub v0: Vector3,
        pub v1: Vector3,
        pub v2: Vector3,
        pub normal: Vector3,
    }

    pub struct Mesh {
        pub triangles: Vec<Triangle>,
    }
}

impl Vector3 {
    fn random(random: &mut Random) -> Self {
        Self {
            x: random.float(),
            y: random.float(),
            z: random.float(),
        }
    }
}

impl Data for Mesh {
    const NAME: &'static str = "mesh";

    fn load(_: &Path) -> Self {
        let mut random = Random::new();
        let triangles = random.many(125_000, 125_001, |random| Triangle {
            v0: Vector3::random(random),
            v1: Vector3::random(random),
            v2: Vector3::random(random),
            normal: Vector3::random(random),
        });
        Self { triangles }
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        for triangle in &self.triangles {
            sum.float(triangle.normal.x);
            sum.float(triangle.normal.y);
            sum.float(triangle.normal.z);
        }
        sum.0
    }
}
