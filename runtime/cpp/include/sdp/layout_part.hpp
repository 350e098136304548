/// The parts of layout texts: a declared type has its own, and those of all that it reaches are
/// joined when a refusal is named or the text is asked for.
#ifndef SDP_LAYOUT_PART_HPP
#define SDP_LAYOUT_PART_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codec.hpp"
#include "span.hpp"

namespace sdp {

namespace wire {

/// One declared type in layout texts [EVO-5.3].
struct layout_part {
    /// The type's block without the numbers of blocks: its own, and those behind each #, which
    /// stands for one of the types.
    std::string_view text;
    span<const layout_part* const> types;
};

/// The part of a codec's type, which is there before any code of a program runs.
template <class Codec, class Types = typename Codec::layout_types>
struct part_of;

template <class Codec, class... Types>
struct part_of<Codec, codec_list<Types...>> {
    static const layout_part value;

   private:
    // Types may hold each other, so that only addresses are here. The last is nobody's: an array
    // has at least one element.
    static const layout_part* const types[sizeof...(Types) + 1];
};

template <class Codec, class... Types>
const layout_part* const part_of<Codec, codec_list<Types...>>::types[sizeof...(Types) + 1]{
    &part_of<Types>::value...};

template <class Codec, class... Types>
const layout_part part_of<Codec, codec_list<Types...>>::value{Codec::layout,
                                                              {types, sizeof...(Types)}};

/// The numbers of the blocks of a layout text.
class layout_numbers {
   public:
    /// Adds a block if it has no number yet, and says whether it had none.
    bool add(const layout_part& part) {
        const auto at = find(part);
        const bool is_new = at == all_.end() || at->part != &part;
        if (is_new) {
            all_.insert(at, {&part, all_.size()});
        }
        return is_new;
    }

    [[nodiscard]] std::size_t of(const layout_part& part) const { return find(part)->number; }

   private:
    struct numbered {
        const layout_part* part;
        std::size_t number;
    };

    [[nodiscard]] std::vector<numbered>::const_iterator find(const layout_part& part) const {
        const auto is_before = [](const numbered& one, const layout_part* other) {
            return std::less<>()(one.part, other);
        };
        return std::lower_bound(all_.begin(), all_.end(), &part, is_before);
    }

    /// In the order of the parts' addresses.
    std::vector<numbered> all_;
};

/// The canonical layout text of a part's type and of all that it reaches [EVO-5.2].
[[nodiscard]] inline std::string join_layout(const layout_part& root) {
    // Types get their numbers in order of first mention, depth first.
    layout_numbers numbers;
    std::vector<const layout_part*> parts;
    std::vector<const layout_part*> next{&root};
    std::size_t room = 0;
    while (!next.empty()) {
        const layout_part* const part = next.back();
        next.pop_back();
        if (numbers.add(*part)) {
            parts.push_back(part);
            next.insert(next.end(), part->types.begin(), part->types.end());
            std::reverse(next.end() - static_cast<std::ptrdiff_t>(part->types.size()), next.end());
            room += part->text.size() + std::string_view("10 ").size() +
                    std::string_view("10").size() * part->types.size();
        }
    }
    std::string text;
    text.reserve(room);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += std::to_string(i) + " ";
        std::string_view rest = parts[i]->text;
        for (const layout_part* const named : parts[i]->types) {
            const std::size_t mark = rest.find('#') + 1;
            text += rest.substr(0, mark);
            text += std::to_string(numbers.of(*named));
            rest.remove_prefix(mark);
        }
        text += rest;
    }
    return text;
}

}  // namespace wire

template <class T>
std::string layout() {
    return wire::join_layout(wire::part_of<typename T::sdp_codec>::value);
}

}  // namespace sdp

#endif  // SDP_LAYOUT_PART_HPP
