/// Shapes of lists, and of arrays whose elements vary in size.
#ifndef SDP_SHAPES_LIST_HPP
#define SDP_SHAPES_LIST_HPP

#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include "cursor.hpp"
#include "numbers.hpp"
#include "place.hpp"
#include "shape.hpp"
#include "values.hpp"
#include "writer.hpp"

namespace sdp::wire {

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
    explicit loads(const std::byte* position) noexcept : at_(position) {}

    T operator*() const noexcept {
        T value = initial<T>();
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
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        output = w.length<Width>(output, value.size(), Max);
        if constexpr (E::fixed) {
            return write_fixed(w, output, value, depth);
        } else {
            return write_each(w, output, value, depth);
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
    static bool keep(Decoder& d, cursor& s, numbers<N>& value, const std::byte* data,
                     std::size_t n) {
        if (value.borrow(data, n)) {
            return true;
        }
        if (!d.memory(n * sizeof(N), s.at)) {
            return false;
        }
        value.copy(data, n);
        return true;
    }

    template <class Decoder, class T, class Allocator>
    static bool keep(Decoder& d, cursor& s, std::vector<T, Allocator>& value, const std::byte* data,
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
                const T* there = in_place<T>(data);
                if (there != nullptr && n > value.size()) {
                    value.assign(there, there + n);
                } else {
                    if (n > value.capacity()) {
                        value.clear();
                        value.reserve(n);
                    }
                    value.resize(n);
                    if (n > 0) {
                        std::memcpy(value.data(), data, n * E::bytes);
                    }
                }
            } else {
                value.assign(loads<E, T>(data), loads<E, T>(data + n * E::bytes));
            }
            return true;
        }
    }

    template <class T>
    [[gnu::noinline, gnu::flatten]] static std::byte*
    write_each(writer& w, std::byte* output, const T& value, std::size_t depth) {
        for (const auto& item : value) {
            output = wire::write<E>(w, output, item, depth);
        }
        return output;
    }

    template <class T>
    static std::byte* write_fixed(writer& w, std::byte* output, const T& value, std::size_t depth) {
        if constexpr (E::levels > 0) {
            if (!value.empty() && !w.enter(depth + E::levels)) {
                return output;
            }
        }
        static_cast<void>(depth);
        if (!w.room(output, times(value.size(), E::bytes))) {
            return output;
        }
        if constexpr (E::bulk) {
            if (!value.empty()) {
                std::memcpy(output, value.data(), value.size() * E::bytes);
            }
            return output + value.size() * E::bytes;
        } else {
            for (std::size_t i = 0; i < value.size(); ++i) {
                if (!encodable<E>(value[i])) {
                    w.refuse();
                }
                E::store(output, value[i]);
                output += E::bytes;
            }
            return output;
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
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        for (const auto& item : value) {
            output = wire::write<E>(w, output, item, depth);
        }
        return output;
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

}  // namespace sdp::wire

#endif  // SDP_SHAPES_LIST_HPP
