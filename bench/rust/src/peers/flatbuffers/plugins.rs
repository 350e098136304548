use flatbuffers::WIPOffset;

use super::generated::plugins::plugins as fb;
use super::{HasTable, Tables};
use crate::dataset::{Parameter, Plugin, PluginRegistry, Sum};

fn parameter(from: &Parameter, tables: &mut Tables) -> WIPOffset<fb::Parameter<'static>> {
    let display_name = tables.create_string(&from.display_name);
    let identifier = tables.create_string(&from.identifier);
    let unit = tables.create_string(&from.unit);
    let mut table = fb::ParameterBuilder::new(tables);
    table.add_address(from.address);
    table.add_display_name(display_name);
    table.add_identifier(identifier);
    table.add_unit(unit);
    table.add_min_value(from.min_value);
    table.add_max_value(from.max_value);
    table.add_default_value(from.default_value);
    table.add_current_value(from.current_value);
    table.add_raw_flags(from.raw_flags);
    table.add_is_writable(from.is_writable);
    table.add_can_ramp(from.can_ramp);
    table.finish()
}

fn plugin(from: &Plugin, tables: &mut Tables) -> WIPOffset<fb::Plugin<'static>> {
    let parameters: Vec<_> = from
        .parameters
        .iter()
        .map(|from| parameter(from, tables))
        .collect();
    let parameters = tables.create_vector(&parameters);
    let name = tables.create_string(&from.name);
    let manufacturer = tables.create_string(&from.manufacturer);
    let uri = tables.create_string(&from.uri);
    let class = tables.create_string(&from.class);
    let mut table = fb::PluginBuilder::new(tables);
    table.add_name(name);
    table.add_manufacturer(manufacturer);
    table.add_uri(uri);
    table.add_class(class);
    table.add_parameters(parameters);
    table.finish()
}

impl From<fb::Parameter<'_>> for Parameter {
    fn from(from: fb::Parameter<'_>) -> Self {
        Self {
            address: from.address(),
            display_name: from.display_name().into(),
            identifier: from.identifier().into(),
            unit: from.unit().into(),
            min_value: from.min_value(),
            max_value: from.max_value(),
            default_value: from.default_value(),
            current_value: from.current_value(),
            raw_flags: from.raw_flags(),
            is_writable: from.is_writable(),
            can_ramp: from.can_ramp(),
        }
    }
}

impl From<fb::Plugin<'_>> for Plugin {
    fn from(from: fb::Plugin<'_>) -> Self {
        Self {
            name: from.name().into(),
            manufacturer: from.manufacturer().into(),
            uri: from.uri().into(),
            class: from.class().into(),
            parameters: from.parameters().iter().map(Into::into).collect(),
        }
    }
}

impl HasTable for PluginRegistry {
    type Table = fb::PluginRegistry<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let plugins: Vec<_> = self
            .plugins
            .iter()
            .map(|from| plugin(from, tables))
            .collect();
        let plugins = tables.create_vector(&plugins);
        let mut table = fb::PluginRegistryBuilder::new(tables);
        table.add_plugins(plugins);
        table.add_total_plugin_count(self.total_plugin_count);
        table.add_total_parameter_count(self.total_parameter_count);
        table.finish()
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        for plugin in table.plugins() {
            sum.text(plugin.name());
            sum.text(plugin.manufacturer());
            sum.text(plugin.uri());
            sum.text(plugin.class());
            for parameter in plugin.parameters() {
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
        }
        sum.uint(table.total_plugin_count());
        sum.uint(table.total_parameter_count());
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            plugins: table.plugins().iter().map(Into::into).collect(),
            total_plugin_count: table.total_plugin_count(),
            total_parameter_count: table.total_parameter_count(),
        }
    }
}
