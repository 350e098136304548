use super::all;
use super::generated::plugins as pb;
use crate::dataset::{Parameter, Plugin, PluginRegistry};

impl From<&Parameter> for pb::Parameter {
    fn from(from: &Parameter) -> Self {
        Self {
            address: from.address,
            display_name: from.display_name.clone(),
            identifier: from.identifier.clone(),
            unit: from.unit.clone(),
            min_value: from.min_value,
            max_value: from.max_value,
            default_value: from.default_value,
            current_value: from.current_value,
            raw_flags: from.raw_flags,
            is_writable: from.is_writable,
            can_ramp: from.can_ramp,
        }
    }
}

impl From<&Plugin> for pb::Plugin {
    fn from(from: &Plugin) -> Self {
        Self {
            name: from.name.clone(),
            manufacturer: from.manufacturer.clone(),
            uri: from.uri.clone(),
            class: from.class.clone(),
            parameters: all(&from.parameters),
        }
    }
}

impl From<&PluginRegistry> for pb::PluginRegistry {
    fn from(from: &PluginRegistry) -> Self {
        Self {
            plugins: all(&from.plugins),
            total_plugin_count: from.total_plugin_count,
            total_parameter_count: from.total_parameter_count,
        }
    }
}

impl From<pb::Parameter> for Parameter {
    fn from(from: pb::Parameter) -> Self {
        Self {
            address: from.address,
            display_name: from.display_name,
            identifier: from.identifier,
            unit: from.unit,
            min_value: from.min_value,
            max_value: from.max_value,
            default_value: from.default_value,
            current_value: from.current_value,
            raw_flags: from.raw_flags,
            is_writable: from.is_writable,
            can_ramp: from.can_ramp,
        }
    }
}

impl From<pb::Plugin> for Plugin {
    fn from(from: pb::Plugin) -> Self {
        Self {
            name: from.name,
            manufacturer: from.manufacturer,
            uri: from.uri,
            class: from.class,
            parameters: all(from.parameters),
        }
    }
}

impl From<pb::PluginRegistry> for PluginRegistry {
    fn from(from: pb::PluginRegistry) -> Self {
        Self {
            plugins: all(from.plugins),
            total_plugin_count: from.total_plugin_count,
            total_parameter_count: from.total_parameter_count,
        }
    }
}
