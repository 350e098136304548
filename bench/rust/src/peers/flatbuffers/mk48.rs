use flatbuffers::WIPOffset;

use super::generated::mk48::mk_48 as fb;
use super::{HasTable, Tables};
use crate::dataset::{
    ChunkId, Contact, EntityType, Guidance, Sum, TerrainUpdate, Transform, Update, Updates,
    Vector2f,
};

fn contact(from: &Contact, tables: &mut Tables) -> WIPOffset<fb::Contact<'static>> {
    let (guidance, transform) = (&from.guidance, &from.transform);
    let position = fb::Vector2f::new(transform.position.x, transform.position.y);
    let fields = fb::ContactArgs {
        damage: from.damage,
        entity_id: from.entity_id,
        entity_type: from.entity_type.map(|kind| fb::EntityType(kind as u8)),
        guidance: Some(&fb::Guidance::new(
            guidance.angle,
            guidance.submerge,
            guidance.velocity,
        )),
        player_id: from.player_id,
        reloads: Some(tables.create_vector_direct(&from.reloads)),
        transform: Some(&fb::Transform::new(
            transform.altitude,
            transform.angle,
            &position,
            transform.velocity,
        )),
        turret_angles: Some(tables.create_vector_direct(&from.turret_angles)),
    };
    fb::Contact::create(tables, &fields)
}

fn terrain(from: &TerrainUpdate, tables: &mut Tables) -> WIPOffset<fb::TerrainUpdate<'static>> {
    let fields = fb::TerrainUpdateArgs {
        chunk_id: Some(&fb::ChunkId::new(from.chunk_id.x, from.chunk_id.y)),
        data: Some(tables.create_vector_direct(&from.data)),
    };
    fb::TerrainUpdate::create(tables, &fields)
}

fn update(from: &Update, tables: &mut Tables) -> WIPOffset<fb::Update<'static>> {
    let contacts: Vec<_> = from
        .contacts
        .iter()
        .map(|from| contact(from, tables))
        .collect();
    let terrain_updates: Vec<_> = from
        .terrain_updates
        .iter()
        .map(|from| terrain(from, tables))
        .collect();
    let fields = fb::UpdateArgs {
        contacts: Some(tables.create_vector(&contacts)),
        score: from.score,
        world_radius: from.world_radius,
        terrain_updates: Some(tables.create_vector(&terrain_updates)),
    };
    fb::Update::create(tables, &fields)
}

impl From<fb::Contact<'_>> for Contact {
    fn from(from: fb::Contact<'_>) -> Self {
        let (guidance, transform) = (from.guidance(), from.transform());
        Self {
            damage: from.damage(),
            entity_id: from.entity_id(),
            entity_type: from
                .entity_type()
                .map(|kind| EntityType::ALL[usize::from(kind.0)]),
            guidance: Guidance {
                angle: guidance.angle(),
                submerge: guidance.submerge(),
                velocity: guidance.velocity(),
            },
            player_id: from.player_id(),
            reloads: from.reloads().to_vec(),
            transform: Transform {
                altitude: transform.altitude(),
                angle: transform.angle(),
                position: Vector2f {
                    x: transform.position().x(),
                    y: transform.position().y(),
                },
                velocity: transform.velocity(),
            },
            turret_angles: from.turret_angles().iter().collect(),
        }
    }
}

impl From<fb::TerrainUpdate<'_>> for TerrainUpdate {
    fn from(from: fb::TerrainUpdate<'_>) -> Self {
        let chunk_id = from.chunk_id();
        Self {
            chunk_id: ChunkId {
                x: chunk_id.x(),
                y: chunk_id.y(),
            },
            data: from.data().to_vec(),
        }
    }
}

impl From<fb::Update<'_>> for Update {
    fn from(from: fb::Update<'_>) -> Self {
        Self {
            contacts: from.contacts().iter().map(Into::into).collect(),
            score: from.score(),
            world_radius: from.world_radius(),
            terrain_updates: from.terrain_updates().iter().map(Into::into).collect(),
        }
    }
}

impl HasTable for Updates {
    type Table = fb::Updates<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let updates: Vec<_> = self
            .updates
            .iter()
            .map(|from| update(from, tables))
            .collect();
        let updates = Some(tables.create_vector(&updates));
        fb::Updates::create(tables, &fb::UpdatesArgs { updates })
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        for update in table.updates() {
            sum.uint(update.score());
        }
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            updates: table.updates().iter().map(Into::into).collect(),
        }
    }
}
