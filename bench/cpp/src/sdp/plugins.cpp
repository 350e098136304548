#include "plugins.hpp"

#include "../dataset/sum.hpp"
#include "cases.hpp"

namespace bench {
namespace {

/// The data's type from any form of SDP's: the names of the fields are the same in all of them.
parameter plain_parameter(const auto& from) {
    return {
        .address = from.address,
        .display_name = std::string(from.display_name),
        .identifier = std::string(from.identifier),
        .unit = std::string(from.unit),
        .min_value = from.min_value,
        .max_value = from.max_value,
        .default_value = from.default_value,
        .current_value = from.current_value,
        .raw_flags = from.raw_flags,
        .is_writable = from.is_writable,
        .can_ramp = from.can_ramp,
    };
}

plugin plain_plugin(const auto& from) {
    plugin to{std::string(from.name),
              std::string(from.manufacturer),
              std::string(from.uri),
              std::string(from.class_),
              {}};
    for (const auto& each : from.parameters) {
        to.parameters.push_back(plain_parameter(each));
    }
    return to;
}

plugin_registry plain_registry(const auto& from) {
    plugin_registry to{{}, from.total_plugin_count, from.total_parameter_count};
    for (const auto& each : from.plugins) {
        to.plugins.push_back(plain_plugin(each));
    }
    return to;
}

plugins::Parameter make_parameter(const parameter& from) {
    plugins::Parameter to;
    to.address = from.address;
    to.display_name = from.display_name;
    to.identifier = from.identifier;
    to.unit = from.unit;
    to.min_value = from.min_value;
    to.max_value = from.max_value;
    to.default_value = from.default_value;
    to.current_value = from.current_value;
    to.raw_flags = from.raw_flags;
    to.is_writable = from.is_writable;
    to.can_ramp = from.can_ramp;
    return to;
}

plugins::Plugin make_plugin(const plugin& from) {
    plugins::Plugin to;
    to.name = from.name;
    to.manufacturer = from.manufacturer;
    to.uri = from.uri;
    to.class_ = from.class_name;
    for (const parameter& each : from.parameters) {
        to.parameters.push_back(make_parameter(each));
    }
    return to;
}

struct registry_form {
    using owned = plugins::PluginRegistry;

    static owned make(const plugin_registry& from) {
        owned to;
        for (const plugin& each : from.plugins) {
            to.plugins.push_back(make_plugin(each));
        }
        to.total_plugin_count = from.total_plugin_count;
        to.total_parameter_count = from.total_parameter_count;
        return to;
    }

    static plugin_registry plain(const owned& from) { return plain_registry(from); }
};

std::uint64_t sum_of_view(const plugins::PluginRegistryView& registry) {
    checksum sum;
    for (const auto& each : registry.plugins()) {
        sum.text(each.name());
        sum.text(each.manufacturer());
        sum.text(each.uri());
        sum.text(each.class_());
        for (const auto& control : each.parameters()) {
            sum.unsigned_number(control.address());
            sum.text(control.display_name());
            sum.text(control.identifier());
            sum.text(control.unit());
            sum.float_number(control.min_value());
            sum.float_number(control.max_value());
            sum.float_number(control.default_value());
            sum.float_number(control.current_value());
            sum.unsigned_number(control.raw_flags());
            sum.flag(control.is_writable());
            sum.flag(control.can_ramp());
        }
    }
    sum.unsigned_number(registry.total_plugin_count());
    sum.unsigned_number(registry.total_parameter_count());
    return sum.value();
}

std::uint64_t sum_of_borrowed(const plugins::PluginRegistryRef& registry) {
    checksum sum;
    for (const plugins::PluginRef& each : registry.plugins) {
        sum.text(each.name);
        sum.text(each.manufacturer);
        sum.text(each.uri);
        sum.text(each.class_);
        for (const plugins::ParameterRef& control : each.parameters) {
            sum.unsigned_number(control.address);
            sum.text(control.display_name);
            sum.text(control.identifier);
            sum.text(control.unit);
            sum.float_number(control.min_value);
            sum.float_number(control.max_value);
            sum.float_number(control.default_value);
            sum.float_number(control.current_value);
            sum.unsigned_number(control.raw_flags);
            sum.flag(control.is_writable);
            sum.flag(control.can_ramp);
        }
    }
    sum.unsigned_number(registry.total_plugin_count);
    sum.unsigned_number(registry.total_parameter_count);
    return sum.value();
}

void add_borrowed(subject_builder<plugin_registry>& to) {
    using borrowed = plugins::PluginRegistryRef;
    to.decode_fresh(
        task::decode_borrowed, to.bytes(),
        [](byte_span bytes) { return sdp::decode<borrowed>(view_of(bytes)); },
        [](const sdp::result<borrowed>& from) { return plain_registry(taken(from)); });
    to.read_reused(task::read_borrowed, borrowed(), [](borrowed& into, byte_span bytes) {
        accepted(sdp::decode_into(into, view_of(bytes)));
        return sum_of_borrowed(into);
    });
}

/// Decoding to `Value` on an arena.
template <class Value>
void add_on_arena(subject_builder<plugin_registry>& to, task what, std::size_t memory) {
    using arena = std::unique_ptr<sdp_arena<Value>>;
    to.decode_reused(
        what, std::make_unique<sdp_arena<Value>>(memory),
        [](arena& into, byte_span bytes) { into->decode(bytes); },
        [](const arena& from) { return plain_registry(from->value()); });
}

}  // namespace

void add_sdp(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data) {
    auto owned = sdp_owned<registry_form>(data);
    const byte_span bytes = owned.bytes();
    const byte_span message =
        owned.keep_bytes(byte_span(taken(sdp::encode_message(registry_form::make(*data)))));
    add_borrowed(owned);
    add_sdp_view<plugins::PluginRegistryView>(owned, sum_of_view);

    subject_builder<plugin_registry> pmr("sdp-pmr", std::string(build::sdp_version), data, bytes);
    using arena = sdp_arena<plugins::pmr::PluginRegistry>;
    const std::size_t memory = 64 * 1024 + 16 * bytes.size();
    const auto& kept = pmr.keep(std::make_unique<arena>(memory));
    kept->decode(pmr.bytes());
    add_sdp_encodings(pmr, kept->value(), pmr.keep_bytes(message));
    add_on_arena<plugins::pmr::PluginRegistry>(pmr, task::decode_arena, memory);
    add_on_arena<plugins::PluginRegistryRef>(pmr, task::decode_borrowed, memory);
    to.push_back(std::move(owned).done());
    to.push_back(std::move(pmr).done());
}

}  // namespace bench
