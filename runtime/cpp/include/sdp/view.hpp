/// Parts of views: bytes that were validated once, read where they lie when they
/// are asked for. Nothing here allocates, and nothing fails.
///
/// A view and its parts point into the bytes, which have to outlive them. Ranges hold what they go
/// through, so that one of a view that is gone is still good. Of bytes that change behind a view's
/// back it reads any value, but none beyond them.
#ifndef SDP_VIEW_HPP
#define SDP_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "nonblocking.hpp"
#include "place.hpp"
#include "shapes.hpp"
#include "unions.hpp"

namespace sdp::view {

template <class Shape>
class items;
template <class Shape>
class list;
template <class Key, class Value>
class entries;

/// The form of a shape in a view, and its reader: `step` reads a value and moves behind it.
template <class Shape>
struct view_form {
    // A scalar.
    using type = typename Shape::value_type;
    static type step(wire::cursor& s) noexcept {
        type value{};
        if (const std::byte* from = s.take(Shape::bytes)) {
            Shape::load(from, value);
        }
        return value;
    }
};

/// The value that a view hands out for a shape.
template <class Shape>
using item = typename view_form<Shape>::type;

template <std::size_t Width, std::size_t Max>
struct view_form<wire::text<Width, Max>> {
    using type = std::string_view;
    static type step(wire::cursor& s) noexcept {
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!s.bytes<Width>(from, n, wire::any)) {
            return {};
        }
        return {reinterpret_cast<const char*>(from), n};
    }
};

template <std::size_t Width, std::size_t Max>
struct view_form<wire::blob<Width, Max>> {
    using type = bytes_view;
    static type step(wire::cursor& s) noexcept {
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!s.bytes<Width>(from, n, wire::any)) {
            return {};
        }
        return {from, n};
    }
};

template <class Codec>
struct view_form<wire::fixed_record<Codec>> {
    using type = typename Codec::type;
    static type step(wire::cursor& s) noexcept {
        type value{};
        if (const std::byte* from = s.take(Codec::bytes)) {
            Codec::load(from, value);
        }
        return value;
    }
};

template <class E, std::size_t N>
struct view_form<wire::fixed_array<E, N>> {
    using type = items<E>;
    static type step(wire::cursor& s) noexcept { return type(s.take(N * E::bytes), N); }
};

template <std::size_t Width, class E, std::size_t Max>
struct view_form<wire::list<Width, E, Max>> {
    using type = std::conditional_t<E::fixed, items<E>, list<E>>;
    static type step(wire::cursor& s) noexcept {
        std::size_t n = 0;
        if (!s.length<Width>(n, wire::any)) {
            return {};
        }
        if constexpr (E::fixed) {
            const std::byte* from = s.take(wire::times(n, E::bytes));
            return from == nullptr ? type{} : type(from, n);
        } else {
            const type elements(s, n);
            skip_elements<E>(s, n);
            return elements;
        }
    }

   private:
    template <class Element>
    static void skip_elements(wire::cursor& s, std::size_t n) noexcept {
        wire::reader trusting;
        for (std::size_t i = 0; i < n; ++i) {
            if (!wire::pass<Element>(trusting, s, 0)) {
                return;
            }
        }
    }
};

template <class E, std::size_t N>
struct view_form<wire::array<E, N>> {
    using type = list<E>;
    static type step(wire::cursor& s) noexcept {
        const type elements(s, N);
        wire::reader trusting;
        static_cast<void>(wire::pass<wire::array<E, N>>(trusting, s, 0));
        return elements;
    }
};

template <std::size_t Width, class K, class V, std::size_t Max>
struct view_form<wire::map<Width, K, V, Max>> {
    using type = entries<K, V>;
    static type step(wire::cursor& s) noexcept {
        wire::cursor behind = s;
        wire::reader trusting;
        static_cast<void>(wire::pass<wire::map<Width, K, V, Max>>(trusting, behind, 0));
        std::size_t n = 0;
        const bool whole = s.length<Width>(n, wire::any);
        const wire::cursor first = s;
        s = behind;
        return whole ? type(first, n) : type{};
    }
};

template <class E>
struct view_form<wire::optional<E>> {
    using type = std::optional<item<E>>;
    static type step(wire::cursor& s) noexcept {
        bool is_present = false;
        if (!s.presence(is_present) || !is_present) {
            return std::nullopt;
        }
        return view_form<E>::step(s);
    }
};

template <class E>
struct view_form<wire::boxed<E>> : view_form<E> {};

/// Opens a view without another look at what it is of.
template <class Codec>
[[nodiscard]] typename Codec::view open(wire::cursor& s) noexcept {
    typename Codec::view view;
    wire::reader trusting;
    if (!Codec::read(trusting, s, wire::access::places(view), 0)) {
        view = {};
    }
    return view;
}

template <class Codec>
struct view_form<wire::record<Codec>> {
    using type = typename Codec::view;
    static type step(wire::cursor& s) noexcept { return open<Codec>(s); }
};

template <class Codec>
struct view_form<wire::message<Codec>> {
    using type = typename Codec::view;
    static type step(wire::cursor& s) noexcept {
        wire::cursor body;
        return s.window(body) ? open<Codec>(body) : type{};
    }
};

/// Values of fixed size, one after the other: a range with any order of access. Each is read when
/// it is asked for, since it may lie anywhere. Elements of an array in a segment that the bytes
/// lack lie nowhere, and are zero.
template <class Shape>
class items {
   public:
    using value_type = item<Shape>;

    class iterator {
       public:
        using iterator_category = std::input_iterator_tag;
        using value_type = items::value_type;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = value_type;

        iterator() = default;
        iterator(const std::byte* start, std::size_t i) noexcept : from_(start), i_(i) {}
        value_type operator*() const noexcept SDP_NONBLOCKING { return read(from_, i_); }
        iterator& operator++() noexcept SDP_NONBLOCKING {
            ++i_;
            return *this;
        }
        iterator operator++(int) noexcept SDP_NONBLOCKING {
            iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(iterator a, iterator b) noexcept SDP_NONBLOCKING {
            return a.i_ == b.i_;
        }
        friend bool operator!=(iterator a, iterator b) noexcept SDP_NONBLOCKING {
            return a.i_ != b.i_;
        }

       private:
        const std::byte* from_ = nullptr;
        std::size_t i_ = 0;
    };

    items() = default;
    items(const std::byte* start, std::size_t n) noexcept : from_(start), n_(n) {}

    [[nodiscard]] std::size_t size() const noexcept SDP_NONBLOCKING { return n_; }
    [[nodiscard]] bool empty() const noexcept SDP_NONBLOCKING { return n_ == 0; }
    [[nodiscard]] iterator begin() const noexcept SDP_NONBLOCKING { return {from_, 0}; }
    [[nodiscard]] iterator end() const noexcept SDP_NONBLOCKING { return {from_, n_}; }
    /// The element at a place below `size()`.
    [[nodiscard]] value_type operator[](std::size_t i) const noexcept SDP_NONBLOCKING {
        return read(from_, i);
    }
    /// The bytes of all elements; none if they lie nowhere.
    [[nodiscard]] bytes_view bytes() const noexcept SDP_NONBLOCKING {
        return {from_, from_ == nullptr ? 0 : n_ * Shape::bytes};
    }

   private:
    static value_type read(const std::byte* data, std::size_t i) noexcept {
        wire::cursor s;
        if (data != nullptr) {
            s = {data + i * Shape::bytes, data + (i + 1) * Shape::bytes};
        }
        return view_form<Shape>::step(s);
    }

    const std::byte* from_ = nullptr;
    std::size_t n_ = 0;
};

/// Goes through values of varying size. Each is read once, when it is reached, since only then it
/// is known where the next one lies.
template <class Step>
class walk {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = typename Step::type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    walk() = default;
    walk(wire::cursor rest, std::size_t n) noexcept : rest_(rest), left_(n) { reach(); }
    reference operator*() const noexcept SDP_NONBLOCKING { return reached_; }
    pointer operator->() const noexcept SDP_NONBLOCKING { return &reached_; }
    walk& operator++() noexcept SDP_NONBLOCKING {
        --left_;
        reach();
        return *this;
    }
    walk operator++(int) noexcept SDP_NONBLOCKING {
        walk before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const walk& a, const walk& b) noexcept SDP_NONBLOCKING {
        return a.left_ == b.left_;
    }
    friend bool operator!=(const walk& a, const walk& b) noexcept SDP_NONBLOCKING {
        return !(a == b);
    }

   private:
    void reach() noexcept {
        if (left_ > 0) {
            reached_ = Step::step(rest_);
        }
    }

    wire::cursor rest_;
    std::size_t left_ = 0;
    value_type reached_{};
};

/// Values of varying size, one after the other: a range that is gone through from its start.
template <class Shape>
class list {
   public:
    using value_type = item<Shape>;
    using iterator = walk<view_form<Shape>>;

    list() = default;
    list(wire::cursor elements, std::size_t n) noexcept : elements_(elements), n_(n) {}

    [[nodiscard]] std::size_t size() const noexcept SDP_NONBLOCKING { return n_; }
    [[nodiscard]] bool empty() const noexcept SDP_NONBLOCKING { return n_ == 0; }
    [[nodiscard]] iterator begin() const noexcept SDP_NONBLOCKING {
        return iterator(elements_, n_);
    }
    [[nodiscard]] iterator end() const noexcept SDP_NONBLOCKING { return iterator(elements_, 0); }

   private:
    wire::cursor elements_;
    std::size_t n_ = 0;
};

/// Reads a key and its value.
template <class Key, class Value>
struct entry {
    using type = std::pair<item<Key>, item<Value>>;
    static type step(wire::cursor& s) noexcept {
        item<Key> key = view_form<Key>::step(s);
        return {std::move(key), view_form<Value>::step(s)};
    }
};

/// The entries of a map, in the order of their keys: a range of pairs.
template <class Key, class Value>
class entries {
   public:
    using value_type = typename entry<Key, Value>::type;
    using iterator = walk<entry<Key, Value>>;

    entries() = default;
    entries(wire::cursor first, std::size_t n) noexcept : first_(first), n_(n) {}

    [[nodiscard]] std::size_t size() const noexcept SDP_NONBLOCKING { return n_; }
    [[nodiscard]] bool empty() const noexcept SDP_NONBLOCKING { return n_ == 0; }
    [[nodiscard]] iterator begin() const noexcept SDP_NONBLOCKING { return iterator(first_, n_); }
    [[nodiscard]] iterator end() const noexcept SDP_NONBLOCKING { return iterator(first_, 0); }

    /// The value of a key. It goes through the entries: a view has no index.
    [[nodiscard]] std::optional<item<Value>>
    find(const item<Key>& key) const noexcept SDP_NONBLOCKING {
        for (const auto& [other, value] : *this) {
            if (other == key) {
                return value;
            }
            if (key < other) {
                break;
            }
        }
        return std::nullopt;
    }

   private:
    wire::cursor first_;
    std::size_t n_ = 0;
};

/// Reads a field; of a segment that the bytes lack, what is empty or zero.
template <class Shape>
[[nodiscard]] item<Shape> get(const wire::place& place) noexcept SDP_NONBLOCKING {
    wire::cursor s = place.open();
    return view_form<Shape>::step(s);
}

/// Reads a field; of a segment that the bytes lack, its default.
template <class Shape, class Default>
[[nodiscard]] item<Shape> get(const wire::place& place,
                              const Default& otherwise) noexcept SDP_NONBLOCKING {
    return place.exists() ? get<Shape>(place) : item<Shape>(otherwise);
}

/// Reads the payload of an alternative, if it is that at an index.
template <class Shape>
[[nodiscard]] std::optional<item<Shape>> chosen(const wire::choice& choice,
                                                std::size_t index) noexcept SDP_NONBLOCKING {
    if (choice.index != index) {
        return std::nullopt;
    }
    return get<Shape>(choice.payload);
}

/// An alternative that has no name here, if it is one.
[[nodiscard]] inline std::optional<unknown_ref>
unknown_of(const wire::choice& choice) noexcept SDP_NONBLOCKING {
    if (choice.index != 0 || !choice.payload.exists()) {
        return std::nullopt;
    }
    const wire::cursor payload = choice.payload.open();
    return unknown_ref{static_cast<std::uint8_t>(choice.tag), {payload.at, payload.left()}};
}

/// All bytes of a place.
[[nodiscard]] inline bytes_view bytes_of(const wire::place& place) noexcept SDP_NONBLOCKING {
    const wire::cursor s = place.open();
    return {s.at, s.left()};
}

}  // namespace sdp::view

#endif  // SDP_VIEW_HPP
