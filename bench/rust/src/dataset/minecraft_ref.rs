//! The borrowed form of the players' save data.
#![expect(clippy::struct_excessive_bools, reason = "the game saves these")]

use super::borrowed;
use super::minecraft::{
    Abilities, Entity, GameType, Item, Player, Players, RecipeBook, Rotation, Vector3d, Vehicle,
};

borrowed! {
    pub struct ItemRef<'a> {
        pub count: i8,
        pub slot: u8,
        pub id: &'a str,
    }

    pub struct EntityRef<'a> {
        pub id: &'a str,
        pub pos: Vector3d,
        pub motion: Vector3d,
        pub rotation: Rotation,
        pub fall_distance: f32,
        pub fire: u16,
        pub air: u16,
        pub on_ground: bool,
        pub no_gravity: bool,
        pub invulnerable: bool,
        pub portal_cooldown: i32,
        pub uuid: [u32; 4],
        pub custom_name: Option<&'a str>,
        pub custom_name_visible: bool,
        pub silent: bool,
        pub glowing: bool,
    }

    pub struct VehicleRef<'a> {
        pub uuid: [u32; 4],
        #[serde(borrow)]
        pub entity: EntityRef<'a>,
    }

    pub struct RecipeBookRef<'a> {
        #[serde(borrow)]
        pub recipes: Vec<&'a str>,
        #[serde(borrow)]
        pub to_be_displayed: Vec<&'a str>,
        pub is_filtering_craftable: bool,
        pub is_gui_open: bool,
        pub is_furnace_filtering_craftable: bool,
        pub is_furnace_gui_open: bool,
        pub is_blasting_furnace_filtering_craftable: bool,
        pub is_blasting_furnace_gui_open: bool,
        pub is_smoker_filtering_craftable: bool,
        pub is_smoker_gui_open: bool,
    }

    pub struct PlayerRef<'a> {
        pub game_type: GameType,
        pub previous_game_type: GameType,
        pub score: i64,
        pub dimension: &'a str,
        pub selected_item_slot: u32,
        #[serde(borrow)]
        pub selected_item: ItemRef<'a>,
        pub spawn_dimension: Option<&'a str>,
        pub spawn_x: i64,
        pub spawn_y: i64,
        pub spawn_z: i64,
        pub spawn_forced: Option<bool>,
        pub sleep_timer: u16,
        pub food_exhaustion_level: f32,
        pub food_saturation_level: f32,
        pub food_tick_timer: u32,
        pub xp_level: u32,
        pub xp_p: f32,
        pub xp_total: i32,
        pub xp_seed: i32,
        #[serde(borrow)]
        pub inventory: Vec<ItemRef<'a>>,
        #[serde(borrow)]
        pub ender_items: Vec<ItemRef<'a>>,
        pub abilities: Abilities,
        pub entered_nether_position: Option<Vector3d>,
        #[serde(borrow)]
        pub root_vehicle: Option<VehicleRef<'a>>,
        #[serde(borrow)]
        pub shoulder_entity_left: Option<EntityRef<'a>>,
        #[serde(borrow)]
        pub shoulder_entity_right: Option<EntityRef<'a>>,
        pub seen_credits: bool,
        #[serde(borrow)]
        pub recipe_book: RecipeBookRef<'a>,
    }

    pub struct PlayersRef<'a> {
        #[serde(borrow)]
        pub players: Vec<PlayerRef<'a>>,
    }
}

fn all<A, B: From<A>>(from: Vec<A>) -> Vec<B> {
    from.into_iter().map(Into::into).collect()
}

impl From<ItemRef<'_>> for Item {
    fn from(from: ItemRef<'_>) -> Self {
        Self {
            count: from.count,
            slot: from.slot,
            id: from.id.into(),
        }
    }
}

impl From<EntityRef<'_>> for Entity {
    fn from(from: EntityRef<'_>) -> Self {
        Self {
            id: from.id.into(),
            pos: from.pos,
            motion: from.motion,
            rotation: from.rotation,
            fall_distance: from.fall_distance,
            fire: from.fire,
            air: from.air,
            on_ground: from.on_ground,
            no_gravity: from.no_gravity,
            invulnerable: from.invulnerable,
            portal_cooldown: from.portal_cooldown,
            uuid: from.uuid,
            custom_name: from.custom_name.map(Into::into),
            custom_name_visible: from.custom_name_visible,
            silent: from.silent,
            glowing: from.glowing,
        }
    }
}

impl From<VehicleRef<'_>> for Vehicle {
    fn from(from: VehicleRef<'_>) -> Self {
        Self {
            uuid: from.uuid,
            entity: from.entity.into(),
        }
    }
}

impl From<RecipeBookRef<'_>> for RecipeBook {
    fn from(from: RecipeBookRef<'_>) -> Self {
        Self {
            recipes: all(from.recipes),
            to_be_displayed: all(from.to_be_displayed),
            is_filtering_craftable: from.is_filtering_craftable,
            is_gui_open: from.is_gui_open,
            is_furnace_filtering_craftable: from.is_furnace_filtering_craftable,
            is_furnace_gui_open: from.is_furnace_gui_open,
            is_blasting_furnace_filtering_craftable: from.is_blasting_furnace_filtering_craftable,
            is_blasting_furnace_gui_open: from.is_blasting_furnace_gui_open,
            is_smoker_filtering_craftable: from.is_smoker_filtering_craftable,
            is_smoker_gui_open: from.is_smoker_gui_open,
        }
    }
}

impl From<PlayerRef<'_>> for Player {
    fn from(from: PlayerRef<'_>) -> Self {
        Self {
            game_type: from.game_type,
            previous_game_type: from.previous_game_type,
            score: from.score,
            dimension: from.dimension.into(),
            selected_item_slot: from.selected_item_slot,
            selected_item: from.selected_item.into(),
            spawn_dimension: from.spawn_dimension.map(Into::into),
            spawn_x: from.spawn_x,
            spawn_y: from.spawn_y,
            spawn_z: from.spawn_z,
            spawn_forced: from.spawn_forced,
            sleep_timer: from.sleep_timer,
            food_exhaustion_level: from.food_exhaustion_level,
            food_saturation_level: from.food_saturation_level,
            food_tick_timer: from.food_tick_timer,
            xp_level: from.xp_level,
            xp_p: from.xp_p,
            xp_total: from.xp_total,
            xp_seed: from.xp_seed,
            inventory: all(from.inventory),
            ender_items: all(from.ender_items),
            abilities: from.abilities,
            entered_nether_position: from.entered_nether_position,
            root_vehicle: from.root_vehicle.map(Into::into),
            shoulder_entity_left: from.shoulder_entity_left.map(Into::into),
            shoulder_entity_right: from.shoulder_entity_right.map(Into::into),
            seen_credits: from.seen_credits,
            recipe_book: from.recipe_book.into(),
        }
    }
}

impl From<PlayersRef<'_>> for Players {
    fn from(from: PlayersRef<'_>) -> Self {
        Self {
            players: all(from.players),
        }
    }
}
