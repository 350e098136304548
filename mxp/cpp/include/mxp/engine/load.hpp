/// The memory that a connection holds [MXP-15.2].
#ifndef MXP_ENGINE_LOAD_HPP
#define MXP_ENGINE_LOAD_HPP

#include <algorithm>
#include <cstddef>
#include <string>

namespace mxp::engine {

/// The bytes of a connection that are no session's.
struct load {
    /// Of chunks that their readers have not taken, and of answers that wait for room.
    std::size_t chunks = 0;
    std::size_t late = 0;
    /// Of chunks that wait to be granted.
    std::size_t unsent = 0;
    /// The bytes that the budget was told.
    std::size_t told = 0;

    /// Whether a stream has to end, where so much is held beside what waits to be granted: it is
    /// more than may be, and most of it is chunks [MXP-15.3].
    [[nodiscard]] bool is_overrun(std::size_t bytes, std::size_t most) const noexcept {
        return bytes + unsent > most && chunks + unsent > (bytes + unsent) / 2;
    }
    /// Whether the budget is told that so much is held. A small change is not worth the others'
    /// time, unless they wait for it.
    [[nodiscard]] bool is_news(std::size_t total, bool is_awaited) noexcept {
        if (!is_awaited && std::max(total, told) - std::min(total, told) < step) {
            return false;
        }
        told = total;
        return true;
    }

   private:
    static constexpr std::size_t step = 4096;
};

/// The stream that has most chunks that nobody has taken, or that wait for the peer's grants; null
/// if none has any.
template <class Streams>
[[nodiscard]] auto largest_of(const Streams& streams) {
    typename Streams::mapped_type largest{};
    for (const auto& [id, one] : streams) {
        if (one->held() > (largest == nullptr ? 0 : largest->held())) {
            largest = one;
        }
    }
    return largest;
}

/// Why a stream has ended whose chunks are too many.
[[nodiscard]] inline std::string overrun_text(std::size_t unread, std::size_t unsent,
                                              std::size_t most) {
    return std::string{"its "} + (unread >= unsent ? "unread" : "unsent") + " chunks hold " +
           std::to_string(unread + unsent) + " bytes; the connection may hold " +
           std::to_string(most);
}

}  // namespace mxp::engine

#endif  // MXP_ENGINE_LOAD_HPP
