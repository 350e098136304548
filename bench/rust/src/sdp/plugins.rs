use super::generated::plugins as gen;
use super::{all, borrowed_cases, owned_cases, view_cases};
use crate::dataset::{Parameter, Plugin, PluginRegistry, Sum};
use crate::subject::{Case, Subject};

pub fn subject(data: &'static PluginRegistry) -> Subject {
    let builder = borrowed_cases!(
        owned_cases!(data, gen::PluginRegistry),
        gen::PluginRegistry,
        gen::PluginRegistryRef
    );
    view_cases!(builder, PluginRegistryView, sum)
        .read(Case::ReadBorrowed, |bytes| {
            sum_borrowed(&gen::PluginRegistryRef::decode(bytes).unwrap())
        })
        .done()
}

fn sum_borrowed(registry: &gen::PluginRegistryRef<'_>) -> u64 {
    let mut sum = Sum::default();
    for plugin in &registry.plugins {
        sum.text(plugin.name);
        sum.text(plugin.manufacturer);
        sum.text(plugin.uri);
        sum.text(plugin.class);
        for parameter in &plugin.parameters {
            sum.uint(parameter.address);
            sum.text(parameter.display_name);
            sum.text(parameter.identifier);
            sum.text(parameter.unit);
            sum.float(parameter.min_value);
            sum.float(parameter.max_value);
            sum.float(parameter.default_value);
            sum.float(parameter.current_value);
            sum.uint(parameter.raw_flags);
            sum.flag(parameter.is_writable);
            sum.flag(parameter.can_ramp);
        }
    }
    sum.uint(registry.total_plugin_count);
    sum.uint(registry.total_parameter_count);
    sum.0
}

fn sum(registry: &gen::PluginRegistryView<'_>) -> u64 {
    let mut sum = Sum::default();
    let mut plugins = registry.plugins();
    while let Some(plugin) = plugins.next() {
        sum.text(plugin.name());
        sum.text(plugin.manufacturer());
        sum.text(plugin.uri());
        sum.text(plugin.class());
        let mut parameters = plugin.parameters();
        for parameter in parameters.by_ref() {
            sum.uint(parameter.address());
            sum.text(parameter.display_name());
            sum.text(parameter.identifier());
            sum.text(parameter.unit());
            sum.float(parameter.min_value());
            sum.float(parameter.max_value());
            sum.float(parameter.default_value());
            sum.float(parameter.current_value());
            sum.uint(parameter.raw_flags());
            sum.flag(parameter.is_writable());
            sum.flag(parameter.can_ramp());
        }
        plugins.resume(parameters);
    }
    sum.uint(registry.total_plugin_count());
    sum.uint(registry.total_parameter_count());
    sum.0
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
