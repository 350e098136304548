use capnp::Result;

use super::generated::plugins_capnp as cp;
use super::{length, numbered, HasStruct};
use crate::dataset::{Parameter, Plugin, PluginRegistry, Sum};

fn build_parameter(from: &Parameter, mut to: cp::parameter::Builder<'_>) {
    to.set_address(from.address);
    to.set_display_name(&from.display_name);
    to.set_identifier(&from.identifier);
    to.set_unit(&from.unit);
    to.set_min_value(from.min_value);
    to.set_max_value(from.max_value);
    to.set_default_value(from.default_value);
    to.set_current_value(from.current_value);
    to.set_raw_flags(from.raw_flags);
    to.set_is_writable(from.is_writable);
    to.set_can_ramp(from.can_ramp);
}

fn build_plugin(from: &Plugin, mut to: cp::plugin::Builder<'_>) {
    to.set_name(&from.name);
    to.set_manufacturer(&from.manufacturer);
    to.set_uri(&from.uri);
    to.set_class(&from.class);
    let mut parameters = to.init_parameters(length(&from.parameters));
    for (i, parameter) in numbered(&from.parameters) {
        build_parameter(parameter, parameters.reborrow().get(i));
    }
}

fn own_parameter(from: cp::parameter::Reader<'_>) -> Result<Parameter> {
    Ok(Parameter {
        address: from.get_address(),
        display_name: from.get_display_name()?.to_string()?,
        identifier: from.get_identifier()?.to_string()?,
        unit: from.get_unit()?.to_string()?,
        min_value: from.get_min_value(),
        max_value: from.get_max_value(),
        default_value: from.get_default_value(),
        current_value: from.get_current_value(),
        raw_flags: from.get_raw_flags(),
        is_writable: from.get_is_writable(),
        can_ramp: from.get_can_ramp(),
    })
}

fn own_plugin(from: cp::plugin::Reader<'_>) -> Result<Plugin> {
    let parameters = from.get_parameters()?;
    Ok(Plugin {
        name: from.get_name()?.to_string()?,
        manufacturer: from.get_manufacturer()?.to_string()?,
        uri: from.get_uri()?.to_string()?,
        class: from.get_class()?.to_string()?,
        parameters: parameters
            .iter()
            .map(own_parameter)
            .collect::<Result<_>>()?,
    })
}

impl HasStruct for PluginRegistry {
    type Struct = cp::plugin_registry::Owned;

    fn build(&self, mut to: cp::plugin_registry::Builder<'_>) {
        to.set_total_plugin_count(self.total_plugin_count);
        to.set_total_parameter_count(self.total_parameter_count);
        let mut plugins = to.init_plugins(length(&self.plugins));
        for (i, plugin) in numbered(&self.plugins) {
            build_plugin(plugin, plugins.reborrow().get(i));
        }
    }

    fn sum_in_place(from: cp::plugin_registry::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        for plugin in from.get_plugins()? {
            sum.text(plugin.get_name()?.to_str()?);
            sum.text(plugin.get_manufacturer()?.to_str()?);
            sum.text(plugin.get_uri()?.to_str()?);
            sum.text(plugin.get_class()?.to_str()?);
            for parameter in plugin.get_parameters()? {
                sum.uint(parameter.get_address());
                sum.text(parameter.get_display_name()?.to_str()?);
                sum.text(parameter.get_identifier()?.to_str()?);
                sum.text(parameter.get_unit()?.to_str()?);
                sum.float(parameter.get_min_value());
                sum.float(parameter.get_max_value());
                sum.float(parameter.get_default_value());
                sum.float(parameter.get_current_value());
                sum.uint(parameter.get_raw_flags());
                sum.flag(parameter.get_is_writable());
                sum.flag(parameter.get_can_ramp());
            }
        }
        sum.uint(from.get_total_plugin_count());
        sum.uint(from.get_total_parameter_count());
        Ok(sum.0)
    }

    fn own(from: cp::plugin_registry::Reader<'_>) -> Result<Self> {
        let plugins = from.get_plugins()?;
        Ok(Self {
            plugins: plugins.iter().map(own_plugin).collect::<Result<_>>()?,
            total_plugin_count: from.get_total_plugin_count(),
            total_parameter_count: from.get_total_parameter_count(),
        })
    }
}
