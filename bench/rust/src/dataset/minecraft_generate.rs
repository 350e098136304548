//! Players with random properties.

use super::minecraft::{
    Abilities, Entity, GameType, Item, Player, Players, RecipeBook, Rotation, Vector3d, Vehicle,
};
use super::random::Random;

const ITEMS: [&str; 8] = [
    "dirt",
    "stone",
    "pickaxe",
    "sand",
    "gravel",
    "shovel",
    "chestplate",
    "steak",
];
const ENTITIES: [&str; 8] = [
    "cow", "sheep", "zombie", "skeleton", "spider", "creeper", "parrot", "bee",
];
const NAMES: [&str; 8] = [
    "rainbow", "princess", "steve", "johnny", "missy", "coward", "fairy", "howard",
];
const DIMENSIONS: [&str; 3] = ["overworld", "nether", "end"];
const RECIPES: [&str; 8] = [
    "pickaxe",
    "torch",
    "bow",
    "crafting table",
    "furnace",
    "shears",
    "arrow",
    "tnt",
];

pub(super) fn players() -> Players {
    Players {
        players: Random::new().many(500, 501, player),
    }
}

fn game_type(random: &mut Random) -> GameType {
    random.pick(&[
        GameType::Survival,
        GameType::Creative,
        GameType::Adventure,
        GameType::Spectator,
    ])
}

fn signed32(random: &mut Random) -> i32 {
    random.bits32().cast_signed()
}

fn signed64(random: &mut Random) -> i64 {
    random.bits64().cast_signed()
}

/// The upper bits of a random word: as many as a short number has.
fn bits16(random: &mut Random) -> u16 {
    (random.bits32() >> 16) as u16
}

fn item(random: &mut Random) -> Item {
    let [count, slot] = bits16(random).to_le_bytes();
    Item {
        count: count.cast_signed(),
        slot,
        id: random.pick(&ITEMS).into(),
    }
}

fn abilities(random: &mut Random) -> Abilities {
    Abilities {
        walk_speed: random.float(),
        fly_speed: random.float(),
        may_fly: random.flag(),
        flying: random.flag(),
        invulnerable: random.flag(),
        may_build: random.flag(),
        instabuild: random.flag(),
    }
}

fn vector(random: &mut Random) -> Vector3d {
    Vector3d {
        x: random.double(),
        y: random.double(),
        z: random.double(),
    }
}

fn uuid(random: &mut Random) -> [u32; 4] {
    std::array::from_fn(|_| random.bits32())
}

fn entity(random: &mut Random) -> Entity {
    Entity {
        id: random.pick(&ENTITIES).into(),
        pos: vector(random),
        motion: vector(random),
        rotation: Rotation {
            yaw: random.float(),
            pitch: random.float(),
        },
        fall_distance: random.float(),
        fire: bits16(random),
        air: bits16(random),
        on_ground: random.flag(),
        no_gravity: random.flag(),
        invulnerable: random.flag(),
        portal_cooldown: signed32(random),
        uuid: uuid(random),
        custom_name: random.maybe(|random| random.pick(&NAMES).into()),
        custom_name_visible: random.flag(),
        silent: random.flag(),
        glowing: random.flag(),
    }
}

fn recipe_book(random: &mut Random) -> RecipeBook {
    RecipeBook {
        recipes: random.many(0, 30, |random| random.pick(&RECIPES).into()),
        to_be_displayed: random.many(0, 10, |random| random.pick(&RECIPES).into()),
        is_filtering_craftable: random.flag(),
        is_gui_open: random.flag(),
        is_furnace_filtering_craftable: random.flag(),
        is_furnace_gui_open: random.flag(),
        is_blasting_furnace_filtering_craftable: random.flag(),
        is_blasting_furnace_gui_open: random.flag(),
        is_smoker_filtering_craftable: random.flag(),
        is_smoker_gui_open: random.flag(),
    }
}

fn player(random: &mut Random) -> Player {
    Player {
        game_type: game_type(random),
        previous_game_type: game_type(random),
        score: signed64(random),
        dimension: random.pick(&DIMENSIONS).into(),
        selected_item_slot: random.bits32(),
        selected_item: item(random),
        spawn_dimension: random.maybe(|random| random.pick(&DIMENSIONS).into()),
        spawn_x: signed64(random),
        spawn_y: signed64(random),
        spawn_z: signed64(random),
        spawn_forced: random.maybe(Random::flag),
        sleep_timer: bits16(random),
        food_exhaustion_level: random.float(),
        food_saturation_level: random.float(),
        food_tick_timer: random.bits32(),
        xp_level: random.bits32(),
        xp_p: random.float(),
        xp_total: signed32(random),
        xp_seed: signed32(random),
        inventory: random.many(0, 40, item),
        ender_items: random.many(0, 27, item),
        abilities: abilities(random),
        entered_nether_position: random.maybe(vector),
        root_vehicle: random.maybe(|random| Vehicle {
            uuid: uuid(random),
            entity: entity(random),
        }),
        shoulder_entity_left: random.maybe(entity),
        shoulder_entity_right: random.maybe(entity),
        seen_credits: random.flag(),
        recipe_book: recipe_book(random),
    }
}
