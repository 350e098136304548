/// Preambles of streams, which say a layout in front of messages [WIRE-11.7].
#ifndef SDP_PREAMBLE_HPP
#define SDP_PREAMBLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "header.hpp"
#include "layout_comparison.hpp"
#include "result.hpp"
#include "span.hpp"
#include "spec_gen.hpp"

namespace sdp::wire {

/// The fourth byte of a preamble, where a message has the version.
inline constexpr std::byte preamble_mark{'S'};

/// A header in a stream, or its first bytes. A preamble's is that of a message but for its fourth
/// byte.
class stream_header {
   public:
    explicit stream_header(bytes_view input) noexcept : size_(input.size()) {
        std::memcpy(bytes_.data(), input.data(), size_);
        is_preamble_ = size_ > version_at && bytes_[version_at] == preamble_mark &&
                       std::memcmp(bytes_.data(), magic.data(), version_at) == 0;
        if (is_preamble_) {
            bytes_[version_at] = magic[version_at];
        }
    }

    [[nodiscard]] bool is_preamble() const noexcept { return is_preamble_; }

    /// The header as that of a message.
    [[nodiscard]] bytes_view as_message() const noexcept { return {bytes_.data(), size_}; }

   private:
    std::array<std::byte, header_bytes> bytes_{};
    std::size_t size_;
    bool is_preamble_ = false;
};

/// The refusal of a preamble with a layout text which a reader's own does not read [WIRE-11.9].
[[nodiscard]] inline std::optional<error> refuse_preamble(std::string_view own, bytes_view input) {
    const std::string_view text{reinterpret_cast<const char*>(input.data()), input.size()};
    if (!layouts::is_layout_text(text)) {
        return error{kind::layout_mismatch, header_bytes, {}};
    }
    if (own == text) {
        return std::nullopt;
    }
    layouts::comparison both{own, text};
    std::string path = both.inward().difference({0, 0});
    if (path.empty()) {
        return std::nullopt;
    }
    path.resize(std::min(path.find(':'), path.size()));
    return error{kind::layout_mismatch, header_bytes, std::move(path)};
}

}  // namespace sdp::wire

#endif  // SDP_PREAMBLE_HPP
