#include "full.hpp"

#include "sdp/sdp.hpp"

namespace fuzz {

namespace {

template <class T>
sample::bytes encoded(const T& value) {
    return sdp::encode(value).value();
}

plugins::PluginRegistry registry() {
    plugins::PluginRegistry registry = sample::registry();
    for (plugins::Plugin& plugin : registry.plugins) {
        plugin.manufacturer = "made by nobody";
        plugin.class_ = "a class whose name is not short";
        for (plugins::Parameter& parameter : plugin.parameters) {
            parameter.identifier = "an identifier that is not short";
            parameter.unit = "dB";
            parameter.is_writable = true;
        }
    }
    return registry;
}

shapes::Settings settings() {
    shapes::Settings settings = sample::everything().history[1];
    settings.rate = 1;
    settings.limit = 2;
    settings.origin = {3, 4};
    return settings;
}

}  // namespace

template <>
sample::bytes full<plugins::PluginRegistry>() {
    return encoded(registry());
}
template <>
sample::bytes full<plugins::Plugin>() {
    return encoded(registry().plugins[0]);
}
template <>
sample::bytes full<plugins::Parameter>() {
    return encoded(registry().plugins[0].parameters[1]);
}
template <>
sample::bytes full<shapes::Everything>() {
    return encoded(sample::everything());
}
template <>
sample::bytes full<shapes::Scalars>() {
    return encoded(sample::everything().scalars);
}
template <>
sample::bytes full<shapes::Point>() {
    return encoded(sample::everything().points[0]);
}
template <>
sample::bytes full<shapes::Event::Changed>() {
    return encoded(shapes::Event::Changed{1, 2});
}
template <>
sample::bytes full<shapes::Large>() {
    return encoded(*sample::everything().maybe_large);
}
template <>
sample::bytes full<shapes::Node>() {
    return encoded(*sample::everything().tree);
}
template <>
sample::bytes full<shapes::Settings>() {
    return encoded(settings());
}
template <>
sample::bytes full<shapes::Kept>() {
    return encoded(sample::everything().kept);
}
template <>
sample::bytes full<shapes::Event>() {
    return encoded(sample::everything().event);
}
template <>
sample::bytes full<shapes::Choice>() {
    return encoded(sample::everything().choice);
}
template <>
sample::bytes full<shapes::Absent>() {
    return encoded(shapes::Absent{shapes::Point{1, 2}});
}
template <>
sample::bytes full<shapes::Late>() {
    shapes::Late late;
    late.first = 1;
    late.numbers = {1, 2};
    late.array = {1, 2, 3, 4};
    late.points = {{{1, 2}, {3, 4}}};
    late.texts = {{"one", std::uint8_t{1}}, {"two", std::uint8_t{2}}};
    late.settings = settings();
    late.name = "a name that is not short at all";
    late.data = sample::from({1, 2, 3});
    late.id.bytes.fill(std::byte{7});
    late.maybe = *sample::everything().maybe_large;
    return encoded(late);
}
template <>
sample::bytes full<shapes::Log>() {
    return encoded(shapes::Log{sample::everything().events});
}
template <>
sample::bytes full<shapes::Sparse>() {
    shapes::Sparse sparse;
    sparse.maps = {{{std::uint8_t{1}, std::uint8_t{2}}}, {}};
    sparse.choices->fill(sample::everything().choice);
    return encoded(sparse);
}
template <>
sample::bytes full<shapes::Tree>() {
    shapes::Tree tree;
    tree.kids.resize(2);
    tree.kids[1].kids.resize(1);
    return encoded(tree);
}
template <>
sample::bytes full<shapes::Grid>() {
    return encoded(shapes::Grid{{{{{{{{{1, 2}, {3}}}}}}, {}}}});
}
template <>
sample::bytes full<shapes::Empty>() {
    return encoded(shapes::Empty{std::uint8_t{1}});
}

}  // namespace fuzz
