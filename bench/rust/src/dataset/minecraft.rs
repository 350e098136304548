//! The players' save data of `bench/schemas/minecraft_savedata.sdp`.
#![expect(clippy::struct_excessive_bools, reason = "the game saves these")]

use std::path::Path;

use super::minecraft_generate::players;
use super::{owned, Data, Sum};

owned! {
    #[derive(Copy)]
    #[repr(u8)]
    #[rkyv(derive(Clone, Copy))]
    pub enum GameType {
        Survival,
        Creative,
        Adventure,
        Spectator,
    }

    pub struct Item {
        pub count: i8,
        pub slot: u8,
        pub id: String,
    }

    #[derive(Copy)]
    pub struct Abilities {
        pub walk_speed: f32,
        pub fly_speed: f32,
        pub may_fly: bool,
        pub flying: bool,
        pub invulnerable: bool,
        pub may_build: bool,
        pub instabuild: bool,
    }

    #[derive(Copy)]
    #[repr(C)]
    pub struct Vector3d {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }

    #[derive(Copy)]
    #[repr(C)]
    pub struct Rotation {
        pub yaw: f32,
        pub pitch: f32,
    }

    pub struct Entity {
        pub id: String,
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
        pub custom_name: Option<String>,
        pub custom_name_visible: bool,
        pub silent: bool,
        pub glowing: bool,
    }

    pub struct Vehicle {
        pub uuid: [u32; 4],
        pub entity: Entity,
    }

    pub struct RecipeBook {
        pub recipes: Vec<String>,
        pub to_be_displayed: Vec<String>,
        pub is_filtering_craftable: bool,
        pub is_gui_open: bool,
        pub is_furnace_filtering_craftable: bool,
        pub is_furnace_gui_open: bool,
        pub is_blasting_furnace_filtering_craftable: bool,
        pub is_blasting_furnace_gui_open: bool,
        pub is_smoker_filtering_craftable: bool,
        pub is_smoker_gui_open: bool,
    }

    pub struct Player {
        pub game_type: GameType,
        pub previous_game_type: GameType,
        pub score: i64,
        pub dimension: String,
        pub selected_item_slot: u32,
        pub selected_item: Item,
        pub spawn_dimension: Option<String>,
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
        pub inventory: Vec<Item>,
        pub ender_items: Vec<Item>,
        pub abilities: Abilities,
        pub entered_nether_position: Option<Vector3d>,
        pub root_vehicle: Option<Vehicle>,
        pub shoulder_entity_left: Option<Entity>,
        pub shoulder_entity_right: Option<Entity>,
        pub seen_credits: bool,
        pub recipe_book: RecipeBook,
    }

    pub struct Players {
        pub players: Vec<Player>,
    }
}

impl GameType {
    /// All of them, by number.
    pub const ALL: [Self; 4] = [
        Self::Survival,
        Self::Creative,
        Self::Adventure,
        Self::Spectator,
    ];
}

impl Data for Players {
    const NAME: &'static str = "minecraft_savedata";

    fn load(_: &Path) -> Self {
        players()
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        for player in &self.players {
            sum.uint(player.game_type as u8);
        }
        sum.0
    }
}
