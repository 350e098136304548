/// Reads the words of layout texts.
#ifndef SDP_LAYOUT_WORD_HPP
#define SDP_LAYOUT_WORD_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "layout.hpp"

namespace sdp::wire::walk {

/// Reads a number without sign or leading zeros.
[[nodiscard]] inline std::optional<std::uint64_t> decimal(std::string_view text) noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    if (text.empty() || (text.size() > 1 && text.front() == '0')) {
        return std::nullopt;
    }
    std::uint64_t n = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (n > (most - digit) / 10) {
            return std::nullopt;
        }
        n = n * 10 + digit;
    }
    return n;
}

/// The words of a line, which single spaces part.
class words {
   public:
    explicit words(std::string_view line) noexcept : rest_(line) {}

    /// Takes the next word, which two spaces in a row leave empty; there is none behind the last.
    [[nodiscard]] std::optional<std::string_view> next() noexcept {
        if (ended_) {
            return std::nullopt;
        }
        const std::size_t space = rest_.find(' ');
        const std::string_view word = rest_.substr(0, space);
        ended_ = space == std::string_view::npos;
        rest_.remove_prefix(ended_ ? rest_.size() : space + 1);
        return word;
    }

   private:
    std::string_view rest_;
    bool ended_ = false;
};

/// Reads the end of a word that names a length or count, the width and perhaps a bound, and leaves
/// the word's name. It is false for a word without.
[[nodiscard]] inline bool length_of(std::string_view& word, length& length) noexcept {
    length.max = std::numeric_limits<std::uint64_t>::max();
    if (const std::size_t bound = word.find("<="); bound != std::string_view::npos) {
        const auto max = decimal(word.substr(bound + 2));
        if (!max) {
            return false;
        }
        length.max = *max;
        word = word.substr(0, bound);
    }
    const char width = word.empty() ? '\0' : word.back();
    if (width != '1' && width != '2' && width != '4') {
        return false;
    }
    length.width = static_cast<std::uint8_t>(width - '0');
    word.remove_suffix(1);
    return true;
}

/// The number of an enum's member as it stands on the wire, read as an unsigned number.
[[nodiscard]] inline std::optional<std::uint64_t> enum_bits(scalar base,
                                                            std::string_view text) noexcept {
    const std::uint64_t mask = std::numeric_limits<std::uint64_t>::max() >> (64U - 8U * base.width);
    const bool is_signed = base.kind == scalar_kind::is_signed;
    const bool negative = is_signed && !text.empty() && text.front() == '-';
    const auto n = decimal(negative ? text.substr(1) : text);
    const std::uint64_t most = negative ? mask / 2 + 1 : is_signed ? mask / 2 : mask;
    if (!n || *n > most) {
        return std::nullopt;
    }
    return negative ? (0 - *n) & mask : *n;
}

}  // namespace sdp::wire::walk

#endif  // SDP_LAYOUT_WORD_HPP
