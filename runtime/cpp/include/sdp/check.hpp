/// Names what encoding refuses, and what validating does. Encoders only note that there is
/// something; this second look at the value finds the first such thing in wire order [WIRE-9.1].
#ifndef SDP_CHECK_HPP
#define SDP_CHECK_HPP

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "shapes.hpp"

namespace sdp::wire {

/// The names of a field in the schema and in JSON.
struct field_name {
    std::string_view schema;
    std::string_view json;

    constexpr field_name(const char* name) noexcept : schema(name), json(name) {}
    constexpr field_name(const char* in_schema, std::string_view in_json) noexcept
        : schema(in_schema), json(in_json) {}
};

/// The flaws that are looked for.
struct checks {
    /// Whether strings have to be UTF-8, which encoders trust.
    bool utf8 = false;
    /// Whether the whole is so large that a part may be too large for its length.
    bool large = false;
};

using flaw = std::optional<error>;

[[nodiscard]] inline flaw flaw_of(kind kind) { return error{kind, std::nullopt, {}}; }

[[nodiscard]] inline flaw in_field(flaw fault, std::string_view name) {
    return fault ? flaw(in_field(std::move(*fault), name)) : std::nullopt;
}

[[nodiscard]] inline flaw in_element(flaw fault, std::size_t i) {
    return fault ? flaw(in_element(std::move(*fault), i)) : std::nullopt;
}

template <std::size_t Width>
[[nodiscard]] flaw check_length(std::size_t n, std::size_t max) {
    if (n > max) {
        return flaw_of(kind::limit_max);
    }
    return n > widest<Width> && max == any ? flaw_of(kind::value_too_large) : std::nullopt;
}

/// The first flaw of a value. Its members are one overload for each shape.
struct checker {
    checks how;

    template <std::size_t Width, std::size_t Max, class T>
    [[nodiscard]] flaw check(text<Width, Max>, const T& value, std::size_t) const {
        if (flaw found = check_length<Width>(value.size(), Max)) {
            return found;
        }
        const bool valid = !how.utf8 || is_utf8(data_of(value), value.size());
        return valid ? std::nullopt : flaw_of(kind::utf8_invalid);
    }

    template <std::size_t Width, std::size_t Max, class T>
    [[nodiscard]] flaw check(blob<Width, Max>, const T& value, std::size_t) const {
        return check_length<Width>(value.size(), Max);
    }

    template <std::size_t Width, class E, std::size_t Max, class T>
    [[nodiscard]] flaw check(list<Width, E, Max>, const T& value, std::size_t depth) const {
        if (flaw found = check_length<Width>(value.size(), Max)) {
            return found;
        }
        return check_elements<E>(value, depth);
    }

    template <class E, std::size_t N, class T>
    [[nodiscard]] flaw check(array<E, N>, const T& value, std::size_t depth) const {
        return check_elements<E>(value, depth);
    }

    template <class E, std::size_t N, class T>
    [[nodiscard]] flaw check(fixed_array<E, N>, const T& value, std::size_t depth) const {
        return check_elements<E>(value, depth);
    }

    template <std::size_t Width, class K, class V, std::size_t Max, class T>
    [[nodiscard]] flaw check(map<Width, K, V, Max>, const T& value, std::size_t depth) const {
        if (flaw found = check_length<Width>(value.size(), Max)) {
            return found;
        }
        std::size_t i = 0;
        for (const auto& [key, item] : value) {
            if (flaw found = in_field(check(K(), key, depth), "key")) {
                return in_element(std::move(found), i);
            }
            if (flaw found = in_field(check(V(), item, depth), "value")) {
                return in_element(std::move(found), i);
            }
            ++i;
        }
        return std::nullopt;
    }

    template <class E, class T>
    [[nodiscard]] flaw check(optional<E>, const T& value, std::size_t depth) const {
        return value.has_value() ? check(E(), *value, depth) : std::nullopt;
    }

    template <class E, class T>
    [[nodiscard]] flaw check(boxed<E>, const T& value, std::size_t depth) const {
        return check(E(), *value, depth);
    }

    template <class Codec, class T>
    [[nodiscard]] flaw check(record<Codec>, const T& value, std::size_t depth) const {
        return enter<Codec>(value, depth + 1);
    }

    template <class Codec, class T>
    [[nodiscard]] flaw check(fixed_record<Codec>, const T& value, std::size_t depth) const {
        return enter<Codec>(value, depth + 1);
    }

    template <class Codec, class T>
    [[nodiscard]] flaw check(message<Codec>, const T& value, std::size_t depth) const {
        if (flaw found = enter<Codec>(value, depth + 1)) {
            return found;
        }
        return check_window(how.large ? Codec::size(value, depth + 1) : 0);
    }

    /// A scalar, which only a closed enum can refuse.
    template <class Scalar, class T>
    [[nodiscard]] flaw check(Scalar, const T& value, std::size_t) const {
        static_assert(Scalar::scalar);
        return encodable<Scalar>(value) ? std::nullopt : flaw_of(kind::value_invalid);
    }

    /// A struct, message or union, which `depth` is the level of.
    template <class Codec, class T>
    [[nodiscard]] flaw enter(const T& value, std::size_t depth) const {
        if (depth > limit_depth) {
            return flaw_of(kind::limit_depth);
        }
        fields visit{*this, depth, std::nullopt};
        Codec::fields(visit, value);
        if (!visit.found && Codec::has_window && how.large) {
            return check_window(Codec::size(value, depth) - 5);
        }
        return visit.found;
    }

    [[nodiscard]] static flaw check_window(std::size_t n) {
        return n > widest<4> ? flaw_of(kind::value_too_large) : std::nullopt;
    }

   private:
    template <class E>
    [[nodiscard]] static constexpr bool has_flaws() noexcept {
        if constexpr (E::scalar) {
            return E::partial;
        } else {
            return true;
        }
    }

    template <class E, class T>
    [[nodiscard]] flaw check_elements(const T& value, std::size_t depth) const {
        if constexpr (has_flaws<E>()) {
            std::size_t i = 0;
            for (const auto& item : value) {
                if (flaw found = check(E(), item, depth)) {
                    return in_element(std::move(found), i);
                }
                ++i;
            }
        } else {
            static_cast<void>(value);
            static_cast<void>(depth);
        }
        return std::nullopt;
    }

    /// Goes through what a codec's `fields` shows.
    struct fields {
        const checker& all;
        std::size_t depth;
        flaw found;

        template <class Shape, class T>
        bool field(field_name name, const T& value) {
            found = in_field(all.check(Shape(), value, depth), name.schema);
            return !found;
        }
        template <class Shape, class T>
        bool alternative(field_name name, unsigned, const T& value) {
            return field<Shape>(name, value);
        }
        bool empty_alternative(field_name, unsigned) { return true; }
        template <class T>
        bool unknown(const T& value, bool has_known_tag) {
            if (value.tag == 0 || has_known_tag) {
                found = flaw_of(kind::value_invalid);
            }
            return !found;
        }
        bool unset() {
            found = flaw_of(kind::value_invalid);
            return false;
        }
        /// The bytes that a message keeps for others have no flaws.
        template <class T>
        bool kept(const T&) {
            return true;
        }
    };
};

}  // namespace sdp::wire

#endif  // SDP_CHECK_HPP
