//! Reading rkyv's archives in place.

use crate::dataset::{
    ArchivedFrame, ArchivedLogs, ArchivedMesh, ArchivedPlayers, ArchivedPluginRegistry,
    ArchivedPrimitives, ArchivedUpdates, Sum,
};

pub fn plugins(registry: &ArchivedPluginRegistry) -> u64 {
    let mut sum = Sum::default();
    for plugin in registry.plugins.as_slice() {
        sum.text(&plugin.name);
        sum.text(&plugin.manufacturer);
        sum.text(&plugin.uri);
        sum.text(&plugin.class);
        for parameter in plugin.parameters.as_slice() {
            sum.uint(parameter.address);
            sum.text(&parameter.display_name);
            sum.text(&parameter.identifier);
            sum.text(&parameter.unit);
            sum.float(parameter.min_value.into());
            sum.float(parameter.max_value.into());
            sum.float(parameter.default_value.into());
            sum.float(parameter.current_value.into());
            sum.uint(parameter.raw_flags.to_native());
            sum.flag(parameter.is_writable);
            sum.flag(parameter.can_ramp);
        }
    }
    sum.uint(registry.total_plugin_count.to_native());
    sum.uint(registry.total_parameter_count.to_native());
    sum.0
}

pub fn primitives(value: &ArchivedPrimitives) -> u64 {
    let mut sum = Sum::default();
    sum.flag(value.flag);
    sum.int(value.tiny);
    sum.int(value.small.to_native());
    sum.int(value.medium.to_native());
    sum.int(value.large.to_native());
    sum.uint(value.octet);
    sum.uint(value.port.to_native());
    sum.uint(value.count.to_native());
    sum.uint(value.total.to_native());
    sum.float(value.ratio.into());
    sum.double(value.value.into());
    sum.int(value.taken_at.to_native());
    sum.0
}

pub fn arrays(frame: &ArchivedFrame) -> u64 {
    let mut sum = Sum::default();
    for sample in frame.samples.as_slice() {
        sum.float(sample.to_native());
    }
    for index in frame.indices.as_slice() {
        sum.uint(index.to_native());
    }
    sum.0
}

pub fn log(logs: &ArchivedLogs) -> u64 {
    let mut sum = Sum::default();
    for log in logs.logs.as_slice() {
        sum.uint(log.address.x0);
        sum.uint(log.address.x1);
        sum.uint(log.address.x2);
        sum.uint(log.address.x3);
        sum.uint(log.code.to_native());
        sum.uint(log.size.to_native());
    }
    sum.0
}

pub fn mesh(mesh: &ArchivedMesh) -> u64 {
    let mut sum = Sum::default();
    for triangle in mesh.triangles.as_slice() {
        sum.float(triangle.normal.x.to_native());
        sum.float(triangle.normal.y.to_native());
        sum.float(triangle.normal.z.to_native());
    }
    sum.0
}

pub fn minecraft(players: &ArchivedPlayers) -> u64 {
    let mut sum = Sum::default();
    for player in players.players.as_slice() {
        // The archived form of an enum without payloads has the discriminants of the original.
        sum.uint(player.game_type as u8);
    }
    sum.0
}

pub fn mk48(updates: &ArchivedUpdates) -> u64 {
    let mut sum = Sum::default();
    for update in updates.updates.as_slice() {
        sum.uint(update.score.to_native());
    }
    sum.0
}
