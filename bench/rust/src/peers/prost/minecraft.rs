use super::generated::minecraft_savedata as pb;
use super::{all, narrow};
use crate::dataset::{
    Abilities, Entity, GameType, Item, Player, Players, RecipeBook, Rotation, Vector3d, Vehicle,
};

fn game_type(kind: i32) -> GameType {
    GameType::ALL[narrow::<_, usize>(kind)]
}

fn uuid(from: pb::Uuid) -> [u32; 4] {
    [from.x0, from.x1, from.x2, from.x3]
}

impl From<[u32; 4]> for pb::Uuid {
    fn from([x0, x1, x2, x3]: [u32; 4]) -> Self {
        Self { x0, x1, x2, x3 }
    }
}

impl From<Vector3d> for pb::Vector3d {
    fn from(from: Vector3d) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<pb::Vector3d> for Vector3d {
    fn from(from: pb::Vector3d) -> Self {
        Self {
            x: from.x,
            y: from.y,
            z: from.z,
        }
    }
}

impl From<Rotation> for pb::Rotation {
    fn from(from: Rotation) -> Self {
        Self {
            yaw: from.yaw,
            pitch: from.pitch,
        }
    }
}

impl From<pb::Rotation> for Rotation {
    fn from(from: pb::Rotation) -> Self {
        Self {
            yaw: from.yaw,
            pitch: from.pitch,
        }
    }
}

impl From<Abilities> for pb::Abilities {
    fn from(from: Abilities) -> Self {
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

impl From<pb::Abilities> for Abilities {
    fn from(from: pb::Abilities) -> Self {
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

impl From<&Item> for pb::Item {
    fn from(from: &Item) -> Self {
        Self {
            count: from.count.into(),
            slot: from.slot.into(),
            id: from.id.clone(),
        }
    }
}

impl From<pb::Item> for Item {
    fn from(from: pb::Item) -> Self {
        Self {
            count: narrow(from.count),
            slot: narrow(from.slot),
            id: from.id,
        }
    }
}

impl From<&Entity> for pb::Entity {
    fn from(from: &Entity) -> Self {
        Self {
            id: from.id.clone(),
            pos: Some(from.pos.into()),
            motion: Some(from.motion.into()),
            rotation: Some(from.rotation.into()),
            fall_distance: from.fall_distance,
            fire: from.fire.into(),
            air: from.air.into(),
            on_ground: from.on_ground,
            no_gravity: from.no_gravity,
            invulnerable: from.invulnerable,
            portal_cooldown: from.portal_cooldown,
            uuid: Some(from.uuid.into()),
            custom_name: from.custom_name.clone(),
            custom_name_visible: from.custom_name_visible,
            silent: from.silent,
            glowing: from.glowing,
        }
    }
}

impl From<pb::Entity> for Entity {
    fn from(from: pb::Entity) -> Self {
        Self {
            id: from.id,
            pos: from.pos.unwrap().into(),
            motion: from.motion.unwrap().into(),
            rotation: from.rotation.unwrap().into(),
            fall_distance: from.fall_distance,
            fire: narrow(from.fire),
            air: narrow(from.air),
            on_ground: from.on_ground,
            no_gravity: from.no_gravity,
            invulnerable: from.invulnerable,
            portal_cooldown: from.portal_cooldown,
            uuid: uuid(from.uuid.unwrap()),
            custom_name: from.custom_name,
            custom_name_visible: from.custom_name_visible,
            silent: from.silent,
            glowing: from.glowing,
        }
    }
}

impl From<&Vehicle> for pb::Vehicle {
    fn from(from: &Vehicle) -> Self {
        Self {
            uuid: Some(from.uuid.into()),
            entity: Some((&from.entity).into()),
        }
    }
}

impl From<pb::Vehicle> for Vehicle {
    fn from(from: pb::Vehicle) -> Self {
        Self {
            uuid: uuid(from.uuid.unwrap()),
            entity: from.entity.unwrap().into(),
        }
    }
}

impl From<&RecipeBook> for pb::RecipeBook {
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

impl From<pb::RecipeBook> for RecipeBook {
    fn from(from: pb::RecipeBook) -> Self {
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

impl From<&Player> for pb::Player {
    fn from(from: &Player) -> Self {
        Self {
            game_type: from.game_type as i32,
            previous_game_type: from.previous_game_type as i32,
            score: from.score,
            dimension: from.dimension.clone(),
            selected_item_slot: from.selected_item_slot,
            selected_item: Some((&from.selected_item).into()),
            spawn_dimension: from.spawn_dimension.clone(),
            spawn_x: from.spawn_x,
            spawn_y: from.spawn_y,
            spawn_z: from.spawn_z,
            spawn_forced: from.spawn_forced,
            sleep_timer: from.sleep_timer.into(),
            food_exhaustion_level: from.food_exhaustion_level,
            food_saturation_level: from.food_saturation_level,
            food_tick_timer: from.food_tick_timer,
            xp_level: from.xp_level,
            xp_p: from.xp_p,
            xp_total: from.xp_total,
            xp_seed: from.xp_seed,
            inventory: all(&from.inventory),
            ender_items: all(&from.ender_items),
            abilities: Some(from.abilities.into()),
            entered_nether_position: from.entered_nether_position.map(Into::into),
            root_vehicle: from.root_vehicle.as_ref().map(Into::into),
            shoulder_entity_left: from.shoulder_entity_left.as_ref().map(Into::into),
            shoulder_entity_right: from.shoulder_entity_right.as_ref().map(Into::into),
            seen_credits: from.seen_credits,
            recipe_book: Some((&from.recipe_book).into()),
        }
    }
}

impl From<pb::Player> for Player {
    fn from(from: pb::Player) -> Self {
        Self {
            game_type: game_type(from.game_type),
            previous_game_type: game_type(from.previous_game_type),
            score: from.score,
            dimension: from.dimension,
            selected_item_slot: from.selected_item_slot,
            selected_item: from.selected_item.unwrap().into(),
            spawn_dimension: from.spawn_dimension,
            spawn_x: from.spawn_x,
            spawn_y: from.spawn_y,
            spawn_z: from.spawn_z,
            spawn_forced: from.spawn_forced,
            sleep_timer: narrow(from.sleep_timer),
            food_exhaustion_level: from.food_exhaustion_level,
            food_saturation_level: from.food_saturation_level,
            food_tick_timer: from.food_tick_timer,
            xp_level: from.xp_level,
            xp_p: from.xp_p,
            xp_total: from.xp_total,
            xp_seed: from.xp_seed,
            inventory: all(from.inventory),
            ender_items: all(from.ender_items),
            abilities: from.abilities.unwrap().into(),
            entered_nether_position: from.entered_nether_position.map(Into::into),
            root_vehicle: from.root_vehicle.map(Into::into),
            shoulder_entity_left: from.shoulder_entity_left.map(Into::into),
            shoulder_entity_right: from.shoulder_entity_right.map(Into::into),
            seen_credits: from.seen_credits,
            recipe_book: from.recipe_book.unwrap().into(),
        }
    }
}

impl From<&Players> for pb::Players {
    fn from(from: &Players) -> Self {
        Self {
            players: all(&from.players),
        }
    }
}

impl From<pb::Players> for Players {
    fn from(from: pb::Players) -> Self {
        Self {
            players: all(from.players),
        }
    }
}
