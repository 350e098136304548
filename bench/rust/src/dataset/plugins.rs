//! The plugin registry of `bench/schemas/plugins.sdp`.

use std::path::Path;

use super::{borrowed, owned, read_json, Data, Sum};

owned! {
    /// One control port of a plugin.
    pub struct Parameter {
        pub address: u64,
        pub display_name: String,
        pub identifier: String,
        pub unit: String,
        pub min_value: f32,
        pub max_value: f32,
        pub default_value: f32,
        pub current_value: f32,
        pub raw_flags: u32,
        pub is_writable: bool,
        pub can_ramp: bool,
    }

    /// One plugin with all of its parameters.
    pub struct Plugin {
        pub name: String,
        pub manufacturer: String,
        pub uri: String,
        pub class: String,
        pub parameters: Vec<Parameter>,
    }

    /// All plugins that a host found.
    pub struct PluginRegistry {
        pub plugins: Vec<Plugin>,
        pub total_plugin_count: u32,
        pub total_parameter_count: u32,
    }
}

borrowed! {
    pub struct ParameterRef<'a> {
        pub address: u64,
        pub display_name: &'a str,
        pub identifier: &'a str,
        pub unit: &'a str,
        pub min_value: f32,
        pub max_value: f32,
        pub default_value: f32,
        pub current_value: f32,
        pub raw_flags: u32,
        pub is_writable: bool,
        pub can_ramp: bool,
    }

    pub struct PluginRef<'a> {
        pub name: &'a str,
        pub manufacturer: &'a str,
        pub uri: &'a str,
        pub class: &'a str,
        #[serde(borrow)]
        pub parameters: Vec<ParameterRef<'a>>,
    }

    pub struct PluginRegistryRef<'a> {
        #[serde(borrow)]
        pub plugins: Vec<PluginRef<'a>>,
        pub total_plugin_count: u32,
        pub total_parameter_count: u32,
    }
}

impl From<ParameterRef<'_>> for Parameter {
    fn from(from: ParameterRef<'_>) -> Self {
        Self {
            address: from.address,
            display_name: from.display_name.into(),
            identifier: from.identifier.into(),
            unit: from.unit.into(),
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

impl From<PluginRef<'_>> for Plugin {
    fn from(from: PluginRef<'_>) -> Self {
        Self {
            name: from.name.into(),
            manufacturer: from.manufacturer.into(),
            uri: from.uri.into(),
            class: from.class.into(),
            parameters: from.parameters.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<PluginRegistryRef<'_>> for PluginRegistry {
    fn from(from: PluginRegistryRef<'_>) -> Self {
        Self {
            plugins: from.plugins.into_iter().map(Into::into).collect(),
            total_plugin_count: from.total_plugin_count,
            total_parameter_count: from.total_parameter_count,
        }
    }
}

impl Data for PluginRegistry {
    const NAME: &'static str = "lv2-62";

    fn load(data: &Path) -> Self {
        read_json(data, "../../examples/registry/lv2-62.json")
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        for plugin in &self.plugins {
            sum.text(&plugin.name);
            sum.text(&plugin.manufacturer);
            sum.text(&plugin.uri);
            sum.text(&plugin.class);
            for parameter in &plugin.parameters {
                sum.uint(parameter.address);
                sum.text(&parameter.display_name);
                sum.text(&parameter.identifier);
                sum.text(&parameter.unit);
                sum.float(parameter.min_value);
                sum.float(parameter.max_value);
                sum.float(parameter.default_value);
                sum.float(parameter.current_value);
                sum.uint(parameter.raw_flags);
                sum.flag(parameter.is_writable);
                sum.flag(parameter.can_ramp);
            }
        }
        sum.uint(self.total_plugin_count);
        sum.uint(self.total_parameter_count);
        sum.0
    }
}
