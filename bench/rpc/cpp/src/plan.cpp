#include "plan.hpp"

#include <unistd.h>

#include <cstring>

#include "cpu.hpp"
#include "flaw.hpp"

namespace rpcbench {

namespace {

/// The number of its messages that a client compares with the sent ones, before anything is timed;
/// each of many callers fewer.
constexpr std::uint64_t compared = 8;
constexpr std::uint64_t compared_of_many = 2;

constexpr std::string_view kinds[] = {"call", "event", "up", "both"};

}  // namespace

kind kind_of(std::string_view text) {
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
        if (kinds[i] == text) {
            return static_cast<kind>(i);
        }
    }
    throw flaw{std::string{text} + ": a kind is call, event, up or both"};
}

std::string_view to_string(kind of) noexcept { return kinds[static_cast<std::size_t>(of)]; }

payload payload::of(std::size_t size) {
    payload made;
    made.bytes.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        made.bytes[i] = static_cast<std::byte>(i * 31 % 251);
    }
    return made;
}

void payload::look(const void* reply, std::size_t size) const {
    if (size != bytes.size() ||
        (is_compared && size > 0 && std::memcmp(reply, bytes.data(), size) != 0)) {
        throw flaw{"a reply is not what was sent"};
    }
}

until until::count(std::uint64_t n) {
    until made;
    made.left_ = made.every_ = n;
    return made;
}

until until::time(steady::duration time, std::uint64_t every) {
    until made;
    made.time_ = time;
    made.left_ = made.every_ = every;
    return made;
}

until until::begun() const {
    until made = *this;
    if (time_.count() > 0) {
        made.end_ = steady::now() + time_;
    }
    return made;
}

std::vector<part> plan::parts() const {
    payload looked_at = payload::of(size);
    looked_at.is_compared = true;
    std::vector<part> made;
    made.push_back(
        {looked_at, until::count(in_flight * connections == 1 ? compared : compared_of_many)});
    if (time) {
        // Of how many one looks at the clock: all, unless there are many at once.
        const std::uint64_t every = what != kind::call ? 64 : in_flight < 16 ? 1 : 8;
        made.push_back({payload::of(size), until::time(*time / 4, every)});
        made.push_back({payload::of(size), until::time(*time, every)});
    }
    return made;
}

std::string record::json() const {
    const auto number = [](std::string_view name, auto value) {
        return "\"" + std::string{name} + "\":" + std::to_string(value);
    };
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    const std::string times =
        !latency ? "null"
                 : "{" + number("p50", latency->p50) + "," + number("p99", latency->p99) + "," +
                       number("p999", latency->p999) + "," + number("max", latency->max) + "}";
    return "{" + number("messages", messages) + "," + number("elapsed_ns", nanoseconds) + "," +
           number("client_cpu_ns", client_cpu) + "," + number("server_cpu_ns", server_cpu) +
           ",\"latency_ns\":" + times + "}";
}

beginning::beginning(const plan& of)
    : server_(of.server),
      client_cpu_(cpu_nanoseconds(::getpid())),
      server_cpu_(server_ ? cpu_nanoseconds(*server_) : 0),
      at_(steady::now()) {}

record beginning::ended(std::uint64_t messages, const histogram& times) const {
    record made;
    made.messages = messages;
    made.elapsed = steady::now() - at_;
    made.client_cpu = cpu_nanoseconds(::getpid()) - client_cpu_;
    made.server_cpu = (server_ ? cpu_nanoseconds(*server_) : 0) - server_cpu_;
    made.latency = times.found();
    return made;
}

void compare(std::uint64_t sent, std::uint64_t counted) {
    if (sent != counted) {
        throw flaw{std::to_string(sent) + " messages were sent, " + std::to_string(counted) +
                   " came"};
    }
}

}  // namespace rpcbench
