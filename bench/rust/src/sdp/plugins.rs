use super::generated::plugins as gen;
use super::{all, borrowed_cases, owned_cases};
use crate::dataset::{Parameter, Plugin, PluginRegistry};
use crate::subject::Subject;

pub fn subject(data: &'static PluginRegistry) -> Subject {
    borrowed_cases!(
        owned_cases!(data, gen::PluginRegistry),
        gen::PluginRegistry,
        gen::PluginRegistryRef
    )
    .done()
}

impl From<&Parameter> for gen::Parameter {
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

impl From<gen::Parameter> for Parameter {
    fn from(from: gen::Parameter) -> Self {
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

impl From<&Plugin> for gen::Plugin {
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

impl From<gen::Plugin> for Plugin {
    fn from(from: gen::Plugin) -> Self {
        Self {
            name: from.name,
            manufacturer: from.manufacturer,
            uri: from.uri,
            class: from.class,
            parameters: all(from.parameters),
        }
    }
}

impl From<&PluginRegistry> for gen::PluginRegistry {
    fn from(from: &PluginRegistry) -> Self {
        Self {
            plugins: all(&from.plugins),
            total_plugin_count: from.total_plugin_count,
            total_parameter_count: from.total_parameter_count,
        }
    }
}

impl From<gen::PluginRegistry> for PluginRegistry {
    fn from(from: gen::PluginRegistry) -> Self {
        Self {
            plugins: all(from.plugins),
            total_plugin_count: from.total_plugin_count,
            total_parameter_count: from.total_parameter_count,
        }
    }
}
