/// A layout text [EVO-5] as a table, which the walk follows.
#ifndef SDP_LAYOUT_HPP
#define SDP_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace sdp::wire::walk {

/// An index that leads nowhere.
inline constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

enum class scalar_kind : std::uint8_t {
    is_unsigned,
    is_signed,
    is_bool,
    /// Cannot be a map's key, and every pattern is valid.
    plain,
};

struct scalar {
    std::uint8_t width = 0;
    scalar_kind kind = scalar_kind::plain;

    [[nodiscard]] bool is_integer() const noexcept {
        return kind == scalar_kind::is_unsigned || kind == scalar_kind::is_signed;
    }
};

/// A length or count: how many bytes it takes, and its bound.
struct length {
    std::uint8_t width = 0;
    std::uint64_t max = 0;
};

enum class type_kind : std::uint8_t { scalar, text, bytes, list, array, optional, map, block };

/// A type expression, its parts by index. A kind uses the members that are for it.
struct type {
    type_kind kind = type_kind::scalar;
    /// Of a scalar; of a string, bytes, a list and a map, its width is that of their length or
    /// count.
    walk::scalar scalar{};
    /// How many elements an array has, and the bound of a length or count.
    std::uint64_t n = 0;
    /// The type of a map's keys.
    std::uint32_t key = nothing;
    /// The type of elements, of a map's values, and of what an optional holds; for a block, that.
    std::uint32_t part = nothing;

    [[nodiscard]] walk::length length() const noexcept { return {scalar.width, n}; }

    [[nodiscard]] bool holds_types() const noexcept {
        return kind == type_kind::list || kind == type_kind::array || kind == type_kind::optional ||
               kind == type_kind::map;
    }
};

/// A field, an alternative or the number of a closed enum.
struct member {
    std::string_view name;
    /// Alternatives may have none, numbers never do.
    std::uint32_t type = nothing;
    /// A field's segment, an alternative's tag, or the bits of an enum's number.
    std::uint64_t number = 0;
};

enum class block_kind : std::uint8_t { is_struct, message, is_union, is_enum };

/// A declared type.
struct block {
    block_kind kind = block_kind::is_struct;
    /// Whether a union or enum is closed.
    bool closed = false;
    /// Whether a message keeps what follows its segments.
    bool keeps = false;
    /// The type of an enum's numbers.
    walk::scalar base{};
    /// The members are those from `first` up to, but not with, `last`. Of enums only the closed
    /// ones have any: nobody asks for the others. The members of enums and unions are sorted by
    /// number.
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    /// How many levels of structs a struct without bytes is made of, itself one of them; 0 for
    /// every other block.
    std::uint32_t levels = 0;
    /// The smallest size of the block's bytes [WIRE-13.1]; of a message, of its body.
    std::uint64_t smallest = 0;
};

/// Blocks refer to their members, members to their types, and types to types and blocks, all by
/// index. Nothing changes a table once it is read, so that walks share it.
struct table {
    std::vector<walk::block> blocks;
    std::vector<walk::member> members;
    std::vector<walk::type> types;

    /// Finds the index of the member of an enum or union that has the number.
    [[nodiscard]] std::optional<std::size_t> numbered(const block& block,
                                                      std::uint64_t number) const noexcept {
        std::size_t low = block.first;
        std::size_t high = block.last;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (members[middle].number < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == block.last || members[low].number != number) {
            return std::nullopt;
        }
        return low;
    }

    /// The scalar that a type's bytes are, an enum's base included; nothing if it is none.
    [[nodiscard]] std::optional<scalar> scalar_of(const type& type) const noexcept {
        if (type.kind == type_kind::scalar) {
            return type.scalar;
        }
        if (type.kind == type_kind::block && blocks[type.part].kind == block_kind::is_enum) {
            return blocks[type.part].base;
        }
        return std::nullopt;
    }
};

}  // namespace sdp::wire::walk

#endif  // SDP_LAYOUT_HPP
