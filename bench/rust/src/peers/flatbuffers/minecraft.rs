use flatbuffers::WIPOffset;

use super::generated::minecraft_savedata::minecraft_savedata as fb;
use super::{HasTable, Tables};
use crate::dataset::{
    Abilities, Entity, GameType, Item, Player, Players, RecipeBook, Rotation, Sum, Vector3d,
    Vehicle,
};

fn vector([x, y, z]: [f64; 3]) -> fb::Vector3d {
    fb::Vector3d::new(x, y, z)
}

fn coordinates(from: Vector3d) -> [f64; 3] {
    [from.x, from.y, from.z]
}

fn uuid([x0, x1, x2, x3]: [u32; 4]) -> fb::Uuid {
    fb::Uuid::new(x0, x1, x2, x3)
}

fn item(from: &Item, tables: &mut Tables) -> WIPOffset<fb::Item<'static>> {
    let id = Some(tables.create_string(&from.id));
    let (count, slot) = (from.count, from.slot);
    fb::Item::create(tables, &fb::ItemArgs { count, slot, id })
}

fn items(from: &[Item], tables: &mut Tables) -> ItemsOffset {
    let items: Vec<_> = from.iter().map(|from| item(from, tables)).collect();
    tables.create_vector(&items)
}

type ItemsOffset =
    WIPOffset<flatbuffers::Vector<'static, flatbuffers::ForwardsUOffset<fb::Item<'static>>>>;

fn entity(from: &Entity, tables: &mut Tables) -> WIPOffset<fb::Entity<'static>> {
    let fields = fb::EntityArgs {
        id: Some(tables.create_string(&from.id)),
        pos: Some(&vector(coordinates(from.pos))),
        motion: Some(&vector(coordinates(from.motion))),
        rotation: Some(&fb::Rotation::new(from.rotation.yaw, from.rotation.pitch)),
        fall_distance: from.fall_distance,
        fire: from.fire,
        air: from.air,
        on_ground: from.on_ground,
        no_gravity: from.no_gravity,
        invulnerable: from.invulnerable,
        portal_cooldown: from.portal_cooldown,
        uuid: Some(&uuid(from.uuid)),
        custom_name: from
            .custom_name
            .as_ref()
            .map(|name| tables.create_string(name)),
        custom_name_visible: from.custom_name_visible,
        silent: from.silent,
        glowing: from.glowing,
    };
    fb::Entity::create(tables, &fields)
}

fn vehicle(from: &Vehicle, tables: &mut Tables) -> WIPOffset<fb::Vehicle<'static>> {
    let entity = Some(entity(&from.entity, tables));
    let uuid = Some(&uuid(from.uuid));
    fb::Vehicle::create(tables, &fb::VehicleArgs { uuid, entity })
}

fn recipe_book(from: &RecipeBook, tables: &mut Tables) -> WIPOffset<fb::RecipeBook<'static>> {
    let recipes: Vec<_> = from
        .recipes
        .iter()
        .map(|name| tables.create_string(name))
        .collect();
    let to_be_displayed: Vec<_> = from
        .to_be_displayed
        .iter()
        .map(|name| tables.create_string(name))
        .collect();
    let fields = fb::RecipeBookArgs {
        recipes: Some(tables.create_vector(&recipes)),
        to_be_displayed: Some(tables.create_vector(&to_be_displayed)),
        is_filtering_craftable: from.is_filtering_craftable,
        is_gui_open: from.is_gui_open,
        is_furnace_filtering_craftable: from.is_furnace_filtering_craftable,
        is_furnace_gui_open: from.is_furnace_gui_open,
        is_blasting_furnace_filtering_craftable: from.is_blasting_furnace_filtering_craftable,
        is_blasting_furnace_gui_open: from.is_blasting_furnace_gui_open,
        is_smoker_filtering_craftable: from.is_smoker_filtering_craftable,
        is_smoker_gui_open: from.is_smoker_gui_open,
    };
    fb::RecipeBook::create(tables, &fields)
}

fn abilities(from: &Abilities) -> fb::Abilities {
    fb::Abilities::new(
        from.walk_speed,
        from.fly_speed,
        from.may_fly,
        from.flying,
        from.invulnerable,
        from.may_build,
        from.instabuild,
    )
}

fn player(from: &Player, tables: &mut Tables) -> WIPOffset<fb::Player<'static>> {
    let nether = from
        .entered_nether_position
        .map(|position| vector(coordinates(position)));
    let fields = fb::PlayerArgs {
        game_type: fb::GameType(from.game_type as u8),
        previous_game_type: fb::GameType(from.previous_game_type as u8),
        score: from.score,
        dimension: Some(tables.create_string(&from.dimension)),
        selected_item_slot: from.selected_item_slot,
        selected_item: Some(item(&from.selected_item, tables)),
        spawn_dimension: from
            .spawn_dimension
            .as_ref()
            .map(|name| tables.create_string(name)),
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
        inventory: Some(items(&from.inventory, tables)),
        ender_items: Some(items(&from.ender_items, tables)),
        abilities: Some(&abilities(&from.abilities)),
        entered_nether_position: nether.as_ref(),
        root_vehicle: from.root_vehicle.as_ref().map(|from| vehicle(from, tables)),
        shoulder_entity_left: from
            .shoulder_entity_left
            .as_ref()
            .map(|from| entity(from, tables)),
        shoulder_entity_right: from
            .shoulder_entity_right
            .as_ref()
            .map(|from| entity(from, tables)),
        seen_credits: from.seen_credits,
        recipe_book: Some(recipe_book(&from.recipe_book, tables)),
    };
    fb::Player::create(tables, &fields)
}

impl From<&fb::Vector3d> for Vector3d {
    fn from(from: &fb::Vector3d) -> Self {
        Self {
            x: from.x(),
            y: from.y(),
            z: from.z(),
        }
    }
}

impl From<fb::Item<'_>> for Item {
    fn from(from: fb::Item<'_>) -> Self {
        Self {
            count: from.count(),
            slot: from.slot(),
            id: from.id().into(),
        }
    }
}

fn uuid_parts(from: &fb::Uuid) -> [u32; 4] {
    [from.x0(), from.x1(), from.x2(), from.x3()]
}

impl From<fb::Entity<'_>> for Entity {
    fn from(from: fb::Entity<'_>) -> Self {
        Self {
            id: from.id().into(),
            pos: from.pos().into(),
            motion: from.motion().into(),
            rotation: Rotation {
                yaw: from.rotation().yaw(),
                pitch: from.rotation().pitch(),
            },
            fall_distance: from.fall_distance(),
            fire: from.fire(),
            air: from.air(),
            on_ground: from.on_ground(),
            no_gravity: from.no_gravity(),
            invulnerable: from.invulnerable(),
            portal_cooldown: from.portal_cooldown(),
            uuid: uuid_parts(from.uuid()),
            custom_name: from.custom_name().map(Into::into),
            custom_name_visible: from.custom_name_visible(),
            silent: from.silent(),
            glowing: from.glowing(),
        }
    }
}

impl From<fb::Vehicle<'_>> for Vehicle {
    fn from(from: fb::Vehicle<'_>) -> Self {
        Self {
            uuid: uuid_parts(from.uuid()),
            entity: from.entity().into(),
        }
    }
}

impl From<fb::RecipeBook<'_>> for RecipeBook {
    fn from(from: fb::RecipeBook<'_>) -> Self {
        Self {
            recipes: from.recipes().iter().map(Into::into).collect(),
            to_be_displayed: from.to_be_displayed().iter().map(Into::into).collect(),
            is_filtering_craftable: from.is_filtering_craftable(),
            is_gui_open: from.is_gui_open(),
            is_furnace_filtering_craftable: from.is_furnace_filtering_craftable(),
            is_furnace_gui_open: from.is_furnace_gui_open(),
            is_blasting_furnace_filtering_craftable: from.is_blasting_furnace_filtering_craftable(),
            is_blasting_furnace_gui_open: from.is_blasting_furnace_gui_open(),
            is_smoker_filtering_craftable: from.is_smoker_filtering_craftable(),
            is_smoker_gui_open: from.is_smoker_gui_open(),
        }
    }
}

impl From<&fb::Abilities> for Abilities {
    fn from(from: &fb::Abilities) -> Self {
        Self {
            walk_speed: from.walk_speed(),
            fly_speed: from.fly_speed(),
            may_fly: from.may_fly(),
            flying: from.flying(),
            invulnerable: from.invulnerable(),
            may_build: from.may_build(),
            instabuild: from.instabuild(),
        }
    }
}

fn game_type(from: fb::GameType) -> GameType {
    GameType::ALL[usize::from(from.0)]
}

impl From<fb::Player<'_>> for Player {
    fn from(from: fb::Player<'_>) -> Self {
        Self {
            game_type: game_type(from.game_type()),
            previous_game_type: game_type(from.previous_game_type()),
            score: from.score(),
            dimension: from.dimension().into(),
            selected_item_slot: from.selected_item_slot(),
            selected_item: from.selected_item().into(),
            spawn_dimension: from.spawn_dimension().map(Into::into),
            spawn_x: from.spawn_x(),
            spawn_y: from.spawn_y(),
            spawn_z: from.spawn_z(),
            spawn_forced: from.spawn_forced(),
            sleep_timer: from.sleep_timer(),
            food_exhaustion_level: from.food_exhaustion_level(),
            food_saturation_level: from.food_saturation_level(),
            food_tick_timer: from.food_tick_timer(),
            xp_level: from.xp_level(),
            xp_p: from.xp_p(),
            xp_total: from.xp_total(),
            xp_seed: from.xp_seed(),
            inventory: from.inventory().iter().map(Into::into).collect(),
            ender_items: from.ender_items().iter().map(Into::into).collect(),
            abilities: from.abilities().into(),
            entered_nether_position: from.entered_nether_position().map(Into::into),
            root_vehicle: from.root_vehicle().map(Into::into),
            shoulder_entity_left: from.shoulder_entity_left().map(Into::into),
            shoulder_entity_right: from.shoulder_entity_right().map(Into::into),
            seen_credits: from.seen_credits(),
            recipe_book: from.recipe_book().into(),
        }
    }
}

impl HasTable for Players {
    type Table = fb::Players<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let players: Vec<_> = self
            .players
            .iter()
            .map(|from| player(from, tables))
            .collect();
        let players = Some(tables.create_vector(&players));
        fb::Players::create(tables, &fb::PlayersArgs { players })
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        for player in table.players() {
            sum.uint(player.game_type().0);
        }
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            players: table.players().iter().map(Into::into).collect(),
        }
    }
}
