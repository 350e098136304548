use capnp::Result;

use super::generated::mk48_capnp as cp;
use super::{length, numbered, HasStruct};
use crate::dataset::{
    ChunkId, Contact, EntityType, Guidance, Sum, TerrainUpdate, Transform, Update, Updates,
    Vector2f,
};

fn build_contact(from: &Contact, mut to: cp::contact::Builder<'_>) {
    to.set_damage(from.damage);
    to.set_entity_id(from.entity_id);
    let mut entity_type = to.reborrow().init_entity_type();
    match from.entity_type {
        Some(kind) => entity_type.set_some(KINDS[kind as usize]),
        None => entity_type.set_none(()),
    }
    let mut guidance = to.reborrow().init_guidance();
    guidance.set_angle(from.guidance.angle);
    guidance.set_submerge(from.guidance.submerge);
    guidance.set_velocity(from.guidance.velocity);
    let mut player_id = to.reborrow().init_player_id();
    match from.player_id {
        Some(id) => player_id.set_some(id),
        None => player_id.set_none(()),
    }
    to.set_reloads(from.reloads.as_slice()).unwrap();
    let mut transform = to.reborrow().init_transform();
    transform.set_altitude(from.transform.altitude);
    transform.set_angle(from.transform.angle);
    transform.set_velocity(from.transform.velocity);
    let mut position = transform.init_position();
    position.set_x(from.transform.position.x);
    position.set_y(from.transform.position.y);
    to.set_turret_angles(from.turret_angles.as_slice()).unwrap();
}

fn build_update(from: &Update, mut to: cp::update::Builder<'_>) {
    to.set_score(from.score);
    to.set_world_radius(from.world_radius);
    let mut contacts = to.reborrow().init_contacts(length(&from.contacts));
    for (i, contact) in numbered(&from.contacts) {
        build_contact(contact, contacts.reborrow().get(i));
    }
    let mut terrain_updates = to.init_terrain_updates(length(&from.terrain_updates));
    for (i, terrain) in numbered(&from.terrain_updates) {
        let mut to = terrain_updates.reborrow().get(i);
        to.set_data(&terrain.data);
        let mut chunk_id = to.init_chunk_id();
        chunk_id.set_x(terrain.chunk_id.x);
        chunk_id.set_y(terrain.chunk_id.y);
    }
}

/// Cap'n Proto's form of [`EntityType::ALL`].
const KINDS: [cp::EntityType; 10] = [
    cp::EntityType::ArleighBurke,
    cp::EntityType::Bismarck,
    cp::EntityType::Clemenceau,
    cp::EntityType::Fletcher,
    cp::EntityType::G5,
    cp::EntityType::Iowa,
    cp::EntityType::Kolkata,
    cp::EntityType::Osa,
    cp::EntityType::Yasen,
    cp::EntityType::Zubr,
];

fn own_contact(from: cp::contact::Reader<'_>) -> Result<Contact> {
    use cp::contact::{entity_type, player_id};

    let (guidance, transform) = (from.get_guidance()?, from.get_transform()?);
    let position = transform.get_position()?;
    Ok(Contact {
        damage: from.get_damage(),
        entity_id: from.get_entity_id(),
        entity_type: match from.get_entity_type().which()? {
            entity_type::None(()) => None,
            entity_type::Some(kind) => Some(EntityType::ALL[kind? as usize]),
        },
        guidance: Guidance {
            angle: guidance.get_angle(),
            submerge: guidance.get_submerge(),
            velocity: guidance.get_velocity(),
        },
        player_id: match from.get_player_id().which()? {
            player_id::None(()) => None,
            player_id::Some(id) => Some(id),
        },
        reloads: from.get_reloads()?.iter().collect(),
        transform: Transform {
            altitude: transform.get_altitude(),
            angle: transform.get_angle(),
            position: Vector2f {
                x: position.get_x(),
                y: position.get_y(),
            },
            velocity: transform.get_velocity(),
        },
        turret_angles: from.get_turret_angles()?.iter().collect(),
    })
}

fn own_terrain(from: cp::terrain_update::Reader<'_>) -> Result<TerrainUpdate> {
    let chunk_id = from.get_chunk_id()?;
    Ok(TerrainUpdate {
        chunk_id: ChunkId {
            x: chunk_id.get_x(),
            y: chunk_id.get_y(),
        },
        data: from.get_data()?.to_vec(),
    })
}

fn own_update(from: cp::update::Reader<'_>) -> Result<Update> {
    let contacts = from.get_contacts()?.iter().map(own_contact);
    let terrain_updates = from.get_terrain_updates()?.iter().map(own_terrain);
    Ok(Update {
        contacts: contacts.collect::<Result<_>>()?,
        score: from.get_score(),
        world_radius: from.get_world_radius(),
        terrain_updates: terrain_updates.collect::<Result<_>>()?,
    })
}

impl HasStruct for Updates {
    type Struct = cp::updates::Owned;

    fn build(&self, to: cp::updates::Builder<'_>) {
        let mut updates = to.init_updates(length(&self.updates));
        for (i, update) in numbered(&self.updates) {
            build_update(update, updates.reborrow().get(i));
        }
    }

    fn sum_in_place(from: cp::updates::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        for update in from.get_updates()? {
            sum.uint(update.get_score());
        }
        Ok(sum.0)
    }

    fn own(from: cp::updates::Reader<'_>) -> Result<Self> {
        let updates = from.get_updates()?.iter().map(own_update);
        Ok(Self {
            updates: updates.collect::<Result<_>>()?,
        })
    }
}
