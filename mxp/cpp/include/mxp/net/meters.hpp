/// The counters of requests by their methods, on any thread.
#ifndef MXP_NET_METERS_HPP
#define MXP_NET_METERS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../session.hpp"

namespace mxp::net::detail {

/// A method whose requests are counted, by the side that counts.
struct method_meter {
    session::side side{};
    std::string_view service{};
    std::uint16_t number = 0;

    /// Spreads the methods of a program well enough, for a few instructions.
    [[nodiscard]] std::size_t hash() const noexcept {
        const std::size_t last = service.empty() ? 0 : static_cast<unsigned char>(service.back());
        return std::size_t{number} * 31 + service.size() * 7 + last;
    }
    [[nodiscard]] friend bool operator==(const method_meter& a, const method_meter& b) noexcept {
        return a.number == b.number && a.side == b.side && a.service == b.service;
    }
};

/// Counts the requests of one method.
class meter {
   public:
    /// The meter of all methods beyond the limit of separate counts.
    explicit meter(session::side rest) : of_{rest, {}, 0} {}
    /// That of a method, whose name may not be known. It is in a list with others.
    meter(const method_meter& key, std::string_view name, meter* next)
        : service_(key.service),
          name_(name.empty() ? std::to_string(key.number) : std::string{name}),
          of_{key.side, service_, key.number},
          next_(next) {}
    meter(const meter&) = delete;
    meter& operator=(const meter&) = delete;

    [[nodiscard]] const method_meter& of() const noexcept { return of_; }
    [[nodiscard]] meter* next() const noexcept { return next_; }

    void begin(std::uint64_t n) noexcept { add(begun_, n); }
    /// Counts ends of requests. Their status comes first: no reader takes a failure for a success.
    void end(std::chrono::microseconds took, session::status status, std::uint64_t n) noexcept {
        const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
        const bool is_failure = status != session::status::Ok;
        add(time_, us * n);
        if (is_failure) {
            add(failures_[session::method_statistics::place(status)], n);
        }
        (is_failure ? failure_times_ : times_)[session::latency::bucket_of(us)].fetch_add(
            n, std::memory_order_release);
    }

    /// Adds the counts until now, if there was a request. A request that begins or ends meanwhile
    /// may be counted next time. The ends are read first, so that no end is without its status and
    /// its beginning.
    void add_to(std::vector<session::method_statistics>& total) const {
        session::method_statistics made{of_.side, service_, name_, {}, {}, 0};
        for (std::size_t i = 0; i < failure_times_.size(); ++i) {
            made.took.add(i, failure_times_[i].load(std::memory_order_acquire), 0);
        }
        std::uint64_t successes = 0;
        for (std::size_t i = 0; i < times_.size(); ++i) {
            const std::uint64_t n = times_[i].load(std::memory_order_acquire);
            made.took.add(i, n, 0);
            successes += n;
        }
        made.took.add(0, 0, time_.load(std::memory_order_relaxed));
        for (std::size_t i = 0; i < failures_.size(); ++i) {
            made.ended[i] = failures_[i].load(std::memory_order_relaxed);
        }
        made.ended[0] = successes;
        const std::uint64_t ended = made.took.count();
        const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
        if (begun > 0) {
            made.in_flight = begun - std::min(ended, begun);
            total.push_back(std::move(made));
        }
    }

   private:
    using number = std::atomic<std::uint64_t>;
    static void add(number& number, std::uint64_t n) noexcept {
        number.fetch_add(n, std::memory_order_relaxed);
    }

    std::string service_{};
    std::string name_{};
    method_meter of_;
    meter* next_ = nullptr;
    number begun_{0};
    number time_{0};
    /// Requests that have ended well, by their times.
    std::array<number, session::latency::bounds + 1> times_{};
    /// Requests that have failed, by their times.
    std::array<number, session::latency::bounds + 1> failure_times_{};
    /// The same by status; of `Ok` there is none.
    std::array<number, session::method_statistics::statuses + 1> failures_{};
};

/// A request that is counted, or several that begin and end together. A request that is dropped in
/// flight was cancelled.
class request_meter {
   public:
    using clock = std::chrono::steady_clock;

    request_meter() = default;
    request_meter(std::shared_ptr<meter> meter, clock::time_point start, std::uint64_t count = 1)
        : meter_(std::move(meter)), begun_(start), count_(count) {
        meter_->begin(count_);
    }
    request_meter(request_meter&&) noexcept = default;
    request_meter& operator=(request_meter&& source) noexcept {
        end(session::status::Cancelled, begun_);
        meter_ = std::move(source.meter_);
        begun_ = source.begun_;
        count_ = source.count_;
        return *this;
    }
    ~request_meter() {
        if (is_in_flight()) {
            end(session::status::Cancelled, clock::now());
        }
    }
    [[nodiscard]] bool is_in_flight() const noexcept { return meter_ != nullptr; }

    /// Some of several, which then end apart.
    [[nodiscard]] request_meter split(std::uint64_t count) {
        request_meter made;
        made.begun_ = begun_;
        made.count_ = count;
        count_ -= count;
        made.meter_ = count_ > 0 ? meter_ : std::move(meter_);
        return made;
    }
    /// Counts its end, if it is in flight.
    void end(session::status status, clock::time_point time) noexcept {
        if (const auto one = std::move(meter_)) {
            one->end(std::chrono::duration_cast<std::chrono::microseconds>(time - begun_), status,
                     count_);
        }
    }

   private:
    std::shared_ptr<meter> meter_{};
    clock::time_point begun_{};
    std::uint64_t count_ = 1;
};

/// The meters of a server or a client: a table that only grows, and is read without a lock.
class meters {
   public:
    meters() = default;
    meters(const meters&) = delete;
    meters& operator=(const meters&) = delete;

    /// Counts requests that begin, of a method whose name may not be known.
    [[nodiscard]] static request_meter begin(const std::shared_ptr<meters>& meters,
                                             const method_meter& key, std::string_view name,
                                             request_meter::clock::time_point time,
                                             std::uint64_t count = 1) {
        return {std::shared_ptr<meter>{meters, &meters->find(key, name)}, time, count};
    }
    /// The same of requests that don't outlive the meters.
    [[nodiscard]] request_meter begin_here(const method_meter& key, std::string_view name,
                                           request_meter::clock::time_point time,
                                           std::uint64_t count = 1) {
        return {std::shared_ptr<meter>{std::shared_ptr<meter>{}, &find(key, name)}, time, count};
    }

    /// Whether a method is counted apart, whose name may not be known.
    [[nodiscard]] bool knows(const method_meter& key, std::string_view name) {
        return !find(key, name).of().service.empty();
    }

    /// Adds the counters of all methods.
    void add_to(session::statistics& statistics) const {
        std::vector<session::method_statistics> made;
        {
            const std::lock_guard<std::mutex> lock{growing_};
            for (const meter& one : all_) {
                one.add_to(made);
            }
        }
        for (const meter& one : rest_) {
            one.add_to(made);
        }
        std::sort(made.begin(), made.end());
        session::detail::add(statistics.methods, made);
    }

   private:
    /// How many methods are counted apart.
    static constexpr std::size_t methods_max = 1024;
    using list = std::atomic<meter*>;

    [[nodiscard]] meter& find(const method_meter& key, std::string_view name) {
        list& in = lists_[key.hash() % lists_.size()];
        if (meter* const found = find(in.load(std::memory_order_acquire), key)) {
            return *found;
        }
        if (is_full_.load(std::memory_order_relaxed)) {
            return rest_[static_cast<std::size_t>(key.side)];
        }
        return add(in, key, name);
    }
    [[nodiscard]] static meter* find(meter* first, const method_meter& key) noexcept {
        while (first != nullptr && !(first->of() == key)) {
            first = first->next();
        }
        return first;
    }

    meter& add(list& chain, const method_meter& key, std::string_view name) {
        const std::lock_guard<std::mutex> lock{growing_};
        meter* const first = chain.load(std::memory_order_relaxed);
        if (meter* const found = find(first, key)) {
            return *found;
        }
        if (all_.size() == methods_max) {
            is_full_ = true;
            return rest_[static_cast<std::size_t>(key.side)];
        }
        meter& made = all_.emplace_back(key, name, first);
        chain.store(&made, std::memory_order_release);
        return made;
    }

    std::array<list, 128> lists_{};
    std::atomic<bool> is_full_{false};
    /// Guards the growth.
    mutable std::mutex growing_{};
    std::deque<meter> all_{};
    std::array<meter, 2> rest_{meter{session::side::client}, meter{session::side::server}};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_METERS_HPP
