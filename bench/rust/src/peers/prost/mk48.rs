use super::generated::mk48 as pb;
use super::{all, narrow};
use crate::dataset::{
    ChunkId, Contact, EntityType, Guidance, TerrainUpdate, Transform, Update, Updates, Vector2f,
};

impl From<&Contact> for pb::Contact {
    fn from(from: &Contact) -> Self {
        Self {
            damage: from.damage.into(),
            entity_id: from.entity_id,
            entity_type: from.entity_type.map(|kind| kind as i32),
            guidance: Some(pb::Guidance {
                angle: from.guidance.angle.into(),
                submerge: from.guidance.submerge,
                velocity: from.guidance.velocity.into(),
            }),
            player_id: from.player_id.map(Into::into),
            reloads: from.reloads.clone(),
            transform: Some(pb::Transform {
                altitude: from.transform.altitude.into(),
                angle: from.transform.angle.into(),
                position: Some(pb::Vector2f {
                    x: from.transform.position.x,
                    y: from.transform.position.y,
                }),
                velocity: from.transform.velocity.into(),
            }),
            turret_angles: all(from.turret_angles.iter().copied()),
        }
    }
}

impl From<&TerrainUpdate> for pb::TerrainUpdate {
    fn from(from: &TerrainUpdate) -> Self {
        Self {
            chunk_id: Some(pb::ChunkId {
                x: from.chunk_id.x.into(),
                y: from.chunk_id.y.into(),
            }),
            data: from.data.clone(),
        }
    }
}

impl From<&Update> for pb::Update {
    fn from(from: &Update) -> Self {
        Self {
            contacts: all(&from.contacts),
            score: from.score,
            world_radius: from.world_radius,
            terrain_updates: all(&from.terrain_updates),
        }
    }
}

impl From<&Updates> for pb::Updates {
    fn from(from: &Updates) -> Self {
        Self {
            updates: all(&from.updates),
        }
    }
}

impl From<pb::Guidance> for Guidance {
    fn from(from: pb::Guidance) -> Self {
        Self {
            angle: narrow(from.angle),
            submerge: from.submerge,
            velocity: narrow(from.velocity),
        }
    }
}

impl From<pb::Transform> for Transform {
    fn from(from: pb::Transform) -> Self {
        let position = from.position.unwrap();
        Self {
            altitude: narrow(from.altitude),
            angle: narrow(from.angle),
            position: Vector2f {
                x: position.x,
                y: position.y,
            },
            velocity: narrow(from.velocity),
        }
    }
}

impl From<pb::Contact> for Contact {
    fn from(from: pb::Contact) -> Self {
        Self {
            damage: narrow(from.damage),
            entity_id: from.entity_id,
            entity_type: from
                .entity_type
                .map(|kind| EntityType::ALL[narrow::<_, usize>(kind)]),
            guidance: from.guidance.unwrap().into(),
            player_id: from.player_id.map(narrow),
            reloads: from.reloads,
            transform: from.transform.unwrap().into(),
            turret_angles: from.turret_angles.into_iter().map(narrow).collect(),
        }
    }
}

impl From<pb::TerrainUpdate> for TerrainUpdate {
    fn from(from: pb::TerrainUpdate) -> Self {
        let chunk_id = from.chunk_id.unwrap();
        Self {
            chunk_id: ChunkId {
                x: narrow(chunk_id.x),
                y: narrow(chunk_id.y),
            },
            data: from.data,
        }
    }
}

impl From<pb::Update> for Update {
    fn from(from: pb::Update) -> Self {
        Self {
            contacts: all(from.contacts),
            score: from.score,
            world_radius: from.world_radius,
            terrain_updates: all(from.terrain_updates),
        }
    }
}

impl From<pb::Updates> for Updates {
    fn from(from: pb::Updates) -> Self {
        Self {
            updates: all(from.updates),
        }
    }
}
