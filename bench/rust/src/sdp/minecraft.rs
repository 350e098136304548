use super::generated::minecraft_savedata as gen;
use super::{all, borrowed_cases, owned_cases, view_cases};
use crate::dataset::{
    Abilities, Entity, GameType, Item, Player, Players, RecipeBook, Rotation, Sum, Vector3d,
    Vehicle,
};
use crate::subject::Subject;

pub fn subject(data: &'static Players) -> Subject {
    let builder = borrowed_cases!(
        owned_cases!(data, gen::Players),
        gen::Players,
        gen::PlayersRef
    );
    view_cases!(builder, PlayersView, sum).done()
}

fn sum(players: &gen::PlayersView<'_>) -> u64 {
    let mut sum = Sum::default();
    for player in players.players() {
        sum.uint(u8::from(player.game_type()));
    }
    sum.0
}

fn game_type(from: gen::GameType) -> GameType {
    GameType::ALL[usize::from(u8::from(from))]
}

impl From<&Item> for gen::Item {
    fn from(from: &Item) -> Self {
        Self {
            count: from.count,
            slot: from.slot,
            id: from.id.clone(),
        }
    }
}

impl From<gen::Item> for Item {
    fn from(from: gen::Item) -> Self {
        Self {
            count: from.count,
            slot: from.slot,
            id: from.id,
        }
    }
}

impl From<&Abilities> for gen::Abilities {
    fn from(from: &Abilities) -> Self {
        Self {
            walk_speed: from.walk_speed,
            fly_speed: from.fly_speed,
            may_fly: from.may_fly,
            flying: from.flying,
            invulnerable: from.invulnerable,
            may_build: from.may_build,
            instabuild: from.instabuild,
        }
    }
}

impl From<gen::Abilities> for Abilities {
    fn from(from: gen::Abilities) -> Self {
        Self {
            walk_speed: from.walk_speed,
            fly_speed: from.fly_speed,
            may_fly: from.may_fly,
            flying: from.flying,
            invulnerable: from.invulnerable,
            may_build: from.may_build,
            instabuild: from.instabuild,
        }
    }
}

impl From<&Vector3d> for gen::Vector3d {
    fn from(from: &Vector3d) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<gen::Vector3d> for Vector3d {
    fn from(from: gen::Vector3d) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<&Rotation> for gen::Rotation {
    fn from(from: &Rotation) -> Self {
        Self {
            yaw: from.yaw,
            pitch: from.pitch,
        }
    }
}

impl From<gen::Rotation> for Rotation {
    fn from(from: gen::Rotation) -> Self {
        Self {
            yaw: from.yaw,
            pitch: from.pitch,
        }
    }
}

impl From<&Entity> for gen::Entity {
    fn from(from: &Entity) -> Self {
        Self {
            id: from.id.clone(),
            pos: (&from.pos).into(),
            motion: (&from.motion).into(),
            rotation: (&from.rotation).into(),
            fall_distance: from.fall_distance,
            fire: from.fire,
            air: from.air,
            on_ground: from.on_ground,
            no_gravity: from.no_gravity,
            invulnerable: from.invulnerable,
            portal_cooldown: from.portal_cooldown,
            uuid: from.uuid,
            custom_name: from.custom_name.clone(),
            custom_name_visible: from.custom_name_visible,
            silent: from.silent,
            glowing: from.glowing,
        }
    }
}

impl From<gen::Entity> for Entity {
    fn from(from: gen::Entity) -> Self {
        Self {
            id: from.id,
            pos: from.pos.into(),
            motion: from.motion.into(),
            rotation: from.rotation.into(),
            fall_distance: from.fall_distance,
            fire: from.fire,
            air: from.air,
            on_ground: from.on_ground,
            no_gravity: from.no_gravity,
            invulnerable: from.invulnerable,
            portal_cooldown: from.portal_cooldown,
            uuid: from.uuid,
            custom_name: from.custom_name,
            custom_name_visible: from.custom_name_visible,
            silent: from.silent,
            glowing: from.glowing,
        }
    }
}

impl From<&Vehicle> for gen::Vehicle {
    fn from(from: &Vehicle) -> Self {
        Self {
            uuid: from.uuid,
            entity: (&from.entity).into(),
        }
    }
}

impl From<gen::Vehicle> for Vehicle {
    fn from(from: gen::Vehicle) -> Self {
        Self {
            uuid: from.uuid,
            entity: from.entity.into(),
        }
    }
}

impl From<&RecipeBook> for gen::RecipeBook {
    fn from(from: &RecipeBook) -> Self {
        Self {
            recipes: from.recipes.clone(),
            to_be_displayed: from.to_be_displayed.clone(),
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

impl From<gen::RecipeBook> for RecipeBook {
    fn from(from: gen::RecipeBook) -> Self {
        Self {
            recipes: from.recipes,
            to_be_displayed: from.to_be_displayed,
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

impl From<&Player> for gen::Player {
    fn from(from: &Player) -> Self {
        Self {
            game_type: (from.game_type as u8).into(),
            previous_game_type: (from.previous_game_type as u8).into(),
            score: from.score,
            dimension: from.dimension.clone(),
            selected_item_slot: from.selected_item_slot,
            selected_item: (&from.selected_item).into(),
            spawn_dimension: from.spawn_dimension.clone(),
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
            inventory: all(&from.inventory),
            ender_items: all(&from.ender_items),
            abilities: (&from.abilities).into(),
            entered_nether_position: from.entered_nether_position.as_ref().map(Into::into),
            root_vehicle: from.root_vehicle.as_ref().map(|from| Box::new(from.into())),
            shoulder_entity_left: from
                .shoulder_entity_left
                .as_ref()
                .map(|from| Box::new(from.into())),
            shoulder_entity_right: from
                .shoulder_entity_right
                .as_ref()
                .map(|from| Box::new(from.into())),
            seen_credits: from.seen_credits,
            recipe_book: (&from.recipe_book).into(),
        }
    }
}

impl From<gen::Player> for Player {
    fn from(from: gen::Player) -> Self {
        Self {
            game_type: game_type(from.game_type),
            previous_game_type: game_type(from.previous_game_type),
            score: from.score,
            dimension: from.dimension,
            selected_item_slot: from.selected_item_slot,
            selected_item: from.selected_item.into(),
            spawn_dimension: from.spawn_dimension,
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
            abilities: from.abilities.into(),
            entered_nether_position: from.entered_nether_position.map(Into::into),
            root_vehicle: from.root_vehicle.map(|from| (*from).into()),
            shoulder_entity_left: from.shoulder_entity_left.map(|from| (*from).into()),
            shoulder_entity_right: from.shoulder_entity_right.map(|from| (*from).into()),
            seen_credits: from.seen_credits,
            recipe_book: from.recipe_book.into(),
        }
    }
}

impl From<&Players> for gen::Players {
    fn from(from: &Players) -> Self {
        Self {
            players: all(&from.players),
        }
    }
}

impl From<gen::Players> for Players {
    fn from(from: gen::Players) -> Self {
        Self {
            players: all(from.players),
        }
    }
}
