#include "../dataset/sum.hpp"
#include "flatbuffers_table.hpp"
#include "plugins_generated.h"

namespace bench {
namespace {

using ::flatbuffers::FlatBufferBuilder;
using ::flatbuffers::Offset;

Offset<fb::plugins::Parameter> build_parameter(const parameter& from, FlatBufferBuilder& builder) {
    const auto display_name = builder.CreateString(from.display_name);
    const auto identifier = builder.CreateString(from.identifier);
    const auto unit = builder.CreateString(from.unit);
    return fb::plugins::CreateParameter(
        builder, from.address, display_name, identifier, unit, from.min_value, from.max_value,
        from.default_value, from.current_value, from.raw_flags, from.is_writable, from.can_ramp);
}

parameter plain_parameter(const fb::plugins::Parameter& from) {
    return {
        .address = from.address(),
        .display_name = string_of(from.display_name()),
        .identifier = string_of(from.identifier()),
        .unit = string_of(from.unit()),
        .min_value = from.min_value(),
        .max_value = from.max_value(),
        .default_value = from.default_value(),
        .current_value = from.current_value(),
        .raw_flags = from.raw_flags(),
        .is_writable = from.is_writable(),
        .can_ramp = from.can_ramp(),
    };
}

plugin plain_plugin(const fb::plugins::Plugin& from) {
    plugin to{string_of(from.name()),
              string_of(from.manufacturer()),
              string_of(from.uri()),
              string_of(from.class_()),
              {}};
    to.parameters.reserve(from.parameters()->size());
    for (const fb::plugins::Parameter* each : *from.parameters()) {
        to.parameters.push_back(plain_parameter(*each));
    }
    return to;
}

void add_plugin(checksum& sum, const fb::plugins::Plugin& from) {
    sum.text(text_of(from.name()));
    sum.text(text_of(from.manufacturer()));
    sum.text(text_of(from.uri()));
    sum.text(text_of(from.class_()));
    for (const fb::plugins::Parameter* each : *from.parameters()) {
        sum.unsigned_number(each->address());
        sum.text(text_of(each->display_name()));
        sum.text(text_of(each->identifier()));
        sum.text(text_of(each->unit()));
        sum.float_number(each->min_value());
        sum.float_number(each->max_value());
        sum.float_number(each->default_value());
        sum.float_number(each->current_value());
        sum.unsigned_number(each->raw_flags());
        sum.flag(each->is_writable());
        sum.flag(each->can_ramp());
    }
}

struct registry_form {
    using table = fb::plugins::PluginRegistry;

    struct lists {
        std::vector<Offset<fb::plugins::Plugin>> plugins;
        std::vector<Offset<fb::plugins::Parameter>> parameters;
    };

    static Offset<fb::plugins::Plugin> build_plugin(const plugin& from, FlatBufferBuilder& builder,
                                                    lists& with) {
        with.parameters.clear();
        for (const parameter& each : from.parameters) {
            with.parameters.push_back(build_parameter(each, builder));
        }
        const auto parameters = builder.CreateVector(with.parameters);
        const auto name = builder.CreateString(from.name);
        const auto manufacturer = builder.CreateString(from.manufacturer);
        const auto uri = builder.CreateString(from.uri);
        const auto class_name = builder.CreateString(from.class_name);
        return fb::plugins::CreatePlugin(builder, name, manufacturer, uri, class_name, parameters);
    }

    static Offset<table> build(const plugin_registry& from, FlatBufferBuilder& builder,
                               lists& with) {
        with.plugins.clear();
        for (const plugin& each : from.plugins) {
            with.plugins.push_back(build_plugin(each, builder, with));
        }
        return fb::plugins::CreatePluginRegistry(builder, builder.CreateVector(with.plugins),
                                                 from.total_plugin_count,
                                                 from.total_parameter_count);
    }

    static plugin_registry plain(const table& from) {
        plugin_registry to{{}, from.total_plugin_count(), from.total_parameter_count()};
        to.plugins.reserve(from.plugins()->size());
        for (const fb::plugins::Plugin* each : *from.plugins()) {
            to.plugins.push_back(plain_plugin(*each));
        }
        return to;
    }

    static std::uint64_t sum(const table& from) {
        checksum sum;
        for (const fb::plugins::Plugin* each : *from.plugins()) {
            add_plugin(sum, *each);
        }
        sum.unsigned_number(from.total_plugin_count());
        sum.unsigned_number(from.total_parameter_count());
        return sum.value();
    }
};

}  // namespace

void add_flatbuffers(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data) {
    add_flatbuffers_of<registry_form>(to, data);
}

}  // namespace bench
