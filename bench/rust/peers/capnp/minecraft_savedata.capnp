# The players' save data of bench/schemas/minecraft_savedata.sdp. What is absent is a null pointer, or a union's none.
@0xb2a7f3c1d4e5a606;

enum GameType {
  survival @0;
  creative @1;
  adventure @2;
  spectator @3;
}

struct Item {
  count @0 :Int8;
  slot @1 :UInt8;
  id @2 :Text;
}

struct Abilities {
  walkSpeed @0 :Float32;
  flySpeed @1 :Float32;
  mayFly @2 :Bool;
  flying @3 :Bool;
  invulnerable @4 :Bool;
  mayBuild @5 :Bool;
  instabuild @6 :Bool;
}

struct Vector3d {
  x @0 :Float64;
  y @1 :Float64;
  z @2 :Float64;
}

struct Rotation {
  yaw @0 :Float32;
  pitch @1 :Float32;
}

struct Uuid {
  x0 @0 :UInt32;
  x1 @1 :UInt32;
  x2 @2 :UInt32;
  x3 @3 :UInt32;
}

struct Entity {
  id @0 :Text;
  pos @1 :Vector3d;
  motion @2 :Vector3d;
  rotation @3 :Rotation;
  fallDistance @4 :Float32;
  fire @5 :UInt16;
  air @6 :UInt16;
  onGround @7 :Bool;
  noGravity @8 :Bool;
  invulnerable @9 :Bool;
  portalCooldown @10 :Int32;
  uuid @11 :Uuid;
  customName @12 :Text;
  customNameVisible @13 :Bool;
  silent @14 :Bool;
  glowing @15 :Bool;
}

struct Vehicle {
  uuid @0 :Uuid;
  entity @1 :Entity;
}

struct RecipeBook {
  recipes @0 :List(Text);
  toBeDisplayed @1 :List(Text);
  isFilteringCraftable @2 :Bool;
  isGuiOpen @3 :Bool;
  isFurnaceFilteringCraftable @4 :Bool;
  isFurnaceGuiOpen @5 :Bool;
  isBlastingFurnaceFilteringCraftable @6 :Bool;
  isBlastingFurnaceGuiOpen @7 :Bool;
  isSmokerFilteringCraftable @8 :Bool;
  isSmokerGuiOpen @9 :Bool;
}

struct Player {
  gameType @0 :GameType;
  previousGameType @1 :GameType;
  score @2 :Int64;
  dimension @3 :Text;
  selectedItemSlot @4 :UInt32;
  selectedItem @5 :Item;
  spawnDimension @6 :Text;
  spawnX @7 :Int64;
  spawnY @8 :Int64;
  spawnZ @9 :Int64;
  spawnForced :union {
    none @10 :Void;
    some @11 :Bool;
  }
  sleepTimer @12 :UInt16;
  foodExhaustionLevel @13 :Float32;
  foodSaturationLevel @14 :Float32;
  foodTickTimer @15 :UInt32;
  xpLevel @16 :UInt32;
  xpP @17 :Float32;
  xpTotal @18 :Int32;
  xpSeed @19 :Int32;
  inventory @20 :List(Item);
  enderItems @21 :List(Item);
  abilities @22 :Abilities;
  enteredNetherPosition @23 :Vector3d;
  rootVehicle @24 :Vehicle;
  shoulderEntityLeft @25 :Entity;
  shoulderEntityRight @26 :Entity;
  seenCredits @27 :Bool;
  recipeBook @28 :RecipeBook;
}

struct Players {
  players @0 :List(Player);
}
