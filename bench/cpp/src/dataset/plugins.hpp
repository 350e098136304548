#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// One control port of a plugin.
struct parameter {
    std::uint64_t address;
    std::string display_name;
    std::string identifier;
    std::string unit;
    float min_value;
    float max_value;
    float default_value;
    float current_value;
    std::uint32_t raw_flags;
    bool is_writable;
    bool can_ramp;

    bool operator==(const parameter&) const = default;
};

/// One plugin with all of its parameters. Its class is `class_name` here, since `class` is C++'s.
struct plugin {
    std::string name;
    std::string manufacturer;
    std::string uri;
    std::string class_name;
    std::vector<parameter> parameters;

    bool operator==(const plugin&) const = default;
};

/// The plugin registry of `bench/schemas/plugins.sdp`: all plugins that a host found.
struct plugin_registry {
    /// The data set's name in results and on the command line.
    static constexpr std::string_view dataset = "lv2-62";

    std::vector<plugin> plugins;
    std::uint32_t total_plugin_count;
    std::uint32_t total_parameter_count;

    bool operator==(const plugin_registry&) const = default;

    /// Reads it from the example's folder, which is found from `bench/data`.
    static plugin_registry load(const std::filesystem::path& data);

    /// The sum that a reader of every field comes to.
    std::uint64_t sum() const;
};

}  // namespace bench
