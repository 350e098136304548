/// The one error of writing and reading frames.
#ifndef MXP_ERROR_HPP
#define MXP_ERROR_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

#include "spec_gen.hpp"

namespace mxp {

/// The refusal of writing or reading a frame: which rule was broken, and where in the frame.
struct error {
    /// The rule, by the same name in every language.
    mxp::kind kind{};
    /// Where the frame is refused, counted from its first byte; `kind::buffer_too_small` has none.
    std::optional<std::size_t> offset{};

    /// The error as one line, for instance "frame_type at byte 4".
    [[nodiscard]] std::string message() const {
        std::string text{to_string(kind)};
        if (offset) {
            text.append(" at byte ").append(std::to_string(*offset));
        }
        return text;
    }

    friend bool operator==(const error& a, const error& b) noexcept {
        return a.kind == b.kind && a.offset == b.offset;
    }
    friend bool operator!=(const error& a, const error& b) noexcept { return !(a == b); }
};

static_assert(std::is_trivially_copyable_v<error>);

}  // namespace mxp

#endif  // MXP_ERROR_HPP
