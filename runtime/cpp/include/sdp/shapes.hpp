/// Shapes of varying size. Each reads a value of any form out of a cursor, or only notes where it
/// lies (`place`); writes it; and measures it. `least` is the smallest size [WIRE-13.1].
#ifndef SDP_SHAPES_HPP
#define SDP_SHAPES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cursor.hpp"
#include "numbers.hpp"
#include "place.hpp"
#include "shapes_fixed.hpp"
#include "spec_gen.hpp"
#include "text.hpp"
#include "values.hpp"
#include "writer.hpp"

namespace sdp::wire {

/// Reads a value of any shape.
template <class Shape, class Decoder, class T>
[[nodiscard, gnu::always_inline]] inline bool read(Decoder& d, cursor& s, T& value,
                                                   std::size_t depth) {
    if constexpr (Shape::fixed) {
        if (!charge<Shape>(d, depth)) {
            return false;
        }
        const std::byte* from = s.take(Shape::bytes);
        if (from == nullptr) {
            return false;
        }
        if constexpr (Shape::checked && !Decoder::trusts) {
            if (!Shape::valid(from)) {
                return false;
            }
        }
        load<Shape>(from, value);
        return true;
    } else {
        return Shape::read(d, s, value, depth);
    }
}

/// Passes over a value, which is validated unless the decoder trusts.
template <class Shape, class Decoder>
[[nodiscard]] bool pass(Decoder& d, cursor& s, std::size_t depth) {
    place passed;
    return read<Shape>(d, s, passed, depth);
}

/// Writes a value of any shape, and returns where the next one goes.
template <class Shape, class T>
[[nodiscard, gnu::always_inline]] inline std::byte* write(writer& w, std::byte* out, const T& value,
                                                          std::size_t depth) {
    if constexpr (Shape::fixed) {
        if constexpr (Shape::levels > 0) {
            if (!w.enter(depth + Shape::levels)) {
                return out;
            }
        }
        if (!encodable<Shape>(value)) {
            w.refuse();
            return out;
        }
        if (!w.room(out, Shape::bytes)) {
            return out;
        }
        Shape::store(out, value);
        return out + Shape::bytes;
    } else {
        return Shape::write(w, out, value, depth);
    }
}

/// How many bytes a value has. Of one that can't be encoded it means nothing.
template <class Shape, class T>
[[nodiscard]] std::size_t size(const T& value, std::size_t depth) {
    if constexpr (Shape::fixed) {
        static_cast<void>(value);
        static_cast<void>(depth);
        return Shape::bytes;
    } else {
        return Shape::size(value, depth);
    }
}

/// The shape of a string behind a length of `Width` bytes.
template <std::size_t Width, std::size_t Max = any>
struct text {
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Width;
    static constexpr std::size_t width = Width;
    static constexpr std::size_t max = Max;

    template <class Decoder, class T>
    [[gnu::always_inline]] static bool read(Decoder&, cursor& s, T& value, std::size_t) {
        const std::byte* start = s.at;
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!s.bytes<Width>(from, n, Max)) {
            return false;
        }
        if constexpr (!Decoder::trusts) {
            if (!is_utf8(from, n)) {
                return false;
            }
        }
        if constexpr (std::is_same_v<T, place>) {
            value = {start, s.at};
        } else {
            static_cast<void>(start);
            assign(value, from, n, static_cast<std::size_t>(s.end - from));
        }
        return true;
    }
    template <class T>
    [[gnu::always_inline]] static std::byte* write(writer& w, std::byte* out, const T& value,
                                                   std::size_t) {
        return w.bytes<Width>(out, data_of(value), value.size(), Max);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t) noexcept {
        return Width + value.size();
    }
};

/// The shape of bytes behind a length of `Width` bytes.
template <std::size_t Width, std::size_t Max = any>
struct blob {
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Width;
    static constexpr std::size_t width = Width;
    static constexpr std::size_t max = Max;

    template <class Decoder, class T>
    static bool read(Decoder&, cursor& s, T& value, std::size_t) {
        const std::byte* start = s.at;
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!s.bytes<Width>(from, n, Max)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            value = {start, s.at};
        } else {
            static_cast<void>(start);
            assign(value, from, n);
        }
        return true;
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t) {
        return w.bytes<Width>(out, data_of(value), value.size(), Max);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t) noexcept {
        return Width + value.size();
    }
};

/// Goes through encoded elements of fixed size by value, so that containers can be made of them.
template <class E, class T>
class loads {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = T;

    loads() = default;
    explicit loads(const std::byte* at) noexcept : at_(at) {}

    T operator*() const noexcept {
        T value{};
        E::load(at_, value);
        return value;
    }
    loads& operator++() noexcept {
        at_ += E::bytes;
        return *this;
    }
    loads operator++(int) noexcept {
        loads before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(loads a, loads b) noexcept { return a.at_ == b.at_; }
    friend bool operator!=(loads a, loads b) noexcept { return a.at_ != b.at_; }

   private:
    const std::byte* at_ = nullptr;
};

/// The shape of a list behind a count of `Width` bytes.
template <std::size_t Width, class E, std::size_t Max = any>
struct list {
    using element = E;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Width;
    static constexpr std::size_t width = Width;
    static constexpr std::size_t max = Max;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        const std::byte* start = s.at;
        std::size_t n = 0;
        if (!d.template count<Width>(s, n, Max, E::least)) {
            return false;
        }
        if constexpr (E::fixed) {
            if (!read_fixed(d, s, value, n, depth)) {
                return false;
            }
        } else if (!read_each(d, s, value, n, depth)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            value = {start, s.at};
        } else {
            static_cast<void>(start);
        }
        return true;
    }

    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        out = w.length<Width>(out, value.size(), Max);
        if constexpr (E::fixed) {
            return write_fixed(w, out, value, depth);
        } else {
            return write_each(w, out, value, depth);
        }
    }

    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        if constexpr (E::fixed) {
            return Width + E::bytes * value.size();
        } else {
            std::size_t n = Width;
            for (const auto& item : value) {
                n += wire::size<E>(item, depth);
            }
            return n;
        }
    }

   private:
    // Elements of varying size are read and written by functions of their own, so that the loops
    // have the registers for themselves. All that they call is compiled into them: in a large
    // source, compilers stop inlining, and decoding would take up to four times as long.

    /// Elements are decoded where they stay.
    template <class Decoder, class T>
    [[gnu::noinline, gnu::flatten]] static bool read_each(Decoder& d, cursor& input, T& value,
                                                          std::size_t n, std::size_t depth) {
        cursor s = input;
        if constexpr (std::is_same_v<T, place>) {
            for (std::size_t i = 0; i < n; ++i) {
                if (!pass<E>(d, s, depth)) {
                    return false;
                }
            }
        } else {
            if (!d.memory(times(n, sizeof(typename T::value_type)), s.at)) {
                return false;
            }
            if (value.size() > n) {
                value.resize(n);
            }
            for (auto& item : value) {
                if (!wire::read<E>(d, s, item, depth)) {
                    return false;
                }
            }
            // New elements are made one by one: they are then in the cache when they are read.
            value.reserve(n);
            while (value.size() < n) {
                if (!wire::read<E>(d, s, added(value, d.resource()), depth)) {
                    return false;
                }
            }
        }
        input = s;
        return true;
    }

    /// Elements of fixed size: one check for all.
    template <class Decoder, class T>
    static bool read_fixed(Decoder& d, cursor& s, T& value, std::size_t n, std::size_t depth) {
        if constexpr (E::levels > 0) {
            if (n > 0 && !d.enter(depth + E::levels)) {
                return false;
            }
        }
        if constexpr (E::elements > 0) {
            if (!d.elements(times(n, E::elements))) {
                return false;
            }
        }
        const std::byte* from = s.take(times(n, E::bytes));
        if (from == nullptr) {
            return false;
        }
        if constexpr (E::checked && !Decoder::trusts) {
            for (std::size_t i = 0; i < n; ++i) {
                if (!E::valid(from + i * E::bytes)) {
                    return false;
                }
            }
        }
        static_cast<void>(depth);
        return keep(d, s, value, from, n);
    }

    template <class Decoder>
    static bool keep(Decoder&, cursor&, place&, const std::byte*, std::size_t) noexcept {
        return true;
    }

    template <class Decoder, class N>
    static bool keep(Decoder& d, cursor& s, numbers<N>& value, const std::byte* from,
                     std::size_t n) {
        if (value.borrow(from, n)) {
            return true;
        }
        if (!d.memory(n * sizeof(N), s.at)) {
            return false;
        }
        value.copy(from, n);
        return true;
    }

    template <class Decoder, class T, class Allocator>
    static bool keep(Decoder& d, cursor& s, std::vector<T, Allocator>& value, const std::byte* from,
                     std::size_t n) {
        if (!d.memory(times(n, sizeof(T)), s.at)) {
            return false;
        }
        if constexpr (E::bytes == 0) {
            // Memory for exactly so many, which resizing would round up.
            value.reserve(n);
            value.resize(n);
            return true;
        } else {
            // Copied at once where numbers lie in memory as on the wire; else one by one.
            if constexpr (E::bulk) {
                const T* there = in_place<T>(from);
                if (there != nullptr && n > value.size()) {
                    value.assign(there, there + n);
                } else {
                    if (n > value.capacity()) {
                        value.clear();
                        value.reserve(n);
                    }
                    value.resize(n);
                    if (n > 0) {
                        std::memcpy(value.data(), from, n * E::bytes);
                    }
                }
            } else {
                value.assign(loads<E, T>(from), loads<E, T>(from + n * E::bytes));
            }
            return true;
        }
    }

    template <class T>
    [[gnu::noinline, gnu::flatten]] static std::byte*
    write_each(writer& w, std::byte* out, const T& value, std::size_t depth) {
        for (const auto& item : value) {
            out = wire::write<E>(w, out, item, depth);
        }
        return out;
    }

    template <class T>
    static std::byte* write_fixed(writer& w, std::byte* out, const T& value, std::size_t depth) {
        if constexpr (E::levels > 0) {
            if (!value.empty() && !w.enter(depth + E::levels)) {
                return out;
            }
        }
        static_cast<void>(depth);
        if (!w.room(out, times(value.size(), E::bytes))) {
            return out;
        }
        if constexpr (E::bulk) {
            if (!value.empty()) {
                std::memcpy(out, value.data(), value.size() * E::bytes);
            }
            return out + value.size() * E::bytes;
        } else {
            for (std::size_t i = 0; i < value.size(); ++i) {
                if (!encodable<E>(value[i])) {
                    w.refuse();
                }
                E::store(out, value[i]);
                out += E::bytes;
            }
            return out;
        }
    }
};

/// The shape of an array of elements of varying size.
template <class E, std::size_t N>
struct array {
    using element = E;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t count = N;
    static constexpr std::size_t least = N * E::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& input, T& value, std::size_t depth) {
        if (!d.elements(N)) {
            return false;
        }
        cursor s = input;
        if constexpr (std::is_same_v<T, place>) {
            for (std::size_t i = 0; i < N; ++i) {
                if (!pass<E>(d, s, depth)) {
                    return false;
                }
            }
            value = {input.at, s.at};
        } else {
            for (auto& item : value) {
                if (!wire::read<E>(d, s, item, depth)) {
                    return false;
                }
            }
        }
        input = s;
        return true;
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        for (const auto& item : value) {
            out = wire::write<E>(w, out, item, depth);
        }
        return out;
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        std::size_t n = 0;
        for (const auto& item : value) {
            n += wire::size<E>(item, depth);
        }
        return n;
    }
};

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
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        out = w.length<Width>(out, value.size(), Max);
        for (const auto& [key, item] : value) {
            out = wire::write<K>(w, out, key, depth);
            out = wire::write<V>(w, out, item, depth);
        }
        return out;
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

/// The shape of a presence byte and perhaps a value.
template <class E>
struct optional {
    using element = E;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = 1;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        const std::byte* start = s.at;
        bool is_present = false;
        if (!s.presence(is_present)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            if (is_present && !pass<E>(d, s, depth)) {
                return false;
            }
            value = {start, s.at};
            return true;
        } else {
            static_cast<void>(start);
            if (!is_present) {
                value.reset();
                return true;
            }
            if (!charge_indirect(d, s, value)) {
                return false;
            }
            return wire::read<E>(d, s, present(value, d.resource()), depth);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        out = w.octet(out, value.has_value() ? 1 : 0);
        return value.has_value() ? wire::write<E>(w, out, *value, depth) : out;
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return 1 + (value.has_value() ? wire::size<E>(*value, depth) : 0);
    }

   private:
    template <class Decoder, class T>
    static bool charge_indirect(Decoder&, cursor&, std::optional<T>&) noexcept {
        return true;
    }
    template <class Decoder, class T, class Allocator>
    static bool charge_indirect(Decoder& d, cursor& s, indirect_optional<T, Allocator>&) noexcept {
        return d.memory(sizeof(T), s.at);
    }
};

/// The shape of what C++ holds in memory of its own; the bytes are those of `E`.
template <class E>
struct boxed {
    using element = E;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = E::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        if constexpr (std::is_same_v<T, place>) {
            return wire::read<E>(d, s, value, depth);
        } else {
            if (!d.memory(sizeof(typename T::value_type), s.at)) {
                return false;
            }
            return wire::read<E>(d, s, *value, depth);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        return wire::write<E>(w, out, *value, depth);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return wire::size<E>(*value, depth);
    }
};

/// The shape of a struct or union of varying size.
template <class Codec>
struct record {
    using codec = Codec;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Codec::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        if constexpr (std::is_same_v<T, place>) {
            const std::byte* start = s.at;
            typename Codec::places passed;
            if (!Codec::read(d, s, passed, depth + 1)) {
                return false;
            }
            value = {start, s.at};
            return true;
        } else {
            return Codec::read(d, s, value, depth + 1);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        return Codec::write(w, out, value, depth + 1);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return depth < limit_depth ? Codec::size(value, depth + 1) : 0;
    }
};

/// The shape of a message behind the length of its body.
template <class Codec>
struct message {
    using codec = Codec;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = 4 + Codec::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        const std::byte* start = s.at;
        cursor body;
        if (!s.window(body)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            typename Codec::places passed;
            if (!Codec::read(d, body, passed, depth + 1)) {
                return false;
            }
            value = {start, s.at};
            return true;
        } else {
            static_cast<void>(start);
            return Codec::read(d, body, value, depth + 1);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* out, const T& value, std::size_t depth) {
        std::byte* body = w.open(out);
        out = Codec::write(w, body, value, depth + 1);
        w.close(body, out);
        return out;
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return depth < limit_depth ? 4 + Codec::size(value, depth + 1) : 4;
    }
};

}  // namespace sdp::wire

#endif  // SDP_SHAPES_HPP
