#include "sample.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

namespace sample {

namespace {

const char* const table = "../rust/testdata/damaged.txt";

bytes of_text(std::string_view text) {
    const sdp::bytes_view view(text);
    return {view.begin(), view.end()};
}

double quiet_nan(std::uint64_t bits) {
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

shapes::Scalars scalars() {
    shapes::Scalars s;
    s.b = true;
    s.u8 = 255;
    s.u16 = 65535;
    s.u32 = 0x80000000;
    s.u64 = std::numeric_limits<std::uint64_t>::max();
    s.i8 = std::numeric_limits<std::int8_t>::min();
    s.i16 = std::numeric_limits<std::int16_t>::min();
    s.i32 = std::numeric_limits<std::int32_t>::min();
    s.i64 = std::numeric_limits<std::int64_t>::min();
    s.f32 = -0.0F;
    s.f64 = quiet_nan(0x7ff8000000000001);
    s.at = sdp::timestamp{1795238299123456789};
    s.took = sdp::duration{-1500000000};
    s.id = sdp::uuid{{std::byte{0x01},
                      std::byte{0x93},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      std::byte{0xff}}};
    s.kind = static_cast<shapes::Kind>(200);
    s.mode = shapes::Mode::Off;
    s.gain = 0.1F;
    return s;
}

shapes::Node node(std::uint32_t value) {
    shapes::Node made;
    made.value = value;
    return made;
}

shapes::Event event() {
    plugins::Parameter parameter;
    parameter.address = 1;
    parameter.unit = "dB";
    parameter.min_value = -24;
    plugins::Plugin plugin;
    plugin.name = "EQ";
    plugin.parameters.push_back(parameter);
    return {shapes::Event::Loaded{plugin}};
}

}  // namespace

shapes::Everything everything() {
    shapes::Everything v;
    v.scalars = scalars();
    v.names = {"", "Calf", "Kompressor f\xc3\xbcr Gitarre", "\xe5\x92\x8c\xe5\xa4\xaa\xe9\xbc\x93"};
    v.short_ = "EQ";
    v.bounded = "four";
    v.data = from({0, 1, 255});
    v.points = {{1, -2}, {std::numeric_limits<float>::infinity(), 0}};
    v.grid = {{1, 2, 3}, {}, {0.5F}};
    v.flags = {true, false, true, true, false, true, false, true, true};
    v.modes = {shapes::Mode::On, shapes::Mode::Off};
    v.corner = {{{3, 0}, {0, 4}}};
    v.channels = {1, 2, 3, 4};
    for (std::uint32_t i = 0; i < 300; ++i) {
        (*v.wide)[i] = i * i;
    }
    v.texts = {"left", "right"};
    v.maybe = 7;
    v.maybe_point = shapes::Point{9, 0};
    v.maybe_large.emplace().name = "large";
    v.maybe_large->a[15] = 3.141592653589793;
    v.maybe_list = {1, 2, 3};
    v.maybes = {"a", std::nullopt, ""};
    v.tree = node(1);
    v.tree->left = node(2);
    v.tree->right = node(3);
    v.tree->right->left = node(4);
    v.by_name = {{"b", {1, 0}}, {"a", {0, 2}}, {"ab", {0, 0}}};
    v.by_number = {
        {std::int16_t{300}, ""}, {std::int16_t{-1}, "minus one"}, {std::int16_t{0}, "zero"}};
    v.by_kind[shapes::Kind::Instrument] = from({1, 2});
    v.by_kind[static_cast<shapes::Kind>(77)];
    v.by_flag = {{true, std::uint8_t{1}}, {false, std::uint8_t{0}}};
    v.settings.rate = 48000;
    v.history.resize(2);
    v.history[1].title = "second";
    v.history[1].limit.reset();
    v.history[1].mode = shapes::Mode::Off;
    v.kept.a = 1;
    v.kept.b = 2;
    v.kept.unknown_fields = of_text("from a newer release");
    v.event = event();
    v.events = {{shapes::Event::Changed{9, -0.5F}},
                {shapes::Event::Stopped{}},
                {shapes::Event::Renamed{"x"}},
                {shapes::Event::Applied{}},
                {sdp::unknown{99, from({0xaa, 0xbb})}}};
    v.choice.value = shapes::Choice::Text{"chosen"};
    v.maybe_event = shapes::Event{sdp::unknown{255, {}}};
    v.err = 1;
    v.len = 2;
    v.r = 3;
    v.equal = 4;
    v.string = 5;
    v.type = 6;
    v.b = 7;
    v.encoded_size = 8;
    return v;
}

plugins::PluginRegistry registry() {
    plugins::PluginRegistry registry;
    for (int i = 0; i < 2; ++i) {
        plugins::Plugin plugin;
        plugin.name = "a plugin whose name is not short " + std::to_string(i);
        plugin.uri = "https://example.org/plugins/" + std::to_string(i);
        for (std::uint64_t j = 0; j < 3; ++j) {
            plugins::Parameter parameter;
            parameter.address = j;
            parameter.display_name = "a parameter whose name is long";
            parameter.max_value = 1.0F;
            parameter.can_ramp = j == 1;
            plugin.parameters.push_back(parameter);
        }
        registry.plugins.push_back(plugin);
    }
    registry.total_plugin_count = 2;
    registry.total_parameter_count = 6;
    return registry;
}

bytes from_hex(std::string_view digits) {
    const auto digit = [](char c) {
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    bytes all;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        all.push_back(static_cast<std::byte>(digit(digits[i]) * 16 + digit(digits[i + 1])));
    }
    return all;
}

bytes from(std::initializer_list<unsigned> numbers) {
    bytes all;
    for (const unsigned number : numbers) {
        all.push_back(static_cast<std::byte>(number));
    }
    return all;
}

bytes table_bytes() {
    std::ifstream file(table);
    for (std::string text; std::getline(file, text);) {
        if (text.rfind("bytes ", 0) == 0) {
            return from_hex(std::string_view(text).substr(6));
        }
    }
    return {};
}

std::vector<line> table_lines(std::string_view damage) {
    std::vector<line> lines;
    std::ifstream file(table);
    for (std::string text; std::getline(file, text);) {
        if (text.rfind(std::string(damage) + " ", 0) != 0) {
            continue;
        }
        std::istringstream rest(text.substr(damage.size() + 1));
        line read{};
        char dash = 0;
        rest >> read.first >> dash >> read.last;
        rest.get();
        std::getline(rest, read.says);
        lines.push_back(std::move(read));
    }
    return lines;
}

}  // namespace sample
