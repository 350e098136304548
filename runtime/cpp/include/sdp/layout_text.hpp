/// Layout texts of any origin, by their blocks [EVO-5.3]. `layout_parse.hpp` reads only the layout
/// texts that generated code carries.
#ifndef SDP_LAYOUT_TEXT_HPP
#define SDP_LAYOUT_TEXT_HPP

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sdp::layouts {

/// The text for the side that lacks a member.
inline constexpr std::string_view lacking = "nothing";

/// The greatest length of the text of a difference.
inline constexpr std::size_t difference_bytes = 400;

/// A field, a member of an enum, or an alternative.
struct layout_member {
    std::string_view name{};
    /// Of a member, or the tag of an alternative.
    std::string_view number{};
    /// The type of a field, or of an alternative's payload.
    std::vector<std::string_view> words{};
};

/// Cuts a text where a character is. There is always one piece.
[[nodiscard]] inline std::vector<std::string_view> cut(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const std::size_t n = std::min(text.find(separator), text.size());
        pieces.push_back(text.substr(0, n));
        if (n == text.size()) {
            return pieces;
        }
        text.remove_prefix(n + 1);
    }
}

/// The layout of a declared type on the wire.
struct layout_block {
    /// `struct`, `message`, `enum` or `union`.
    std::string_view kind{};
    std::string_view name{};
    /// Of an enum.
    std::string_view base{};
    bool is_closed = false;
    std::vector<layout_member> members{};
    /// How many fields stand before the end of a segment.
    std::set<std::size_t> ends{};

    /// Reads the lines of a block.
    explicit layout_block(std::string_view text) {
        const std::vector<std::string_view> lines = cut(text, '\n');
        std::vector<std::string_view> words = cut(lines.front(), ' ');
        words.resize(std::max<std::size_t>(words.size(), 5));
        kind = words[1];
        name = words[2];
        if (kind == "enum") {
            base = words[3];
            is_closed = words[4] == "closed";
        } else if (kind == "union") {
            is_closed = words[3] == "closed";
        }
        for (std::size_t i = 1; i < lines.size(); ++i) {
            if (lines[i].front() == ' ') {
                add(lines[i].substr(1));
            } else {
                ends.insert(members.size());
            }
        }
    }

    /// The kind of the block, as text.
    [[nodiscard]] std::string shown() const {
        std::string text = is_closed ? "closed " : "";
        text.append(kind);
        if (!base.empty()) {
            text.append(" ").append(base);
        }
        return text;
    }

    /// The place of the member of a name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view text) const {
        const auto found = names_.find(text);
        return found == names_.end() ? std::nullopt : std::optional{found->second};
    }

    /// The member of a number; null if there is none.
    [[nodiscard]] const layout_member* numbered(std::string_view number) const {
        const auto found = numbers_.find(number);
        return found == numbers_.end() ? nullptr : &members[found->second];
    }

    /// The number of the segment that a field is in.
    [[nodiscard]] std::size_t segment(std::size_t field) const {
        return 1 + static_cast<std::size_t>(std::distance(ends.begin(), ends.upper_bound(field)));
    }

   private:
    /// Adds a member, by its line.
    void add(std::string_view line) {
        layout_member made;
        made.words = cut(line, ' ');
        made.name = made.words.front();
        made.words.erase(made.words.begin());
        if ((kind == "enum" || kind == "union") && !made.words.empty()) {
            made.number = made.words.front();
            made.words.erase(made.words.begin());
        }
        names_.emplace(made.name, members.size());
        numbers_.emplace(made.number, members.size());
        members.push_back(std::move(made));
    }

    /// Where the first member of a name stands: a peer's block may have thousands.
    std::map<std::string_view, std::size_t> names_{};
    /// Where the first member of a number stands.
    std::map<std::string_view, std::size_t> numbers_{};
};

/// The number in a word that may name a block.
[[nodiscard]] inline std::optional<std::size_t> reference(std::string_view word) {
    if (word.size() < 2 || word.size() > 7 || word.front() != '#') {
        return std::nullopt;
    }
    std::size_t made = 0;
    for (const char digit : word.substr(1)) {
        if (digit < '0' || digit > '9') {
            return std::nullopt;
        }
        made = 10 * made + static_cast<std::size_t>(digit - '0');
    }
    return made;
}

/// The blocks of a layout text, which refer to it. A block is parsed when it is asked for: a peer's
/// text may have thousands that no type names.
class layout_text {
   public:
    /// Finds the blocks of a text. A text that is no layout text gives blocks too, which differ
    /// from the blocks of any layout text.
    explicit layout_text(std::string_view text) {
        if (!text.empty() && text.back() == '\n') {
            text.remove_suffix(1);
        }
        std::size_t begin = 0;
        std::size_t line = text.find('\n');
        for (; line != std::string_view::npos; line = text.find('\n', line + 1)) {
            if (line + 1 == text.size() || (text[line + 1] != ' ' && text[line + 1] != '@')) {
                texts_.push_back(text.substr(begin, line - begin));
                begin = line + 1;
            }
        }
        texts_.push_back(text.substr(begin));
    }

    /// The lines of each block.
    [[nodiscard]] const std::vector<std::string_view>& texts() const noexcept { return texts_; }

    /// The name of the block at a place.
    [[nodiscard]] std::string_view name(std::size_t place) const {
        std::string_view line = texts_[place].substr(0, texts_[place].find('\n'));
        for (int words = 0; words < 2; ++words) {
            const std::size_t space = line.find(' ');
            line = space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
        }
        return line.substr(0, line.find(' '));
    }

    /// The place of the first block of a name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view text) {
        if (names_.empty()) {
            for (std::size_t i = 0; i < texts_.size(); ++i) {
                const std::string_view one = name(i);
                if (!one.empty()) {
                    names_.emplace(one, i);
                }
            }
        }
        const auto found = names_.find(text);
        return found == names_.end() ? std::nullopt : std::optional{found->second};
    }

    [[nodiscard]] const layout_block& operator[](std::size_t place) const {
        const auto known = blocks_.find(place);
        return known != blocks_.end() ? known->second
                                      : blocks_.emplace(place, texts_[place]).first->second;
    }

    /// The place of the block that a word of a type names.
    [[nodiscard]] std::optional<std::size_t> place(std::string_view word) const {
        const auto made = reference(word);
        return made && *made < texts_.size() ? made : std::nullopt;
    }

    /// A type, with the names of blocks in the places of their numbers. Words beyond the greatest
    /// length of a difference are left out: a short text may name a long name often.
    [[nodiscard]] std::string spell(const std::vector<std::string_view>& words) const {
        std::string text;
        for (std::size_t i = 0; i < words.size() && text.size() <= difference_bytes; ++i) {
            const auto found = place(words[i]);
            text.append(i == 0 ? "" : " ").append(found ? (*this)[*found].name : words[i]);
        }
        return words.empty() ? std::string{lacking} : text;
    }

   private:
    /// The lines of each block.
    std::vector<std::string_view> texts_{};
    /// The blocks that were asked for, by their places.
    mutable std::map<std::size_t, layout_block> blocks_{};
    /// The places of the first blocks of names, once one was looked for.
    std::map<std::string_view, std::size_t> names_{};
};

/// Whether a text may be a layout text: it has a first block, and is ASCII.
[[nodiscard]] inline bool is_layout_text(std::string_view text) noexcept {
    return text.substr(0, 2) == "0 " && std::all_of(text.begin(), text.end(), [](char c) {
               return c == '\n' || (c >= ' ' && c <= '~');
           });
}

}  // namespace sdp::layouts

#endif  // SDP_LAYOUT_TEXT_HPP
