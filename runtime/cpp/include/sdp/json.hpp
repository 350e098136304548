/// Canonical JSON [JSON]: the same text in every language. It is written here, and not read.
#ifndef SDP_JSON_HPP
#define SDP_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "check.hpp"
#include "json_text.hpp"
#include "result.hpp"
#include "shapes.hpp"
#include "text.hpp"
#include "throwing.hpp"
#include "time.hpp"
#include "uuid.hpp"

namespace sdp::wire {

/// Writes a value as JSON. Its members are one overload for each shape, and say whether the value
/// has JSON; if not, `refused` tells why, and the text means nothing.
struct json_writer {
    std::string text;
    error refused;

    template <std::size_t Width, std::size_t Max, class T>
    [[nodiscard]] bool write(wire::text<Width, Max>, const T& value, std::size_t) {
        if (!is_utf8(data_of(value), value.size())) {
            return refuse(kind::utf8_invalid);
        }
        json_text::append_string(text, {value.data(), value.size()});
        return true;
    }

    template <std::size_t Width, std::size_t Max, class T>
    [[nodiscard]] bool write(blob<Width, Max>, const T& value, std::size_t) {
        json_text::append_bytes(text, {data_of(value), value.size()});
        return true;
    }

    template <std::size_t Width, class E, std::size_t Max, class T>
    [[nodiscard]] bool write(list<Width, E, Max>, const T& value, std::size_t depth) {
        return write_elements<E>(value, depth);
    }

    /// A list of bytes is written as `bytes` are; an array of them is not.
    template <std::size_t Width, std::size_t Max, class T>
    [[nodiscard]] bool write(list<Width, leaf<std::uint8_t>, Max>, const T& value, std::size_t) {
        json_text::append_bytes(text, {data_of(value), value.size()});
        return true;
    }

    template <class E, std::size_t N, class T>
    [[nodiscard]] bool write(array<E, N>, const T& value, std::size_t depth) {
        return write_elements<E>(value, depth);
    }

    template <class E, std::size_t N, class T>
    [[nodiscard]] bool write(fixed_array<E, N>, const T& value, std::size_t depth) {
        return write_elements<E>(value, depth);
    }

    template <std::size_t Width, class K, class V, std::size_t Max, class T>
    [[nodiscard]] bool write(map<Width, K, V, Max>, const T& value, std::size_t depth) {
        std::size_t i = 0;
        text.push_back('{');
        for (const auto& [key, item] : value) {
            separate(i);
            if (!write_key<K>(key, depth)) {
                return behind("key") || behind(i);
            }
            text.push_back(':');
            if (!write(V(), item, depth)) {
                return behind("value") || behind(i);
            }
            ++i;
        }
        text.push_back('}');
        return true;
    }

    template <class E, class T>
    [[nodiscard]] bool write(optional<E>, const T& value, std::size_t depth) {
        if (value.has_value()) {
            return write(E(), *value, depth);
        }
        text.append("null");
        return true;
    }

    template <class E, class T>
    [[nodiscard]] bool write(boxed<E>, const T& value, std::size_t depth) {
        return write(E(), *value, depth);
    }

    template <class Codec, class T>
    [[nodiscard]] bool write(record<Codec>, const T& value, std::size_t depth) {
        return enter<Codec>(value, depth + 1);
    }

    template <class Codec, class T>
    [[nodiscard]] bool write(fixed_record<Codec>, const T& value, std::size_t depth) {
        return enter<Codec>(value, depth + 1);
    }

    template <class Codec, class T>
    [[nodiscard]] bool write(message<Codec>, const T& value, std::size_t depth) {
        return enter<Codec>(value, depth + 1);
    }

    /// A scalar.
    template <class Scalar, class T>
    [[nodiscard]] bool write(Scalar, const T& value, std::size_t) {
        static_assert(Scalar::scalar);
        using type = typename Scalar::value_type;
        if constexpr (std::is_enum_v<type>) {
            return write_enum<Scalar>(value);
        } else if constexpr (std::is_same_v<type, bool>) {
            text.append(value ? "true" : "false");
        } else if constexpr (std::is_floating_point_v<type>) {
            json_text::append_float(text, value);
        } else if constexpr (std::is_integral_v<type>) {
            write_integer(value);
        } else {
            text.append("\"").append(to_string(value)).append("\"");
        }
        return true;
    }

    /// A struct, message or union, which `depth` is the level of.
    template <class Codec, class T>
    [[nodiscard]] bool enter(const T& value, std::size_t depth) {
        if (depth > limit_depth) {
            return refuse(kind::limit_depth);
        }
        text.push_back('{');
        members visit{*this, depth};
        if (!Codec::fields(visit, value)) {
            return false;
        }
        text.push_back('}');
        return true;
    }

   private:
    /// Goes through what a codec's `fields` shows.
    struct members {
        json_writer& all;
        std::size_t depth;
        std::size_t count = 0;

        template <class Shape, class T>
        bool field(field_name name, const T& value) {
            start(name.json);
            return all.write(Shape(), value, depth) || all.behind(name.schema);
        }
        template <class Shape, class T>
        bool alternative(field_name name, unsigned, const T& value) {
            return field<Shape>(name, value);
        }
        bool empty_alternative(field_name name, unsigned) {
            start(name.json);
            all.text.append("null");
            return true;
        }
        template <class T>
        bool unknown(const T& value, bool has_known_tag) {
            if (value.tag == 0 || has_known_tag) {
                return all.refuse(kind::value_invalid);
            }
            start("$unknown");
            all.text.append("{\"tag\":");
            all.write_integer(value.tag);
            all.text.append(",\"payload\":");
            json_text::append_bytes(all.text, {data_of(value.payload), value.payload.size()});
            all.text.push_back('}');
            return true;
        }
        bool unset() { return all.refuse(kind::value_invalid); }
        template <class T>
        bool kept(const T& value) {
            if (!value.empty()) {
                start("$unknown");
                json_text::append_bytes(all.text, {data_of(value), value.size()});
            }
            return true;
        }

       private:
        void start(std::string_view key) {
            all.separate(count++);
            json_text::append_string(all.text, key);
            all.text.push_back(':');
        }
    };

    template <class E, class T>
    [[nodiscard]] bool write_elements(const T& value, std::size_t depth) {
        std::size_t i = 0;
        text.push_back('[');
        for (const auto& item : value) {
            separate(i);
            if (!write(E(), item, depth)) {
                return behind(i);
            }
            ++i;
        }
        text.push_back(']');
        return true;
    }

    /// A key is a string in JSON, also for a type of keys that is none [JSON-4.6].
    template <class K, class T>
    [[nodiscard]] bool write_key(const T& key, std::size_t depth) {
        const std::size_t start = text.size();
        if (!write(K(), key, depth)) {
            return false;
        }
        if (text[start] != '"') {
            text.insert(start, 1, '"').push_back('"');
        }
        return true;
    }

    /// Not every reader of JSON keeps all digits of a long number, which is a string therefore.
    template <class Integer>
    void write_integer(Integer value) {
        const std::string_view quote = sizeof(Integer) == 8 ? "\"" : "";
        text.append(quote);
        if constexpr (std::is_signed_v<Integer>) {
            json_text::append_integer(text, std::int64_t{value});
        } else {
            json_text::append_integer(text, std::uint64_t{value});
        }
        text.append(quote);
    }

    template <class Scalar, class T>
    [[nodiscard]] bool write_enum(T value) {
        if (!encodable<Scalar>(value)) {
            return refuse(kind::value_invalid);
        }
        const std::string_view name = Scalar::codec::json_name(value);
        if (name.empty()) {
            write_integer(static_cast<std::underlying_type_t<T>>(value));
        } else {
            json_text::append_string(text, name);
        }
        return true;
    }

    void separate(std::size_t i) {
        if (i > 0) {
            text.push_back(',');
        }
    }

    // A refusal returns false, through all that it lies in.

    [[nodiscard]] bool refuse(kind kind) {
        refused.kind = kind;
        return false;
    }
    [[nodiscard]] bool behind(std::string_view name) {
        refused = in_field(std::move(refused), name);
        return false;
    }
    [[nodiscard]] bool behind(std::size_t i) {
        refused = in_element(std::move(refused), i);
        return false;
    }
};

}  // namespace sdp::wire

namespace sdp {

/// Returns the canonical JSON of a value of any form but a view. It refuses the first thing in the
/// value that has no JSON: a string that isn't UTF-8, an unset union, an unknown alternative with a
/// known tag, a closed enum's number without a name, too deep a level. Bounds of `@max` and widths
/// are for encoding to check.
template <class T>
[[nodiscard]] result<std::string> to_json(const T& value) {
    using codec = typename T::sdp_codec;
    static_assert(!codec::template is_view<T>, "JSON is written of a view's value: decode it");
    wire::json_writer writer;
    if (!writer.template enter<codec>(value, 1)) {
        return unexpected(std::move(writer.refused));
    }
    return std::move(writer.text);
}

#if defined(__cpp_exceptions)

/// Returns the JSON, or throws `sdp::exception` where `to_json` would return an error.
template <class T>
[[nodiscard]] std::string to_json(const T& value, throws_t) {
    return or_throw(to_json(value));
}

#endif

}  // namespace sdp

#endif  // SDP_JSON_HPP
