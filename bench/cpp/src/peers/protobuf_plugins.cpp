#include "plugins.pb.h"
#include "protobuf_message.hpp"

namespace bench {
namespace {

void fill_parameter(const parameter& from, pb::plugins::Parameter& to) {
    to.set_address(from.address);
    to.set_display_name(from.display_name);
    to.set_identifier(from.identifier);
    to.set_unit(from.unit);
    to.set_min_value(from.min_value);
    to.set_max_value(from.max_value);
    to.set_default_value(from.default_value);
    to.set_current_value(from.current_value);
    to.set_raw_flags(from.raw_flags);
    to.set_is_writable(from.is_writable);
    to.set_can_ramp(from.can_ramp);
}

void fill_plugin(const plugin& from, pb::plugins::Plugin& to) {
    to.set_name(from.name);
    to.set_manufacturer(from.manufacturer);
    to.set_uri(from.uri);
    to.set_class_(from.class_name);
    for (const parameter& each : from.parameters) {
        fill_parameter(each, *to.add_parameters());
    }
}

parameter plain_parameter(const pb::plugins::Parameter& from) {
    return {
        .address = from.address(),
        .display_name = from.display_name(),
        .identifier = from.identifier(),
        .unit = from.unit(),
        .min_value = from.min_value(),
        .max_value = from.max_value(),
        .default_value = from.default_value(),
        .current_value = from.current_value(),
        .raw_flags = from.raw_flags(),
        .is_writable = from.is_writable(),
        .can_ramp = from.can_ramp(),
    };
}

plugin plain_plugin(const pb::plugins::Plugin& from) {
    plugin to{from.name(), from.manufacturer(), from.uri(), from.class_(), {}};
    for (const pb::plugins::Parameter& each : from.parameters()) {
        to.parameters.push_back(plain_parameter(each));
    }
    return to;
}

struct registry_form {
    using message = pb::plugins::PluginRegistry;

    static void fill(const plugin_registry& from, message& to) {
        for (const plugin& each : from.plugins) {
            fill_plugin(each, *to.add_plugins());
        }
        to.set_total_plugin_count(from.total_plugin_count);
        to.set_total_parameter_count(from.total_parameter_count);
    }

    static plugin_registry plain(const message& from) {
        plugin_registry to{{}, from.total_plugin_count(), from.total_parameter_count()};
        for (const pb::plugins::Plugin& each : from.plugins()) {
            to.plugins.push_back(plain_plugin(each));
        }
        return to;
    }
};

}  // namespace

void add_protobuf(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data) {
    add_protobuf_of<registry_form>(to, data);
}

}  // namespace bench
