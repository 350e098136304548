#include "../dataset/sum.hpp"
#include "capnproto_message.hpp"
#include "plugins.capnp.h"

namespace bench {
namespace {

void fill_parameter(const parameter& from, cp::plugins::Parameter::Builder to) {
    to.setAddress(from.address);
    to.setDisplayName(text_of(from.display_name));
    to.setIdentifier(text_of(from.identifier));
    to.setUnit(text_of(from.unit));
    to.setMinValue(from.min_value);
    to.setMaxValue(from.max_value);
    to.setDefaultValue(from.default_value);
    to.setCurrentValue(from.current_value);
    to.setRawFlags(from.raw_flags);
    to.setIsWritable(from.is_writable);
    to.setCanRamp(from.can_ramp);
}

void fill_plugin(const plugin& from, cp::plugins::Plugin::Builder to) {
    to.setName(text_of(from.name));
    to.setManufacturer(text_of(from.manufacturer));
    to.setUri(text_of(from.uri));
    to.setClass(text_of(from.class_name));
    auto parameters = to.initParameters(static_cast<unsigned>(from.parameters.size()));
    for (unsigned i = 0; i < parameters.size(); ++i) {
        fill_parameter(from.parameters[i], parameters[i]);
    }
}

parameter plain_parameter(cp::plugins::Parameter::Reader from) {
    return {
        .address = from.getAddress(),
        .display_name = string_of(from.getDisplayName()),
        .identifier = string_of(from.getIdentifier()),
        .unit = string_of(from.getUnit()),
        .min_value = from.getMinValue(),
        .max_value = from.getMaxValue(),
        .default_value = from.getDefaultValue(),
        .current_value = from.getCurrentValue(),
        .raw_flags = from.getRawFlags(),
        .is_writable = from.getIsWritable(),
        .can_ramp = from.getCanRamp(),
    };
}

plugin plain_plugin(cp::plugins::Plugin::Reader from) {
    plugin to{string_of(from.getName()),
              string_of(from.getManufacturer()),
              string_of(from.getUri()),
              string_of(from.getClass()),
              {}};
    const auto parameters = from.getParameters();
    to.parameters.reserve(parameters.size());
    for (const auto each : parameters) {
        to.parameters.push_back(plain_parameter(each));
    }
    return to;
}

void add_plugin(checksum& sum, cp::plugins::Plugin::Reader from) {
    sum.text(text_of(from.getName()));
    sum.text(text_of(from.getManufacturer()));
    sum.text(text_of(from.getUri()));
    sum.text(text_of(from.getClass()));
    for (const auto each : from.getParameters()) {
        sum.unsigned_number(each.getAddress());
        sum.text(text_of(each.getDisplayName()));
        sum.text(text_of(each.getIdentifier()));
        sum.text(text_of(each.getUnit()));
        sum.float_number(each.getMinValue());
        sum.float_number(each.getMaxValue());
        sum.float_number(each.getDefaultValue());
        sum.float_number(each.getCurrentValue());
        sum.unsigned_number(each.getRawFlags());
        sum.flag(each.getIsWritable());
        sum.flag(each.getCanRamp());
    }
}

struct registry_form {
    using type = cp::plugins::PluginRegistry;

    static void fill(const plugin_registry& from, type::Builder to) {
        to.setTotalPluginCount(from.total_plugin_count);
        to.setTotalParameterCount(from.total_parameter_count);
        auto plugins = to.initPlugins(static_cast<unsigned>(from.plugins.size()));
        for (unsigned i = 0; i < plugins.size(); ++i) {
            fill_plugin(from.plugins[i], plugins[i]);
        }
    }

    static plugin_registry plain(type::Reader from) {
        plugin_registry to{{}, from.getTotalPluginCount(), from.getTotalParameterCount()};
        const auto plugins = from.getPlugins();
        to.plugins.reserve(plugins.size());
        for (const auto each : plugins) {
            to.plugins.push_back(plain_plugin(each));
        }
        return to;
    }

    static std::uint64_t sum(type::Reader from) {
        checksum sum;
        for (const auto each : from.getPlugins()) {
            add_plugin(sum, each);
        }
        sum.unsigned_number(from.getTotalPluginCount());
        sum.unsigned_number(from.getTotalParameterCount());
        return sum.value();
    }
};

}  // namespace

void add_capnproto(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data) {
    capnproto_codec<registry_form, plugin_registry>::add(to, data);
}

}  // namespace bench
