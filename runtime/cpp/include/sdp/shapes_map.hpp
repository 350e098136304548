/// The shape of maps.
#ifndef SDP_SHAPES_MAP_HPP
#define SDP_SHAPES_MAP_HPP

#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cursor.hpp"
#include "place.hpp"
#include "shape.hpp"
#include "shapes_text.hpp"
#include "values.hpp"
#include "writer.hpp"

namespace sdp::wire {

/// The bytes that an entry of a map costs beyond itself: its node.
inline constexpr std::size_t map_node = 64;

/// The shape of a map behind a count of `Width` bytes.
template <std::size_t Width, class K, class V, std::size_t Max = any>
struct map {
    using key = K;
    using element = V;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Width;
    static constexpr std::size_t width = Width;
    static constexpr std::size_t max = Max;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& input, T& value, std::size_t depth) {
        cursor s = input;
        std::size_t n = 0;
        if (!d.template count<Width>(s, n, Max, K::least + V::least)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            if (!pass_entries(d, s, n, depth)) {
                return false;
            }
            value = {input.at, s.at};
        } else if (!read_entries(d, s, value, n, depth)) {
            return false;
        }
        input = s;
        return true;
    }

    template <class T>
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        output = w.length<Width>(output, value.size(), Max);
        for (const auto& [key, item] : value) {
            output = wire::write<K>(w, output, key, depth);
            output = wire::write<V>(w, output, item, depth);
        }
        return output;
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        if constexpr (K::fixed && V::fixed) {
            return Width + (K::bytes + V::bytes) * value.size();
        } else {
            std::size_t n = Width;
            for (const auto& [key, item] : value) {
                n += wire::size<K>(key, depth) + wire::size<V>(item, depth);
            }
            return n;
        }
    }

   private:
    template <class Decoder, class T>
    static bool read_entries(Decoder& d, cursor& s, T& value, std::size_t n, std::size_t depth) {
        if (!d.memory(times(n, sizeof(typename T::value_type) + map_node), s.at)) {
            return false;
        }
        value.clear();
        for (std::size_t i = 0; i < n; ++i) {
            auto key = made<typename T::key_type>(d.resource());
            if (!wire::read<K>(d, s, key, depth)) {
                return false;
            }
            if (i > 0 && !(std::prev(value.end())->first < key)) {
                return false;
            }
            if (!wire::read<V>(d, s, added(value, std::move(key), d.resource()), depth)) {
                return false;
            }
        }
        return true;
    }

    /// Keys compare as borrowed ones do.
    template <class Decoder>
    static bool pass_entries(Decoder& d, cursor& s, std::size_t n, std::size_t depth) {
        typename borrowed_key<K>::type last{};
        for (std::size_t i = 0; i < n; ++i) {
            typename borrowed_key<K>::type key{};
            if (!wire::read<K>(d, s, key, depth)) {
                return false;
            }
            if constexpr (!Decoder::trusts) {
                if (i > 0 && !(last < key)) {
                    return false;
                }
            }
            last = key;
            if (!pass<V>(d, s, depth)) {
                return false;
            }
        }
        return true;
    }

    template <class Shape>
    struct borrowed_key {
        using type = typename Shape::value_type;
    };
    template <std::size_t W, std::size_t M>
    struct borrowed_key<text<W, M>> {
        using type = std::string_view;
    };
};

}  // namespace sdp::wire

#endif  // SDP_SHAPES_MAP_HPP
