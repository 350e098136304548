/// Plans of measurements, and their records.
#ifndef RPCBENCH_PLAN_HPP
#define RPCBENCH_PLAN_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "latency.hpp"

namespace rpcbench {

using steady = std::chrono::steady_clock;

/// A kind of work for a client.
enum class kind {
    /// A request and its reply.
    call,
    /// A message of which nobody says whether it was taken; the server counts.
    event,
    /// A stream to the server, which counts.
    up,
    /// A stream whose messages are given back.
    both,
};

[[nodiscard]] kind kind_of(std::string_view text);
[[nodiscard]] std::string_view to_string(kind of) noexcept;

/// Bytes that are sent, and to come back.
struct payload {
    /// Bytes that differ from their neighbours.
    [[nodiscard]] static payload of(std::size_t size);

    /// Looks at a reply: at its length, or at all of it before anything is timed. A reply that
    /// differs from its request is a flaw.
    void look(const void* reply, std::size_t size) const;

    std::vector<std::byte> bytes;
    bool is_compared = false;
};

/// Until when a part of a run goes on.
class until {
   public:
    [[nodiscard]] static until count(std::uint64_t n);
    [[nodiscard]] static until time(steady::duration time, std::uint64_t every);

    /// Begins now.
    [[nodiscard]] until begun() const;
    /// Whether there is more to do. That it is done is counted.
    [[nodiscard]] bool more() {
        if (left_ == 0) {
            if (!end_ || steady::now() >= *end_) {
                return false;
            }
            left_ = every_;
        }
        --left_;
        return true;
    }
    /// Whether the request that comes is one that is timed.
    [[nodiscard]] bool is_timed() const noexcept { return end_ && left_ + 1 == every_; }

   private:
    std::optional<steady::time_point> end_;
    steady::duration time_{0};
    /// Left to do, or until the next look at the clock.
    std::uint64_t left_ = 0;
    std::uint64_t every_ = 0;
};

/// A part of a run.
struct part {
    payload what;
    until goes_on;
};

struct plan {
    kind what = kind::call;
    std::size_t size = 64;
    /// Requests in flight on each connection.
    std::size_t in_flight = 1;
    std::size_t connections = 1;
    /// The time of a client's work; nothing where it does a few things and times none.
    std::optional<steady::duration> time{};
    std::optional<int> server{};

    /// One part in which replies are compared, one until all is warm, one that is timed.
    [[nodiscard]] std::vector<part> parts() const;
};

/// The cost of a part of a run.
struct record {
    /// Calls, or messages of either direction.
    std::uint64_t messages = 0;
    steady::duration elapsed{0};
    std::uint64_t client_cpu = 0;
    std::uint64_t server_cpu = 0;
    std::optional<percentiles> latency{};

    /// A line of JSON.
    [[nodiscard]] std::string json() const;
};

/// The beginning of a part.
class beginning {
   public:
    explicit beginning(const plan& of);
    /// The cost until now.
    [[nodiscard]] record ended(std::uint64_t messages, const histogram& times) const;

   private:
    std::optional<int> server_;
    std::uint64_t client_cpu_;
    std::uint64_t server_cpu_;
    steady::time_point at_;
};

/// Refuses a count that is not what was sent.
void compare(std::uint64_t sent, std::uint64_t counted);

}  // namespace rpcbench

#endif  // RPCBENCH_PLAN_HPP
