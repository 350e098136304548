/// The requests that wait in line, their bytes and their times.
#ifndef MXP_ENGINE_LINE_HPP
#define MXP_ENGINE_LINE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "../session/result.hpp"

namespace mxp::engine {

/// Whether a request was made, or can't be yet: since it is large, or at all.
enum class attempt : std::uint8_t { made, too_large_now, not_now };

/// When a request can be made that a session refuses, whose queue may be full [MXP-14.7]; nothing
/// if it can never be.
[[nodiscard]] inline std::optional<attempt> attempt_after(session::kind refusal, bool is_full) {
    if (refusal == session::kind::limit_queue_bytes) {
        return is_full ? attempt::not_now : attempt::too_large_now;
    }
    const bool has_no_place = refusal == session::kind::limit_in_flight ||
                              refusal == session::kind::limit_in_flight_bytes;
    return has_no_place ? std::optional{attempt::not_now} : std::nullopt;
}

/// Requests in their order, which are also found by their tickets, by their deadlines, and by when
/// they began to wait. While one is in line, these and its `bytes` stay.
template <class Waiting>
class line {
   public:
    using list = std::list<std::shared_ptr<Waiting>>;
    using iterator = typename list::iterator;
    using time = std::chrono::steady_clock::time_point;

    void push_back(std::shared_ptr<Waiting> waiter) {
        bytes_ += cost(*waiter);
        if (waiter->has_deadline()) {
            deadlines_.emplace(waiter->until, waiter->ticket);
        }
        begins_.emplace(waiter->since, waiter->ticket);
        const std::uint64_t ticket = waiter->ticket;
        places_.emplace(ticket, all_.insert(all_.end(), std::move(waiter)));
    }
    /// Takes a request out by its ticket; there may be none.
    [[nodiscard]] std::shared_ptr<Waiting> take(std::uint64_t ticket) {
        const auto place = places_.find(ticket);
        if (place == places_.end()) {
            return nullptr;
        }
        std::shared_ptr<Waiting> one = *place->second;
        erase(place->second);
        return one;
    }
    /// Makes what waits by a function, in its order. Large requests for which there is no room
    /// wait, and all requests behind them too.
    template <class Make>
    void proceed(Make make) {
        bool has_large = false;
        for (auto one = all_.begin(); one != all_.end();) {
            const auto done =
                has_large && (*one)->body.is_large() ? attempt::too_large_now : make(*one);
            if (done == attempt::not_now) {
                return;
            }
            has_large = has_large || done == attempt::too_large_now;
            one = done == attempt::made ? erase(one) : std::next(one);
        }
    }
    /// Whether there is no room for a request behind others: there are so many, or the memory of
    /// the client's connections is used up.
    template <class Budget>
    [[nodiscard]] bool is_full(const Waiting& waiter, std::size_t most,
                               const Budget& budget) const {
        return size() >= most ||
               (!empty() && bytes_ + cost(waiter) + budget.held() > budget.bytes());
    }
    /// Takes a request out that has waited too long: its deadline has passed, or there was no
    /// connection for so long as it waits, and since then. There may be none.
    [[nodiscard]] std::shared_ptr<Waiting> take_late(time now, bool is_connected, time since,
                                                     std::chrono::microseconds patience) {
        auto one = take_from(deadlines_, now);
        const bool is_patient = is_connected || now < since + patience;
        return one || is_patient ? one : take_from(begins_, now - patience);
    }
    /// When the first has waited too long.
    [[nodiscard]] time due(bool is_connected, time since,
                           std::chrono::microseconds patience) const noexcept {
        const time first = first_of(deadlines_);
        return is_connected || empty()
                   ? first
                   : std::min(first, std::max(first_of(begins_), since) + patience);
    }
    /// Empties it.
    [[nodiscard]] list take_all() noexcept {
        bytes_ = 0;
        deadlines_.clear();
        begins_.clear();
        places_.clear();
        return std::exchange(all_, {});
    }

    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

   private:
    /// The bytes that a request counts: its value's, and an estimate of the memory beside it.
    [[nodiscard]] static std::size_t cost(const Waiting& waiter) { return waiter.bytes() + 512; }
    /// Tickets in the order of times.
    using times = std::set<std::pair<time, std::uint64_t>>;

    iterator erase(iterator position) {
        const Waiting& one = **position;
        bytes_ -= cost(one);
        deadlines_.erase({one.until, one.ticket});
        begins_.erase({one.since, one.ticket});
        places_.erase(one.ticket);
        return all_.erase(position);
    }
    [[nodiscard]] static time first_of(const times& schedule) noexcept {
        return schedule.empty() ? time::max() : schedule.begin()->first;
    }
    [[nodiscard]] std::shared_ptr<Waiting> take_from(const times& schedule, time moment) {
        return first_of(schedule) <= moment && !schedule.empty() ? take(schedule.begin()->second)
                                                                 : nullptr;
    }

    list all_;
    std::size_t bytes_ = 0;
    times deadlines_;
    times begins_;
    std::unordered_map<std::uint64_t, iterator> places_;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_LINE_HPP
