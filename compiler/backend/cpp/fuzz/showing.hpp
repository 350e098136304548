/// Compares what views show with the values that are decoded of the same bytes.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "plugins.hpp"
#include "shapes.hpp"

namespace fuzz {

/// Whether a view shows a value. Each function takes a struct apart, so that a field that it lacks
/// doesn't compile.
class shows {
   public:
    static bool same(const plugins::ParameterView& view, const plugins::Parameter& value) {
        const auto& [address, display_name, identifier, unit, min_value, max_value, default_value,
                     current_value, raw_flags, is_writable, can_ramp] = value;
        return same(view.address(), address) && same(view.display_name(), display_name) &&
               same(view.identifier(), identifier) && same(view.unit(), unit) &&
               same(view.min_value(), min_value) && same(view.max_value(), max_value) &&
               same(view.default_value(), default_value) &&
               same(view.current_value(), current_value) && same(view.raw_flags(), raw_flags) &&
               same(view.is_writable(), is_writable) && same(view.can_ramp(), can_ramp);
    }
    static bool same(const plugins::PluginView& view, const plugins::Plugin& value) {
        const auto& [name, manufacturer, uri, class_, parameters] = value;
        return same(view.name(), name) && same(view.manufacturer(), manufacturer) &&
               same(view.uri(), uri) && same(view.class_(), class_) &&
               same(view.parameters(), parameters);
    }
    static bool same(const plugins::PluginRegistryView& view,
                     const plugins::PluginRegistry& value) {
        const auto& [list, plugin_count, parameter_count] = value;
        return same(view.plugins(), list) && same(view.total_plugin_count(), plugin_count) &&
               same(view.total_parameter_count(), parameter_count);
    }
    static bool same(const shapes::ScalarsView& view, const shapes::Scalars& value) {
        const auto& [b, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, at, took, id, kind, mode,
                     gain] = value;
        return same(view.b(), b) && same(view.u8(), u8) && same(view.u16(), u16) &&
               same(view.u32(), u32) && same(view.u64(), u64) && same(view.i8(), i8) &&
               same(view.i16(), i16) && same(view.i32(), i32) && same(view.i64(), i64) &&
               same(view.f32(), f32) && same(view.f64(), f64) && same(view.at(), at) &&
               same(view.took(), took) && same(view.id(), id) && same(view.kind(), kind) &&
               same(view.mode(), mode) && same(view.gain(), gain);
    }
    static bool same(const shapes::PointView& view, const shapes::Point& value) {
        const auto& [x, y] = value;
        return same(view.x(), x) && same(view.y(), y);
    }
    static bool same(const shapes::LargeView& view, const shapes::Large& value) {
        const auto& [a, name] = value;
        return same(view.a(), a) && same(view.name(), name);
    }
    static bool same(const shapes::NodeView& view, const shapes::Node& value) {
        const auto& [number, left, right] = value;
        return same(view.value(), number) && same(view.left(), left) && same(view.right(), right);
    }
    static bool same(const shapes::SettingsView& view, const shapes::Settings& value) {
        const auto& [rate, title, limit, mode, origin] = value;
        return same(view.rate(), rate) && same(view.title(), title) && same(view.limit(), limit) &&
               same(view.mode(), mode) && same(view.origin(), origin);
    }
    static bool same(const shapes::KeptView& view, const shapes::Kept& value) {
        const auto& [a, b, unknown_fields] = value;
        return same(view.a(), a) && same(view.b(), b) &&
               same(view.unknown_fields(), unknown_fields);
    }
    static bool same(const shapes::EventChangedView& view, const shapes::Event::Changed& value) {
        const auto& [id, number] = value;
        return same(view.id(), id) && same(view.value(), number);
    }
    static bool same(const shapes::EventView& view, const shapes::Event& value) {
        const auto& of = value.value;
        const auto* loaded = std::get_if<1>(&of);
        const auto* changed = std::get_if<2>(&of);
        const auto* renamed = std::get_if<4>(&of);
        const auto* applied = std::get_if<5>(&of);
        const auto* unknown = std::get_if<6>(&of);
        const bool is_stopped = of.index() == 3;
        static_assert(std::variant_size_v<std::decay_t<decltype(of)>> == 7);
        const std::size_t tag = unknown == nullptr ? of.index() : unknown->tag;
        return view.tag() == tag && view.stopped() == is_stopped &&
               has(view.loaded(), loaded == nullptr ? nullptr : &loaded->value) &&
               has(view.changed(), changed) &&
               has(view.renamed(), renamed == nullptr ? nullptr : &renamed->value) &&
               has(view.applied(), applied == nullptr ? nullptr : &applied->value) &&
               has(view.unknown(), unknown);
    }
    static bool same(const shapes::ChoiceView& view, const shapes::Choice& value) {
        const auto& of = value.value;
        const auto* number = std::get_if<1>(&of);
        const auto* text = std::get_if<2>(&of);
        const bool is_nothing = of.index() == 3;
        static_assert(std::variant_size_v<std::decay_t<decltype(of)>> == 4);
        return view.tag() == of.index() && view.nothing() == is_nothing &&
               has(view.number(), number == nullptr ? nullptr : &number->value) &&
               has(view.text(), text == nullptr ? nullptr : &text->value);
    }
    static bool same(const shapes::EverythingView& view, const shapes::Everything& value) {
        const auto& [scalars, names, short_, bounded, data, points, grid, flags, modes, corner,
                     channels, wide, texts, maybe, maybe_point, maybe_large, maybe_list, maybes,
                     tree, by_name, by_number, by_kind, by_flag, settings, history, kept, event,
                     events, choice, maybe_event, err, len, r, equal, string, type, b,
                     encoded_size] = value;
        return same(view.scalars(), scalars) && same(view.names(), names) &&
               same(view.short_(), short_) && same(view.bounded(), bounded) &&
               same(view.data(), data) && same(view.points(), points) && same(view.grid(), grid) &&
               same(view.flags(), flags) && same(view.modes(), modes) &&
               same(view.corner(), corner) && same(view.channels(), channels) &&
               same(view.wide(), wide) && same(view.texts(), texts) && same(view.maybe(), maybe) &&
               same(view.maybe_point(), maybe_point) && same(view.maybe_large(), maybe_large) &&
               same(view.maybe_list(), maybe_list) && same(view.maybes(), maybes) &&
               same(view.tree(), tree) && same(view.by_name(), by_name) &&
               same(view.by_number(), by_number) && same(view.by_kind(), by_kind) &&
               same(view.by_flag(), by_flag) && same(view.settings(), settings) &&
               same(view.history(), history) && same(view.kept(), kept) &&
               same(view.event(), event) && same(view.events(), events) &&
               same(view.choice(), choice) && same(view.maybe_event(), maybe_event) &&
               same(view.err(), err) && same(view.len(), len) && same(view.r(), r) &&
               same(view.equal(), equal) && same(view.string(), string) &&
               same(view.type(), type) && same(view.b(), b) &&
               same(view.encoded_size(), encoded_size);
    }
    static bool same(const shapes::AbsentView& view, const shapes::Absent& value) {
        const auto& [point] = value;
        return same(view.point(), point);
    }
    static bool same(const shapes::LateView& view, const shapes::Late& value) {
        const auto& [first, numbers, array, points, texts, settings, name, data, id, maybe] = value;
        return same(view.first(), first) && same(view.numbers(), numbers) &&
               same(view.array(), array) && same(view.points(), points) &&
               same(view.texts(), texts) && same(view.settings(), settings) &&
               same(view.name(), name) && same(view.data(), data) && same(view.id(), id) &&
               same(view.maybe(), maybe);
    }
    static bool same(const shapes::LogView& view, const shapes::Log& value) {
        const auto& [events] = value;
        return same(view.events(), events);
    }
    static bool same(const shapes::SparseView& view, const shapes::Sparse& value) {
        const auto& [maps, choices] = value;
        return same(view.maps(), maps) && same(view.choices(), choices);
    }
    static bool same(const shapes::TreeView& view, const shapes::Tree& value) {
        const auto& [kids] = value;
        return same(view.kids(), kids);
    }
    static bool same(const shapes::GridView& view, const shapes::Grid& value) {
        const auto& [cells] = value;
        return same(view.cells(), cells);
    }
    static bool same(const shapes::EmptyView& view, const shapes::Empty& value) {
        const auto& [only] = value;
        return same(view.only(), only);
    }

   private:
    static bool same(std::string_view view, const std::string& value) { return view == value; }
    static bool same(sdp::bytes_view view, const std::vector<std::byte>& value) {
        return view == sdp::bytes_view(value);
    }
    static bool same(const sdp::unknown_ref& view, const sdp::unknown& value) {
        return view.tag == value.tag && view.payload == sdp::bytes_view(value.payload);
    }

    template <class View, class T>
    static bool same(const std::optional<View>& view, const std::optional<T>& value) {
        return has(view, value ? &*value : nullptr);
    }
    template <class View, class T, class Allocator>
    static bool same(const std::optional<View>& view,
                     const sdp::indirect_optional<T, Allocator>& value) {
        return has(view, value ? &*value : nullptr);
    }
    /// An optional value is there in a view if it is in the value that was viewed.
    template <class View, class T>
    static bool has(const std::optional<View>& view, const T* value) {
        return view.has_value() == (value != nullptr) && (!view || same(*view, *value));
    }

    /// Values of fixed size can be reached in any order.
    template <class Shape, class Container>
    static bool all_same(const sdp::view::items<Shape>& view, const Container& values) {
        std::size_t i = 0;
        for (const auto& value : values) {
            if (i == view.size() || !same(view[i], value)) {
                return false;
            }
            ++i;
        }
        return i == view.size() && same_in_order(view, values);
    }
    template <class Shape, class Container>
    static bool all_same(const sdp::view::list<Shape>& view, const Container& values) {
        return view.size() == values.size() && same_in_order(view, values);
    }
    template <class Key, class Value, class Map>
    static bool all_same(const sdp::view::entries<Key, Value>& view, const Map& values) {
        // To find a key takes as long as to go through all.
        constexpr std::size_t few = 20;
        for (const auto& [key, value] : values) {
            if (values.size() > few) {
                break;
            }
            const auto found = view.find(key);
            if (!found || !same(*found, value)) {
                return false;
            }
        }
        return view.size() == values.size() && same_in_order(view, values);
    }
    template <class Range, class Container>
    static bool same_in_order(const Range& view, const Container& values) {
        auto at = view.begin();
        for (const auto& value : values) {
            if (at == view.end() || !same(*at, value)) {
                return false;
            }
            ++at;
        }
        return at == view.end() && view.empty() == values.empty();
    }
    template <class Key, class Value, class OtherKey, class OtherValue>
    static bool same(const std::pair<Key, Value>& view,
                     const std::pair<OtherKey, OtherValue>& value) {
        return same(view.first, value.first) && same(view.second, value.second);
    }

    template <class T>
    static constexpr bool is_indirect = false;
    template <class T, class Allocator>
    static constexpr bool is_indirect<sdp::indirect<T, Allocator>> = true;

    /// Values that lie elsewhere are shown as if they lay here, and scalars and structs of fixed
    /// size as themselves. Numbers with a fraction are compared by their bits: some are equal to
    /// nothing.
    template <class View, class T>
    static bool same(const View& view, const T& value) {
        if constexpr (is_indirect<T>) {
            return same(view, *value);
        } else if constexpr (!std::is_same_v<View, T>) {
            return all_same(view, value);
        } else if constexpr (std::is_floating_point_v<T>) {
            return std::memcmp(&view, &value, sizeof value) == 0;
        } else {
            return view == value;
        }
    }
};

}  // namespace fuzz
