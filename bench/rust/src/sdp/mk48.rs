use super::generated::mk48 as gen;
use super::{all, borrowed_cases, owned_cases, view_cases};
use crate::dataset::{
    ChunkId, Contact, EntityType, Guidance, Sum, TerrainUpdate, Transform, Update, Updates,
    Vector2f,
};
use crate::subject::Subject;

pub fn subject(data: &'static Updates) -> Subject {
    let builder = borrowed_cases!(
        owned_cases!(data, gen::Updates),
        gen::Updates,
        gen::UpdatesRef
    );
    view_cases!(builder, UpdatesView, sum).done()
}

fn sum(updates: &gen::UpdatesView<'_>) -> u64 {
    let mut sum = Sum::default();
    for update in updates.updates() {
        sum.uint(update.score());
    }
    sum.0
}

impl From<&Vector2f> for gen::Vector2f {
    fn from(from: &Vector2f) -> Self {
        Self {
            x: from.x,
            y: from.y,
        }
    }
}

impl From<gen::Vector2f> for Vector2f {
    fn from(from: gen::Vector2f) -> Self {
        Self {
            x: from.x,
            y: from.y,
        }
    }
}

impl From<&Transform> for gen::Transform {
    fn from(from: &Transform) -> Self {
        Self {
            altitude: from.altitude,
            angle: from.angle,
            position: (&from.position).into(),
            velocity: from.velocity,
        }
    }
}

impl From<gen::Transform> for Transform {
    fn from(from: gen::Transform) -> Self {
        Self {
            altitude: from.altitude,
            angle: from.angle,
            position: from.position.into(),
            velocity: from.velocity,
        }
    }
}

impl From<&Guidance> for gen::Guidance {
    fn from(from: &Guidance) -> Self {
        Self {
            angle: from.angle,
            submerge: from.submerge,
            velocity: from.velocity,
        }
    }
}

impl From<gen::Guidance> for Guidance {
    fn from(from: gen::Guidance) -> Self {
        Self {
            angle: from.angle,
            submerge: from.submerge,
            velocity: from.velocity,
        }
    }
}

impl From<&Contact> for gen::Contact {
    fn from(from: &Contact) -> Self {
        Self {
            damage: from.damage,
            entity_id: from.entity_id,
            entity_type: from.entity_type.map(|kind| (kind as u8).into()),
            guidance: (&from.guidance).into(),
            player_id: from.player_id,
            reloads: from.reloads.clone(),
            transform: (&from.transform).into(),
            turret_angles: from.turret_angles.clone(),
        }
    }
}

impl From<gen::Contact> for Contact {
    fn from(from: gen::Contact) -> Self {
        Self {
            damage: from.damage,
            entity_id: from.entity_id,
            entity_type: from
                .entity_type
                .map(|kind| EntityType::ALL[usize::from(u8::from(kind))]),
            guidance: from.guidance.into(),
            player_id: from.player_id,
            reloads: from.reloads,
            transform: from.transform.into(),
            turret_angles: from.turret_angles,
        }
    }
}

impl From<&ChunkId> for gen::ChunkId {
    fn from(from: &ChunkId) -> Self {
        Self {
            x: from.x,
            y: from.y,
        }
    }
}

impl From<gen::ChunkId> for ChunkId {
    fn from(from: gen::ChunkId) -> Self {
        Self {
            x: from.x,
            y: from.y,
        }
    }
}

impl From<&TerrainUpdate> for gen::TerrainUpdate {
    fn from(from: &TerrainUpdate) -> Self {
        Self {
            chunk_id: (&from.chunk_id).into(),
            data: from.data.clone(),
        }
    }
}

impl From<gen::TerrainUpdate> for TerrainUpdate {
    fn from(from: gen::TerrainUpdate) -> Self {
        Self {
            chunk_id: from.chunk_id.into(),
            data: from.data,
        }
    }
}

impl From<&Update> for gen::Update {
    fn from(from: &Update) -> Self {
        Self {
            contacts: all(&from.contacts),
            score: from.score,
            world_radius: from.world_radius,
            terrain_updates: all(&from.terrain_updates),
        }
    }
}

impl From<gen::Update> for Update {
    fn from(from: gen::Update) -> Self {
        Self {
            contacts: all(from.contacts),
            score: from.score,
            world_radius: from.world_radius,
            terrain_updates: all(from.terrain_updates),
        }
    }
}

impl From<&Updates> for gen::Updates {
    fn from(from: &Updates) -> Self {
        Self {
            updates: all(&from.updates),
        }
    }
}

impl From<gen::Updates> for Updates {
    fn from(from: gen::Updates) -> Self {
        Self {
            updates: all(from.updates),
        }
    }
}
