/// A request from when it is made until it is answered [MXP-5.4].
#ifndef MXP_SESSION_EXCHANGE_HPP
#define MXP_SESSION_EXCHANGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "number.hpp"
#include "parts.hpp"
#include "table.hpp"

namespace mxp::session {

/// One direction of a stream: what is granted and left, and which chunks there were.
class direction {
   public:
    void grant(std::uint64_t messages, std::uint64_t bytes) noexcept {
        messages_ = sum(messages_, messages);
        bytes_ = sum(bytes_, bytes);
        window_ = std::max(window_, bytes_);
    }

    /// Whether what is left suffices for values of `n` bytes together [MXP-8.3].
    [[nodiscard]] bool fits(std::size_t n, std::size_t values = 1) const noexcept {
        return values <= messages_ && n <= bytes_;
    }

    /// The most bytes that ever were left [MXP-8.7].
    [[nodiscard]] std::uint64_t window() const noexcept { return window_; }

    /// The number of the last chunk.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    /// Counts chunks that fit, and returns the number of the last.
    std::uint64_t count(std::size_t n, bool is_final, bool requires_ack,
                        std::size_t values = 1) noexcept {
        messages_ -= values;
        bytes_ -= n;
        number_ += values;
        is_ended_ = is_final;
        if (requires_ack) {
            asked_ = number_;
        }
        return number_;
    }

    /// Whether there can be an Ack of this number [MXP-8.5].
    [[nodiscard]] bool can_ack(std::uint64_t number) const noexcept {
        return acked_ < number && number <= asked_;
    }

    /// Counts an Ack that can be.
    void ack(std::uint64_t number) noexcept { acked_ = number; }

    void end() noexcept { is_ended_ = true; }
    [[nodiscard]] bool is_ended() const noexcept { return is_ended_; }

    /// Whether it has ended, and no Ack is awaited.
    [[nodiscard]] bool is_over() const noexcept { return is_ended_ && acked_ == asked_; }

   private:
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t window_ = 0;
    std::uint64_t number_ = 0;
    /// The last chunk that requires an Ack, and the last that has one.
    std::uint64_t asked_ = 0;
    std::uint64_t acked_ = 0;
    bool is_ended_ = false;
};

/// A request from when it is made until it is answered, on either side.
struct exchange {
    std::uint64_t id = 0;
    /// The trace in the headers of its frames [MXP-5.5].
    std::uint64_t trace = 0;
    purpose kind{};
    bool is_own = false;
    /// Whether it has ended and keeps its place [MXP-7.8].
    bool is_dead = false;
    std::uint64_t begun = 0;
    /// The number of its first frame in the queue, if this side made it.
    std::uint64_t first_frame = 0;
    /// Of its payload.
    std::size_t bytes = 0;
    // Of a stream, as this side sees it.
    direction out{};
    direction in{};

    [[nodiscard]] bool is_over() const noexcept { return out.is_over() && in.is_over(); }
};

}  // namespace mxp::session

#endif  // MXP_SESSION_EXCHANGE_HPP
