/// Walks bytes item by item, as WIRE-1.7 says, and stops at the first check that fails.
#ifndef SDP_WALKER_HPP
#define SDP_WALKER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder.hpp"
#include "layout.hpp"
#include "limits.hpp"
#include "span.hpp"
#include "spec_gen.hpp"
#include "walk_frame.hpp"

namespace sdp::wire::walk {

/// The finding of a walk, in the value that the frames lead to.
struct refusal {
    sdp::kind kind;
    std::size_t at;
};

/// Reads a number of up to eight bytes.
[[nodiscard]] inline std::uint64_t bits(bytes_view bytes) noexcept {
    std::uint64_t n = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        n = n << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return n;
}

/// Where a walk stands. Every step is false where it refuses.
class walker {
   public:
    walker(const table& layout, bytes_view input, bool exact, const limits& most,
           std::optional<std::size_t> memory_at)
        : layout_(layout),
          input_(input),
          window_{input.size(), kind::truncated},
          exact_(exact),
          depth_max_(most.depth),
          elements_(most.elements),
          memory_at_(memory_at.value_or(std::numeric_limits<std::size_t>::max())) {}

    /// Walks the root type, and returns what is refused.
    [[nodiscard]] std::optional<refusal> walk(mode mode) {
        bool fine =
            layout_.blocks.front().kind == block_kind::message ? top_message() : aggregate(0);
        while (fine && !frames_.empty()) {
            fine = step();
        }
        if (fine && at_ < input_.size() && mode == mode::whole) {
            fine = refuse(kind::trailing_bytes, at_);
        }
        if (fine && memory_at_ <= input_.size()) {
            fine = refuse(kind::limit_memory_bytes, memory_at_);
        }
        return fine ? std::nullopt : std::optional{refusal_};
    }

    /// The path to the value that the walk is in, as WIRE-1.5 spells it.
    [[nodiscard]] std::string path() const {
        std::string path;
        for (const frame& of : frames_) {
            if (const std::uint64_t count = begun(of); count > 0) {
                path.append("[").append(std::to_string(count - 1)).append("]");
            }
            if (const std::string_view name = part_name(of, layout_); !name.empty()) {
                path.append(path.empty() ? "" : ".").append(name);
            }
        }
        return path;
    }

   private:
    bool refuse(kind kind, std::size_t position) noexcept {
        refusal_ = {kind, position};
        return false;
    }

    /// How many bytes the innermost window has left.
    [[nodiscard]] std::size_t rest() const noexcept { return window_.end - at_; }

    /// Passes an item of `n` bytes.
    [[nodiscard]] bool item(std::size_t n) noexcept {
        if (n > rest()) {
            return refuse(window_.over, at_);
        }
        at_ += n;
        return true;
    }

    /// Passes an item that is a number and reads its bits.
    [[nodiscard]] bool number(std::uint8_t width, std::uint64_t& n) noexcept {
        if (!item(width)) {
            return false;
        }
        n = bits(passed(at_ - width));
        return true;
    }

    /// The bytes from a place up to where the walk stands.
    [[nodiscard]] bytes_view passed(std::size_t start) const noexcept {
        return bytes_view{input_.data() + start, at_ - start};
    }

    /// Stands where a decoder may ask for memory: behind the checks of the item that starts at the
    /// given place.
    [[nodiscard]] bool ask(std::size_t position) noexcept {
        return at_ < memory_at_ || refuse(kind::limit_memory_bytes, position);
    }

    /// Makes the next `n` bytes, which are there, the innermost window, and returns the outer one.
    [[nodiscard]] window narrow(std::size_t n, kind refusal) noexcept {
        return std::exchange(window_, window{at_ + n, refusal});
    }

    [[nodiscard]] bool step();

    // Structs, messages and unions.
    [[nodiscard]] bool top_message();
    [[nodiscard]] bool aggregate(std::uint32_t index);
    [[nodiscard]] bool enter() noexcept;
    void fields(std::uint32_t index, window outer);
    [[nodiscard]] bool field(frame frame);
    [[nodiscard]] bool starts_segment(const block& block, std::size_t index) const noexcept;
    [[nodiscard]] bool leave_fields(const frame& frame);
    [[nodiscard]] bool tail(bool keeps) noexcept;
    [[nodiscard]] bool union_value(const block& block);
    [[nodiscard]] bool leave_union(const frame& frame) noexcept;
    [[nodiscard]] bool contents(const member& row);

    // Values without fields.
    [[nodiscard]] bool value(std::uint32_t index);
    [[nodiscard]] bool flag(kind invalid, bool& set) noexcept;
    [[nodiscard]] bool presence(bool& present) noexcept;
    [[nodiscard]] bool scalar_value(scalar scalar) noexcept;
    [[nodiscard]] bool enumeration(const block& block) noexcept;
    [[nodiscard]] bool length_item(length length, std::size_t& n) noexcept;
    [[nodiscard]] bool bytes(length length) noexcept;
    [[nodiscard]] bool text(length length) noexcept;
    [[nodiscard]] bool count(length length, std::uint64_t least, std::uint64_t& n) noexcept;
    [[nodiscard]] bool charge(std::uint64_t n, std::size_t position) noexcept;
    [[nodiscard]] bool list(const type& type);
    [[nodiscard]] bool array(const type& type);
    void elements(std::uint32_t element, std::uint64_t n);
    [[nodiscard]] bool map(const type& type);
    [[nodiscard]] bool entry(frame frame);
    [[nodiscard]] bool is_less(const type& key, bytes_view a, bytes_view b) const noexcept;

    const table& layout_;
    bytes_view input_;
    /// The next byte.
    std::size_t at_ = 0;
    /// The innermost window.
    window window_;
    bool exact_;
    /// The aggregates around the next byte.
    std::size_t depth_ = 0;
    std::size_t depth_max_;
    /// The rest of the budget.
    std::uint64_t elements_;
    std::size_t memory_at_;
    /// The values that the walk is inside of, the innermost last.
    std::vector<frame> frames_;
    refusal refusal_{kind::truncated, 0};
};

}  // namespace sdp::wire::walk

#endif  // SDP_WALKER_HPP
