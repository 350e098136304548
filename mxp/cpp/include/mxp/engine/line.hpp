/// The requests that wait in line, their bytes and their times.
#ifndef MXP_ENGINE_LINE_HPP
#define MXP_ENGINE_LINE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace mxp::engine {

/// Requests in their order, which are also found by their tickets, by their deadlines, and by when
/// they began to wait. While one is in line, these and its `bytes` stay.
template <class Waiting>
class line {
   public:
    using list = std::list<std::shared_ptr<Waiting>>;
    using iterator = typename list::iterator;
    using time = std::chrono::steady_clock::time_point;

    void push_back(std::shared_ptr<Waiting> one) {
        bytes_ += cost(*one);
        if (one->has_deadline()) {
            deadlines_.emplace(one->until, one->ticket);
        }
        begins_.emplace(one->since, one->ticket);
        const std::uint64_t ticket = one->ticket;
        places_.emplace(ticket, all_.insert(all_.end(), std::move(one)));
    }
    iterator erase(iterator at) {
        const Waiting& one = **at;
        bytes_ -= cost(one);
        deadlines_.erase({one.until, one.ticket});
        begins_.erase({one.since, one.ticket});
        places_.erase(one.ticket);
        return all_.erase(at);
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

    [[nodiscard]] iterator begin() noexcept { return all_.begin(); }
    [[nodiscard]] iterator end() noexcept { return all_.end(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// The bytes that a request counts: its value's, and those that are kept beside that.
    [[nodiscard]] static std::size_t cost(const Waiting& of) { return of.bytes() + 512; }

   private:
    /// Tickets in the order of times.
    using times = std::set<std::pair<time, std::uint64_t>>;

    [[nodiscard]] static time first_of(const times& all) noexcept {
        return all.empty() ? time::max() : all.begin()->first;
    }
    [[nodiscard]] std::shared_ptr<Waiting> take_from(const times& all, time passed) {
        return first_of(all) <= passed && !all.empty() ? take(all.begin()->second) : nullptr;
    }

    list all_;
    std::size_t bytes_ = 0;
    times deadlines_;
    times begins_;
    std::unordered_map<std::uint64_t, iterator> places_;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_LINE_HPP
