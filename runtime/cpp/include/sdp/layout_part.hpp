/// The parts of layout texts: each declared type has a part, and the parts of all types that it
/// reaches are joined when a refusal is named or the text is asked for.
#ifndef SDP_LAYOUT_PART_HPP
#define SDP_LAYOUT_PART_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec.hpp"
#include "span.hpp"

namespace sdp {

namespace wire {

/// One declared type in layout texts [EVO-5.3].
struct layout_part {
    /// The text of the type's block without numbers of blocks: neither its own, nor a number behind
    /// a #. Each # stands for the next of the types.
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

/// The blocks of a layout text, in the order of their numbers, and where each is by its address.
class layout_numbers {
   public:
    /// Gives a block the next number, if it has none yet, and says whether it had none.
    bool add(const layout_part& part) {
        if (parts_.size() >= places_.size() / 2) {
            grow();
        }
        std::uint32_t& place = places_[find(part)];
        if (place != 0) {
            return false;
        }
        parts_.push_back(&part);
        place = static_cast<std::uint32_t>(parts_.size());
        return true;
    }

    [[nodiscard]] std::size_t of(const layout_part& part) const { return places_[find(part)] - 1; }
    [[nodiscard]] const std::vector<const layout_part*>& parts() const { return parts_; }

   private:
    /// The place of a block, or the place that it would have: the first free place from the place
    /// on that its address chooses.
    [[nodiscard]] std::size_t find(const layout_part& part) const {
        std::size_t at = reinterpret_cast<std::uintptr_t>(&part) / sizeof(layout_part);
        for (at &= places_.size() - 1; places_[at] != 0 && parts_[places_[at] - 1] != &part;) {
            at = (at + 1) & (places_.size() - 1);
        }
        return at;
    }

    void grow() {
        places_.assign(places_.empty() ? 16 : places_.size() * 2, 0);
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            places_[find(*parts_[i])] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<const layout_part*> parts_;
    /// Numbers from 1, or 0; a power of two, at least half of which is free.
    std::vector<std::uint32_t> places_;
};

/// The canonical layout text of a part's type and of all that it reaches [EVO-5.2].
[[nodiscard]] inline std::string join_layout(const layout_part& root) {
    // Types get their numbers in order of first mention, depth first.
    layout_numbers numbers;
    std::vector<const layout_part*> next(1, &root);
    std::size_t room = 0;
    while (!next.empty()) {
        const layout_part* const part = next.back();
        next.pop_back();
        if (numbers.add(*part)) {
            for (std::size_t i = part->types.size(); i > 0; --i) {
                next.push_back(part->types[i - 1]);
            }
            room += part->text.size() + std::string_view("10 ").size() +
                    std::string_view("10").size() * part->types.size();
        }
    }
    std::string text;
    text.reserve(room);
    for (std::size_t i = 0; i < numbers.parts().size(); ++i) {
        const layout_part& part = *numbers.parts()[i];
        text += std::to_string(i);
        text += ' ';
        std::string_view rest = part.text;
        for (const layout_part* const named : part.types) {
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
