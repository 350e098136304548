/// The one error of encoding, decoding and validating.
#ifndef SDP_ERROR_HPP
#define SDP_ERROR_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "spec_gen.hpp"

namespace sdp {

/// The refusal of an encoder, decoder or validator: which rule was broken, where in the bytes, and
/// in which field.
struct error {
    /// The rule, by the same name in every language.
    sdp::kind kind{};
    /// The refused byte, counted from the start of the caller's bytes, of a stream from the start
    /// of its current message. There is none when encoding and validating.
    std::optional<std::size_t> offset{};
    /// The field, for instance `plugins[3].parameters[0].unit`; empty for the value itself.
    std::string path{};

    /// The error as one line, for instance "truncated at byte 3 in gain".
    [[nodiscard]] std::string message() const {
        std::string text{to_string(kind)};
        if (offset) {
            text.append(" at byte ").append(std::to_string(*offset));
        }
        if (!path.empty()) {
            text.append(" in ").append(path);
        }
        return text;
    }

    friend bool operator==(const error& a, const error& b) noexcept {
        return a.kind == b.kind && a.offset == b.offset && a.path == b.path;
    }
    friend bool operator!=(const error& a, const error& b) noexcept { return !(a == b); }
};

namespace wire {

/// Says that the refused value lies behind one more step. Paths grow from the inside out, so that
/// a value without fault pays nothing for them.
[[nodiscard]] inline error behind(error inner, std::string step) {
    if (!inner.path.empty() && inner.path.front() != '[') {
        step.push_back('.');
    }
    inner.path.insert(0, step);
    return inner;
}

/// Says that the refused value lies in a field.
[[nodiscard]] inline error in_field(error inner, std::string_view name) {
    return behind(std::move(inner), std::string{name});
}

/// Says that the refused value lies in an element.
[[nodiscard]] inline error in_element(error inner, std::size_t i) {
    std::string step(1, '[');
    step.append(std::to_string(i)).push_back(']');
    return behind(std::move(inner), std::move(step));
}

}  // namespace wire
}  // namespace sdp

#endif  // SDP_ERROR_HPP
