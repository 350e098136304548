# The tank game's updates of bench/schemas/mk48.sdp.
@0xb2a7f3c1d4e5a607;

enum EntityType {
  arleighBurke @0;
  bismarck @1;
  clemenceau @2;
  fletcher @3;
  g5 @4;
  iowa @5;
  kolkata @6;
  osa @7;
  yasen @8;
  zubr @9;
}

struct Vector2f {
  x @0 :Float32;
  y @1 :Float32;
}

struct Transform {
  altitude @0 :Int8;
  angle @1 :UInt16;
  position @2 :Vector2f;
  velocity @3 :Int16;
}

struct Guidance {
  angle @0 :UInt16;
  submerge @1 :Bool;
  velocity @2 :Int16;
}

struct Contact {
  damage @0 :UInt8;
  entityId @1 :UInt32;
  entityType :union {
    none @2 :Void;
    some @3 :EntityType;
  }
  guidance @4 :Guidance;
  playerId :union {
    none @5 :Void;
    some @6 :UInt16;
  }
  reloads @7 :List(Bool);
  transform @8 :Transform;
  turretAngles @9 :List(UInt16);
}

struct ChunkId {
  x @0 :Int8;
  y @1 :Int8;
}

struct TerrainUpdate {
  chunkId @0 :ChunkId;
  data @1 :Data;
}

struct Update {
  contacts @0 :List(Contact);
  score @1 :UInt32;
  worldRadius @2 :Float32;
  terrainUpdates @3 :List(TerrainUpdate);
}

struct Updates {
  updates @0 :List(Update);
}
