/// How much a connection does for its peer at a time.
#ifndef MXP_ENGINE_ORDER_HPP
#define MXP_ENGINE_ORDER_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "parcel.hpp"
#include "sdp/span.hpp"

namespace mxp::engine {

/// Events of one frame whose handlers have not begun.
struct event_backlog {
    /// Behind the bytes of their `CallStart`.
    parcel values;
    std::size_t start = 0;

    [[nodiscard]] bytes_view start_bytes() const noexcept { return values.first(start); }
};

/// A connection's turn: its handlers take so many values of the peer's, and then others have
/// theirs. Values that are left wait, and nothing more is read before them.
class turn {
   public:
    /// How many values a turn has.
    static constexpr std::size_t most = 256;

    [[nodiscard]] std::size_t left() const noexcept { return left_; }
    [[nodiscard]] bool is_spent() const noexcept { return left_ == 0; }
    void spend(std::size_t values) noexcept { left_ -= values < left_ ? values : left_; }
    /// Says that the next one is waited for, and whether it was not before.
    [[nodiscard]] bool await() noexcept { return !std::exchange(is_awaited_, true); }
    [[nodiscard]] bool is_awaited() const noexcept { return is_awaited_; }
    /// Begins, and says whether it was waited for.
    bool begin() noexcept {
        left_ = most;
        return std::exchange(is_awaited_, false);
    }
    /// The bytes of the events that are left.
    [[nodiscard]] std::size_t held() const noexcept { return rest ? rest->values.held() : 0; }

    /// Drops the events that are left, and all events that come behind them.
    void drop() {
        rest.reset();
        drops_ = true;
    }
    [[nodiscard]] bool drops() const noexcept { return drops_; }

    /// The events that are left.
    std::optional<event_backlog> rest;

   private:
    std::size_t left_ = most;
    bool is_awaited_ = false;
    bool drops_ = false;
};

/// Views of values that are told together. The places that are not taken hold nothing: to clear
/// all of them would take longer than to tell a value.
class views {
   public:
    views() noexcept {}

    void push_back(bytes_view value) noexcept { values_[size_++] = value; }
    void clear() noexcept { size_ = 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] sdp::span<const bytes_view> all() const noexcept {
        return {values_.data(), size_};
    }

   private:
    std::size_t size_ = 0;
    union {
        std::array<bytes_view, turn::most> values_;
    };
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_ORDER_HPP
