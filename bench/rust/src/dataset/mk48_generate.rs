//! Updates with random contacts and terrain.

use super::mk48::{
    ChunkId, Contact, EntityType, Guidance, TerrainUpdate, Transform, Update, Updates, Vector2f,
};
use super::random::Random;

/// Each type with how often it is met, in hundredths, and how many weapons and turrets it has.
const TYPES: [(EntityType, i32, i32, i32); 10] = [
    (EntityType::ArleighBurke, 214, 20, 1),
    (EntityType::Bismarck, 52, 10, 4),
    (EntityType::Clemenceau, 97, 16, 4),
    (EntityType::Fletcher, 146, 18, 4),
    (EntityType::G5, 1316, 2, 0),
    (EntityType::Iowa, 155, 28, 3),
    (EntityType::Kolkata, 83, 15, 1),
    (EntityType::Osa, 725, 6, 2),
    (EntityType::Yasen, 406, 14, 0),
    (EntityType::Zubr, 1292, 11, 3),
];

pub(super) fn updates() -> Updates {
    Updates {
        updates: Random::new().many(1_000, 1_001, update),
    }
}

fn small(random: &mut Random, least: i32, most: i32) -> i16 {
    i16::try_from(random.between(least, most)).expect("the range is that of a short number")
}

fn bits16(random: &mut Random) -> u16 {
    (random.bits32() >> 16) as u16
}

/// Four of five go ahead, and half of the others are at rest.
fn velocity(random: &mut Random) -> i16 {
    match random.between(0, 100) {
        0..80 => small(random, 140, 900),
        80..90 => 0,
        _ => small(random, -225, -35),
    }
}

/// One of [`TYPES`], by its frequency.
fn kind(random: &mut Random) -> (EntityType, i32, i32) {
    let mut place = random.between(0, TYPES.iter().map(|(_, frequency, ..)| frequency).sum());
    for (kind, frequency, weapons, turrets) in TYPES {
        if place < frequency {
            return (kind, weapons, turrets);
        }
        place -= frequency;
    }
    unreachable!("the place is below the sum of the frequencies")
}

/// Only the submarine dives, and mostly does.
fn dives(random: &mut Random, kind: EntityType) -> bool {
    kind == EntityType::Yasen && random.percent(90)
}

fn coordinate(random: &mut Random) -> f32 {
    1500.0 * random.float() - 750.0
}

fn contact(random: &mut Random) -> Contact {
    let (kind, weapons, turrets) = kind(random);
    let visible = random.percent(70);
    let count = |most| if visible { most } else { 0 };
    Contact {
        damage: random.bits32().to_le_bytes()[3],
        entity_id: random.bits32(),
        entity_type: visible.then_some(kind),
        guidance: Guidance {
            angle: bits16(random),
            submerge: dives(random, kind),
            velocity: velocity(random),
        },
        player_id: visible.then(|| bits16(random)),
        reloads: random.many(count(weapons), count(weapons) + 1, Random::flag),
        transform: Transform {
            altitude: if dives(random, kind) {
                small(random, -120, -35).to_le_bytes()[0].cast_signed()
            } else {
                0
            },
            angle: bits16(random),
            position: Vector2f {
                x: coordinate(random),
                y: coordinate(random),
            },
            velocity: velocity(random),
        },
        turret_angles: random.many(count(turrets), count(turrets) + 1, bits16),
    }
}

fn terrain(random: &mut Random) -> TerrainUpdate {
    let [x, y] = bits16(random).to_le_bytes().map(u8::cast_signed);
    let (least, most) = if random.percent(2) {
        (900, 1100)
    } else {
        (3, 9)
    };
    TerrainUpdate {
        chunk_id: ChunkId { x, y },
        data: random.many(least, most, |random| random.bits32().to_le_bytes()[3]),
    }
}

fn update(random: &mut Random) -> Update {
    Update {
        contacts: random.many(20, 40, contact),
        score: random.bits32(),
        world_radius: 500.0 + 500.0 * random.float(),
        terrain_updates: random.many(3, 10, terrain),
    }
}
