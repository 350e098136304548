#include "plugins.hpp"

#include "json_file.hpp"
#include "sum.hpp"

namespace bench {

static void from_json(const nlohmann::json& from, parameter& to) {
    from.at("address").get_to(to.address);
    from.at("display_name").get_to(to.display_name);
    from.at("identifier").get_to(to.identifier);
    from.at("unit").get_to(to.unit);
    from.at("min_value").get_to(to.min_value);
    from.at("max_value").get_to(to.max_value);
    from.at("default_value").get_to(to.default_value);
    from.at("current_value").get_to(to.current_value);
    from.at("raw_flags").get_to(to.raw_flags);
    from.at("is_writable").get_to(to.is_writable);
    from.at("can_ramp").get_to(to.can_ramp);
}

static void from_json(const nlohmann::json& from, plugin& to) {
    from.at("name").get_to(to.name);
    from.at("manufacturer").get_to(to.manufacturer);
    from.at("uri").get_to(to.uri);
    from.at("class").get_to(to.class_name);
    from.at("parameters").get_to(to.parameters);
}

plugin_registry plugin_registry::load(const std::filesystem::path& data) {
    const nlohmann::json from = read_json(data / "../../examples/registry/lv2-62.json");
    plugin_registry registry{};
    from.at("plugins").get_to(registry.plugins);
    from.at("total_plugin_count").get_to(registry.total_plugin_count);
    from.at("total_parameter_count").get_to(registry.total_parameter_count);
    return registry;
}

std::uint64_t plugin_registry::sum() const {
    checksum sum;
    for (const plugin& each : plugins) {
        sum.text(each.name);
        sum.text(each.manufacturer);
        sum.text(each.uri);
        sum.text(each.class_name);
        for (const parameter& control : each.parameters) {
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
    sum.unsigned_number(total_plugin_count);
    sum.unsigned_number(total_parameter_count);
    return sum.value();
}

}  // namespace bench
