//! A tank game's updates of `bench/schemas/mk48.sdp`.

use std::path::Path;

use super::mk48_generate::updates;
use super::{owned, Data, Sum};

owned! {
    #[derive(Copy)]
    #[repr(u8)]
    pub enum EntityType {
        ArleighBurke,
        Bismarck,
        Clemenceau,
        Fletcher,
        G5,
        Iowa,
        Kolkata,
        Osa,
        Yasen,
        Zubr,
    }

    #[derive(Copy)]
    #[repr(C)]
    pub struct Vector2f {
        pub x: f32,
        pub y: f32,
    }

    #[derive(Copy)]
    pub struct Transform {
        pub altitude: i8,
        pub angle: u16,
        pub position: Vector2f,
        pub velocity: i16,
    }

    #[derive(Copy)]
    pub struct Guidance {
        pub angle: u16,
        pub submerge: bool,
        pub velocity: i16,
    }

    pub struct Contact {
        pub damage: u8,
        pub entity_id: u32,
        pub entity_type: Option<EntityType>,
        pub guidance: Guidance,
        pub player_id: Option<u16>,
        pub reloads: Vec<bool>,
        pub transform: Transform,
        pub turret_angles: Vec<u16>,
    }

    #[derive(Copy)]
    #[repr(C)]
    pub struct ChunkId {
        pub x: i8,
        pub y: i8,
    }

    pub struct TerrainUpdate {
        pub chunk_id: ChunkId,
        pub data: Vec<u8>,
    }

    pub struct Update {
        pub contacts: Vec<Contact>,
        pub score: u32,
        pub world_radius: f32,
        pub terrain_updates: Vec<TerrainUpdate>,
    }

    pub struct Updates {
        pub updates: Vec<Update>,
    }
}

impl EntityType {
    /// All of them, by number.
    pub const ALL: [Self; 10] = [
        Self::ArleighBurke,
        Self::Bismarck,
        Self::Clemenceau,
        Self::Fletcher,
        Self::G5,
        Self::Iowa,
        Self::Kolkata,
        Self::Osa,
        Self::Yasen,
        Self::Zubr,
    ];
}

impl Data for Updates {
    const NAME: &'static str = "mk48";

    fn load(_: &Path) -> Self {
        updates()
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        for update in &self.updates {
            sum.uint(update.score);
        }
        sum.0
    }
}
