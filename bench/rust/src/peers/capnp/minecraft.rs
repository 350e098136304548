use capnp::Result;

use super::generated::minecraft_savedata_capnp as cp;
use super::{length, numbered, HasStruct};
use crate::dataset::{
    Abilities, Entity, GameType, Item, Player, Players, RecipeBook, Rotation, Sum, Vector3d,
    Vehicle,
};

/// Cap'n Proto's form of [`GameType::ALL`].
const GAME_TYPES: [cp::GameType; 4] = [
    cp::GameType::Survival,
    cp::GameType::Creative,
    cp::GameType::Adventure,
    cp::GameType::Spectator,
];

fn build_vector(from: Vector3d, mut to: cp::vector3d::Builder<'_>) {
    to.set_x(from.x);
    to.set_y(from.y);
    to.set_z(from.z);
}

fn own_vector(from: cp::vector3d::Reader<'_>) -> Vector3d {
    Vector3d {
        x: from.get_x(),
        y: from.get_y(),
        z: from.get_z(),
    }
}

fn build_uuid([x0, x1, x2, x3]: [u32; 4], mut to: cp::uuid::Builder<'_>) {
    to.set_x0(x0);
    to.set_x1(x1);
    to.set_x2(x2);
    to.set_x3(x3);
}

fn own_uuid(from: cp::uuid::Reader<'_>) -> [u32; 4] {
    [from.get_x0(), from.get_x1(), from.get_x2(), from.get_x3()]
}

fn build_item(from: &Item, mut to: cp::item::Builder<'_>) {
    to.set_count(from.count);
    to.set_slot(from.slot);
    to.set_id(&from.id);
}

fn own_item(from: cp::item::Reader<'_>) -> Result<Item> {
    Ok(Item {
        count: from.get_count(),
        slot: from.get_slot(),
        id: from.get_id()?.to_string()?,
    })
}

type Items<'a> = capnp::struct_list::Builder<'a, cp::item::Owned>;

fn build_items(from: &[Item], mut to: Items<'_>) {
    for (i, item) in numbered(from) {
        build_item(item, to.reborrow().get(i));
    }
}

fn build_abilities(from: &Abilities, mut to: cp::abilities::Builder<'_>) {
    to.set_walk_speed(from.walk_speed);
    to.set_fly_speed(from.fly_speed);
    to.set_may_fly(from.may_fly);
    to.set_flying(from.flying);
    to.set_invulnerable(from.invulnerable);
    to.set_may_build(from.may_build);
    to.set_instabuild(from.instabuild);
}

fn own_abilities(from: cp::abilities::Reader<'_>) -> Abilities {
    Abilities {
        walk_speed: from.get_walk_speed(),
        fly_speed: from.get_fly_speed(),
        may_fly: from.get_may_fly(),
        flying: from.get_flying(),
        invulnerable: from.get_invulnerable(),
        may_build: from.get_may_build(),
        instabuild: from.get_instabuild(),
    }
}

fn build_entity(from: &Entity, mut to: cp::entity::Builder<'_>) {
    to.set_id(&from.id);
    build_vector(from.pos, to.reborrow().init_pos());
    build_vector(from.motion, to.reborrow().init_motion());
    let mut rotation = to.reborrow().init_rotation();
    rotation.set_yaw(from.rotation.yaw);
    rotation.set_pitch(from.rotation.pitch);
    to.set_fall_distance(from.fall_distance);
    to.set_fire(from.fire);
    to.set_air(from.air);
    to.set_on_ground(from.on_ground);
    to.set_no_gravity(from.no_gravity);
    to.set_invulnerable(from.invulnerable);
    to.set_portal_cooldown(from.portal_cooldown);
    to.set_custom_name_visible(from.custom_name_visible);
    to.set_silent(from.silent);
    to.set_glowing(from.glowing);
    build_uuid(from.uuid, to.reborrow().init_uuid());
    if let Some(name) = &from.custom_name {
        to.set_custom_name(name);
    }
}

fn own_entity(from: cp::entity::Reader<'_>) -> Result<Entity> {
    let rotation = from.get_rotation()?;
    Ok(Entity {
        id: from.get_id()?.to_string()?,
        pos: own_vector(from.get_pos()?),
        motion: own_vector(from.get_motion()?),
        rotation: Rotation {
            yaw: rotation.get_yaw(),
            pitch: rotation.get_pitch(),
        },
        uuid: own_uuid(from.get_uuid()?),
        custom_name: present(from.has_custom_name(), || from.get_custom_name(), own_text)?,
        fall_distance: from.get_fall_distance(),
        fire: from.get_fire(),
        air: from.get_air(),
        on_ground: from.get_on_ground(),
        no_gravity: from.get_no_gravity(),
        invulnerable: from.get_invulnerable(),
        portal_cooldown: from.get_portal_cooldown(),
        custom_name_visible: from.get_custom_name_visible(),
        silent: from.get_silent(),
        glowing: from.get_glowing(),
    })
}

fn build_recipe_book(from: &RecipeBook, mut to: cp::recipe_book::Builder<'_>) {
    to.set_is_filtering_craftable(from.is_filtering_craftable);
    to.set_is_gui_open(from.is_gui_open);
    to.set_is_furnace_filtering_craftable(from.is_furnace_filtering_craftable);
    to.set_is_furnace_gui_open(from.is_furnace_gui_open);
    to.set_is_blasting_furnace_filtering_craftable(from.is_blasting_furnace_filtering_craftable);
    to.set_is_blasting_furnace_gui_open(from.is_blasting_furnace_gui_open);
    to.set_is_smoker_filtering_craftable(from.is_smoker_filtering_craftable);
    to.set_is_smoker_gui_open(from.is_smoker_gui_open);
    to.set_recipes(from.recipes.as_slice()).unwrap();
    to.set_to_be_displayed(from.to_be_displayed.as_slice())
        .unwrap();
}

fn own_recipe_book(from: cp::recipe_book::Reader<'_>) -> Result<RecipeBook> {
    let texts = |list: capnp::text_list::Reader<'_>| -> Result<Vec<String>> {
        list.iter().map(|text| Ok(text?.to_string()?)).collect()
    };
    Ok(RecipeBook {
        recipes: texts(from.get_recipes()?)?,
        to_be_displayed: texts(from.get_to_be_displayed()?)?,
        is_filtering_craftable: from.get_is_filtering_craftable(),
        is_gui_open: from.get_is_gui_open(),
        is_furnace_filtering_craftable: from.get_is_furnace_filtering_craftable(),
        is_furnace_gui_open: from.get_is_furnace_gui_open(),
        is_blasting_furnace_filtering_craftable: from.get_is_blasting_furnace_filtering_craftable(),
        is_blasting_furnace_gui_open: from.get_is_blasting_furnace_gui_open(),
        is_smoker_filtering_craftable: from.get_is_smoker_filtering_craftable(),
        is_smoker_gui_open: from.get_is_smoker_gui_open(),
    })
}

fn build_player(from: &Player, mut to: cp::player::Builder<'_>) {
    to.set_game_type(GAME_TYPES[from.game_type as usize]);
    to.set_previous_game_type(GAME_TYPES[from.previous_game_type as usize]);
    to.set_score(from.score);
    to.set_selected_item_slot(from.selected_item_slot);
    to.set_spawn_x(from.spawn_x);
    to.set_spawn_y(from.spawn_y);
    to.set_spawn_z(from.spawn_z);
    to.set_sleep_timer(from.sleep_timer);
    to.set_food_exhaustion_level(from.food_exhaustion_level);
    to.set_food_saturation_level(from.food_saturation_level);
    to.set_food_tick_timer(from.food_tick_timer);
    to.set_xp_level(from.xp_level);
    to.set_xp_p(from.xp_p);
    to.set_xp_total(from.xp_total);
    to.set_xp_seed(from.xp_seed);
    to.set_seen_credits(from.seen_credits);
    to.set_dimension(&from.dimension);
    build_item(&from.selected_item, to.reborrow().init_selected_item());
    if let Some(name) = &from.spawn_dimension {
        to.set_spawn_dimension(name);
    }
    let mut spawn_forced = to.reborrow().init_spawn_forced();
    match from.spawn_forced {
        Some(forced) => spawn_forced.set_some(forced),
        None => spawn_forced.set_none(()),
    }
    build_items(
        &from.inventory,
        to.reborrow().init_inventory(length(&from.inventory)),
    );
    build_items(
        &from.ender_items,
        to.reborrow().init_ender_items(length(&from.ender_items)),
    );
    build_abilities(&from.abilities, to.reborrow().init_abilities());
    if let Some(position) = from.entered_nether_position {
        build_vector(position, to.reborrow().init_entered_nether_position());
    }
    if let Some(vehicle) = &from.root_vehicle {
        let mut to = to.reborrow().init_root_vehicle();
        build_uuid(vehicle.uuid, to.reborrow().init_uuid());
        build_entity(&vehicle.entity, to.init_entity());
    }
    if let Some(entity) = &from.shoulder_entity_left {
        build_entity(entity, to.reborrow().init_shoulder_entity_left());
    }
    if let Some(entity) = &from.shoulder_entity_right {
        build_entity(entity, to.reborrow().init_shoulder_entity_right());
    }
    build_recipe_book(&from.recipe_book, to.init_recipe_book());
}

fn own_vehicle(from: cp::vehicle::Reader<'_>) -> Result<Vehicle> {
    Ok(Vehicle {
        uuid: own_uuid(from.get_uuid()?),
        entity: own_entity(from.get_entity()?)?,
    })
}

/// The target of a pointer, unless that is null.
fn present<A, B>(
    is_there: bool,
    get: impl FnOnce() -> Result<A>,
    own: impl FnOnce(A) -> Result<B>,
) -> Result<Option<B>> {
    is_there.then(|| get().and_then(own)).transpose()
}

fn own_text(from: capnp::text::Reader<'_>) -> Result<String> {
    Ok(from.to_string()?)
}

fn own_player(from: cp::player::Reader<'_>) -> Result<Player> {
    use cp::player::spawn_forced;

    let items = |list: capnp::struct_list::Reader<'_, cp::item::Owned>| -> Result<Vec<Item>> {
        list.iter().map(own_item).collect()
    };
    let own_position = |position| Ok(own_vector(position));
    Ok(Player {
        game_type: GameType::ALL[from.get_game_type()? as usize],
        previous_game_type: GameType::ALL[from.get_previous_game_type()? as usize],
        score: from.get_score(),
        selected_item_slot: from.get_selected_item_slot(),
        spawn_x: from.get_spawn_x(),
        spawn_y: from.get_spawn_y(),
        spawn_z: from.get_spawn_z(),
        sleep_timer: from.get_sleep_timer(),
        food_exhaustion_level: from.get_food_exhaustion_level(),
        food_saturation_level: from.get_food_saturation_level(),
        food_tick_timer: from.get_food_tick_timer(),
        xp_level: from.get_xp_level(),
        xp_p: from.get_xp_p(),
        xp_total: from.get_xp_total(),
        xp_seed: from.get_xp_seed(),
        seen_credits: from.get_seen_credits(),
        dimension: from.get_dimension()?.to_string()?,
        selected_item: own_item(from.get_selected_item()?)?,
        spawn_dimension: present(
            from.has_spawn_dimension(),
            || from.get_spawn_dimension(),
            own_text,
        )?,
        spawn_forced: match from.get_spawn_forced().which()? {
            spawn_forced::None(()) => None,
            spawn_forced::Some(forced) => Some(forced),
        },
        inventory: items(from.get_inventory()?)?,
        ender_items: items(from.get_ender_items()?)?,
        abilities: own_abilities(from.get_abilities()?),
        entered_nether_position: present(
            from.has_entered_nether_position(),
            || from.get_entered_nether_position(),
            own_position,
        )?,
        root_vehicle: present(
            from.has_root_vehicle(),
            || from.get_root_vehicle(),
            own_vehicle,
        )?,
        shoulder_entity_left: present(
            from.has_shoulder_entity_left(),
            || from.get_shoulder_entity_left(),
            own_entity,
        )?,
        shoulder_entity_right: present(
            from.has_shoulder_entity_right(),
            || from.get_shoulder_entity_right(),
            own_entity,
        )?,
        recipe_book: own_recipe_book(from.get_recipe_book()?)?,
    })
}

impl HasStruct for Players {
    type Struct = cp::players::Owned;

    fn build(&self, to: cp::players::Builder<'_>) {
        let mut players = to.init_players(length(&self.players));
        for (i, player) in numbered(&self.players) {
            build_player(player, players.reborrow().get(i));
        }
    }

    fn sum_in_place(from: cp::players::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        for player in from.get_players()? {
            sum.uint(player.get_game_type()? as u8);
        }
        Ok(sum.0)
    }

    fn own(from: cp::players::Reader<'_>) -> Result<Self> {
        let players = from.get_players()?.iter().map(own_player);
        Ok(Self {
            players: players.collect::<Result<_>>()?,
        })
    }
}
