/// Reads layout texts.
#ifndef SDP_LAYOUT_PARSE_HPP
#define SDP_LAYOUT_PARSE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "layout_check.hpp"
#include "layout_word.hpp"
#include "scalars_gen.hpp"

namespace sdp::wire::walk {

/// How many lists, arrays, maps and optionals a type expression may hold inside each other
/// [LANG-3.7]. A map's key holds nothing.
inline constexpr std::size_t nesting_max = 64;

/// Reads a layout's lines into a table.
class parser {
   public:
    /// The table so far.
    walk::table table;

    /// Makes room for all that the text can mean: a table that grows would take its memory twice
    /// [WIRE-8.9].
    explicit parser(std::string_view text) {
        std::size_t blocks = 0;
        std::size_t members = 0;
        std::size_t types = 0;
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            if (line.empty() || line.front() == '@') {
                continue;
            }
            if (line.front() != ' ') {
                ++blocks;
                continue;
            }
            // A space before the name, and one before each word of the type.
            ++members;
            types += static_cast<std::size_t>(std::count(line.begin() + 1, line.end(), ' '));
        }
        table.blocks.reserve(blocks);
        table.members.reserve(members);
        table.types.reserve(types);
    }

    /// Reads one line, without its end. It is false for one that no layout has.
    [[nodiscard]] bool line(std::string_view text) {
        if (!text.empty() && text.back() == ' ') {
            return false;
        }
        switch (text.empty() ? '\0' : text.front()) {
        case ' ':
            return member(text.substr(1));
        case '@':
            return next_segment(text.substr(1));
        default:
            return block(text);
        }
    }

   private:
    /// Reads the first line of a block: number, kind, name and the words behind them.
    bool block(std::string_view text) {
        words line{text};
        const auto number = decimal(line.next().value_or(""));
        const std::string_view keyword = line.next().value_or("");
        const std::string_view name = line.next().value_or("");
        walk::block read;
        if (!number || *number != table.blocks.size() || name.empty()) {
            return false;
        }
        if (keyword == "enum") {
            const auto base = scalar_of(line.next().value_or(""));
            if (!base || !base->is_integer()) {
                return false;
            }
            read.base = *base;
        }
        const auto flag = line.next();
        if (line.next() || !kind_of(keyword, read) || (flag && !flag_of(*flag, read))) {
            return false;
        }
        read.first = read.last = static_cast<std::uint32_t>(table.members.size());
        table.blocks.push_back(read);
        segment_ = 1;
        return true;
    }

    static bool kind_of(std::string_view keyword, walk::block& block) {
        if (keyword == "struct") {
            block.kind = block_kind::is_struct;
        } else if (keyword == "message") {
            block.kind = block_kind::message;
        } else if (keyword == "union") {
            block.kind = block_kind::is_union;
        } else {
            block.kind = block_kind::is_enum;
            return keyword == "enum";
        }
        return true;
    }

    /// Reads the flag that a block of some kinds may have.
    static bool flag_of(std::string_view flag, walk::block& block) {
        block.keeps = flag == "keep" && block.kind == block_kind::message;
        block.closed = flag == "closed" &&
                       (block.kind == block_kind::is_union || block.kind == block_kind::is_enum);
        return block.keeps || block.closed;
    }

    bool next_segment(std::string_view number) {
        ++segment_;
        return !table.blocks.empty() && table.blocks.back().kind == block_kind::message &&
               decimal(number) == segment_;
    }

    bool member(std::string_view text) {
        const std::size_t space = text.find(' ');
        if (table.blocks.empty() || space == 0 || space == std::string_view::npos ||
            table.members.size() >= nothing) {
            return false;
        }
        walk::member read{text.substr(0, space), nothing, segment_};
        const std::string_view rest = text.substr(space + 1);
        walk::block& of = table.blocks.back();
        if (of.kind == block_kind::is_enum) {
            const auto bits = enum_bits(of.base, rest);
            if (!bits || !of.closed) {
                return bits.has_value();
            }
            read.number = *bits;
        } else if (of.kind == block_kind::is_union) {
            if (!alternative(rest, read)) {
                return false;
            }
        } else if (!type(rest, read.type)) {
            return false;
        }
        table.members.push_back(read);
        of.last = static_cast<std::uint32_t>(table.members.size());
        return true;
    }

    /// Reads an alternative's tag and payload.
    bool alternative(std::string_view text, walk::member& member) {
        const std::size_t space = text.find(' ');
        if (space != std::string_view::npos && !type(text.substr(space + 1), member.type)) {
            return false;
        }
        const auto tag = decimal(text.substr(0, space));
        member.number = tag.value_or(0);
        return member.number >= 1 && member.number <= 255;
    }

    /// Reads a type expression into the table. It is in prefix notation, so read from its end
    /// what a word holds is there before the word.
    bool type(std::string_view text, std::uint32_t& index) {
        done_.clear();
        // A number, once it was read, and whether it was; gcc can't tell of an optional that it is
        // only read if there is one.
        std::uint64_t n = 0;
        bool counts = false;
        std::size_t nesting = 0;
        for (bool more = true; more;) {
            const std::size_t space = text.rfind(' ');
            more = space != std::string_view::npos;
            const std::string_view name = more ? text.substr(space + 1) : text;
            text = more ? text.substr(0, space) : std::string_view{};
            if (const auto number = counts ? std::nullopt : decimal(name)) {
                n = *number;
                counts = true;
                continue;
            }
            walk::type read;
            if (!(counts ? array(name, n, read) : simple(name, read)) ||
                table.types.size() >= nothing) {
                return false;
            }
            counts = false;
            nesting += read.holds_types() ? 1U : 0U;
            done_.push_back(static_cast<std::uint32_t>(table.types.size()));
            table.types.push_back(read);
        }
        index = done_.empty() ? nothing : done_.back();
        return !counts && done_.size() == 1 && nesting <= nesting_max;
    }

    /// Reads the word before a number.
    bool array(std::string_view name, std::uint64_t n, walk::type& type) {
        type.kind = type_kind::array;
        type.n = n;
        return name == "array" && n > 0 && take(type.part);
    }

    /// Reads one word of a type and takes what it holds.
    bool simple(std::string_view name, walk::type& type) {
        if (const auto known = scalar_of(name)) {
            type.scalar = *known;
            return true;
        }
        if (!name.empty() && name.front() == '#') {
            const auto number = decimal(name.substr(1));
            type.kind = type_kind::block;
            type.part = static_cast<std::uint32_t>(number.value_or(nothing));
            return number && *number < nothing;
        }
        if (name == "opt") {
            type.kind = type_kind::optional;
            return take(type.part);
        }
        return counted(name, type);
    }

    /// Reads a word that names a length or count.
    bool counted(std::string_view name, walk::type& type) {
        length counts;
        if (!length_of(name, counts)) {
            return false;
        }
        type.scalar.width = counts.width;
        type.n = counts.max;
        if (name == "str" || name == "bytes") {
            type.kind = name == "str" ? type_kind::text : type_kind::bytes;
            return true;
        }
        if (name == "list") {
            type.kind = type_kind::list;
            return take(type.part);
        }
        type.kind = type_kind::map;
        return name == "map" && take(type.key) && take(type.part);
    }

    /// Takes the foremost type that no other holds.
    bool take(std::uint32_t& index) {
        if (done_.empty()) {
            return false;
        }
        index = done_.back();
        done_.pop_back();
        return true;
    }

    /// The segment of the fields that follow.
    std::uint64_t segment_ = 1;
    /// The types of the expression that is read which no other type holds yet, the foremost last.
    std::vector<std::uint32_t> done_;
};

/// Puts the numbers of enums and unions in order, for a walk to search. It reports whether the
/// tags of each union differ.
[[nodiscard]] inline bool sort_numbers(table& layout) {
    const auto by_number = [](const member& a, const member& b) { return a.number < b.number; };
    for (const block& of : layout.blocks) {
        if (of.kind != block_kind::is_enum && of.kind != block_kind::is_union) {
            continue;
        }
        // A heap needs fewer functions to be compiled than std::sort, which contains one.
        member* const first = layout.members.data() + of.first;
        member* const last = layout.members.data() + of.last;
        std::make_heap(first, last, by_number);
        std::sort_heap(first, last, by_number);
        for (std::uint32_t i = 1; of.kind == block_kind::is_union && i < of.last - of.first; ++i) {
            if (first[i].number == first[i - 1].number) {
                return false;
            }
        }
    }
    return true;
}

/// Reads a layout text. It takes any text and refuses one that a walk could not follow safely. Its
/// cost is linear in the text.
[[nodiscard]] inline std::optional<table> parse_layout(std::string_view text) {
    parser reader{text};
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos || !reader.line(text.substr(0, end))) {
            return std::nullopt;
        }
        text.remove_prefix(end + 1);
    }
    if (!sort_numbers(reader.table) || !is_sound(reader.table)) {
        return std::nullopt;
    }
    return std::move(reader.table);
}

}  // namespace sdp::wire::walk

#endif  // SDP_LAYOUT_PARSE_HPP
