/// The counters of the requests of each method.
#ifndef MXP_SESSION_METHODS_HPP
#define MXP_SESSION_METHODS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "latency.hpp"
#include "parts.hpp"

namespace mxp::session {

/// A side of a request.
enum class side : std::uint8_t { client, server };

/// The counters of a method's requests. A session has none: servers and clients have.
struct method_statistics {
    /// How many statuses have names.
    static constexpr std::size_t statuses = static_cast<std::size_t>(status::Unauthenticated) + 1;

    /// The side that has counted.
    session::side side{};
    /// Full name of the service; empty for all methods beyond 1,024 together.
    std::string service{};
    /// Name of the method, or its number where nobody has named it.
    std::string method{};
    /// Requests that have ended, by status; the last count is of statuses without a name.
    std::array<std::uint64_t, statuses + 1> ended{};
    /// The times of these requests.
    latency took{};
    /// Requests that have begun and not ended.
    std::uint64_t in_flight = 0;

    /// Requests that have ended with a status; those without a name are counted as one.
    [[nodiscard]] std::uint64_t requests(status code) const noexcept { return ended[place(code)]; }
    [[nodiscard]] static std::size_t place(status code) noexcept {
        return std::min(static_cast<std::size_t>(code), statuses);
    }

    /// Adds other counters of the method.
    void add(const method_statistics& source) noexcept {
        for (std::size_t i = 0; i < ended.size(); ++i) {
            ended[i] += source.ended[i];
        }
        took.add(source.took);
        in_flight += source.in_flight;
    }

    [[nodiscard]] friend bool operator<(const method_statistics& a, const method_statistics& b) {
        return std::tie(a.side, a.service, a.method) < std::tie(b.side, b.service, b.method);
    }
};

namespace detail {

/// Adds counters of the same methods, which are in order.
inline void add(std::vector<method_statistics>& list, const std::vector<method_statistics>& more) {
    for (const method_statistics& one : more) {
        const auto at = std::lower_bound(list.begin(), list.end(), one);
        if (at != list.end() && !(one < *at)) {
            at->add(one);
        } else {
            list.insert(at, one);
        }
    }
}

/// The text of all methods in the format of Prometheus.
class methods_text {
   public:
    explicit methods_text(std::string& output) : to_(output) {}

    void add(const std::vector<method_statistics>& statistics) {
        if (statistics.empty()) {
            return;
        }
        to_ += "# TYPE mxp_requests_total counter\n";
        for (const auto& one : statistics) {
            add_ended(one);
        }
        to_ += "# TYPE mxp_requests_in_flight gauge\n";
        for (const auto& one : statistics) {
            add_line("mxp_requests_in_flight", labels(one), std::to_string(one.in_flight));
        }
        to_ += "# TYPE mxp_request_seconds histogram\n";
        for (const auto& one : statistics) {
            add_times(one);
        }
    }

   private:
    void add_line(std::string_view name, std::string_view labels, std::string_view number) {
        to_.append(name).append("{").append(labels).append("} ").append(number).append("\n");
    }

    void add_ended(const method_statistics& statistics) {
        for (std::size_t i = 0; i < statistics.ended.size(); ++i) {
            if (statistics.ended[i] > 0) {
                std::string named = labels(statistics) + ",status=\"";
                named += i < method_statistics::statuses ? to_string(static_cast<status>(i))
                                                         : std::string_view{"other"};
                add_line("mxp_requests_total", named + "\"", std::to_string(statistics.ended[i]));
            }
        }
    }

    void add_times(const method_statistics& statistics) {
        const std::string named = labels(statistics);
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < latency::bounds; ++i) {
            n += statistics.took.bucket(i);
            const std::string bound = ",le=\"" + seconds_of(std::uint64_t{1} << i) + "\"";
            add_line("mxp_request_seconds_bucket", named + bound, std::to_string(n));
        }
        const std::string count = std::to_string(statistics.took.count());
        add_line("mxp_request_seconds_bucket", named + ",le=\"+Inf\"", count);
        add_line("mxp_request_seconds_sum", named, seconds_of(statistics.took.sum()));
        add_line("mxp_request_seconds_count", named, count);
    }

    /// The labels of a method, without the labels of a single line.
    [[nodiscard]] static std::string labels(const method_statistics& statistics) {
        const bool is_rest = statistics.service.empty() && statistics.method.empty();
        std::string made{"side=\""};
        made += statistics.side == side::client ? "client" : "server";
        made += "\",service=\"" + (is_rest ? "other" : escaped(statistics.service));
        return made + "\",method=\"" + (is_rest ? "other" : escaped(statistics.method)) + "\"";
    }

    /// A text as a label has it.
    [[nodiscard]] static std::string escaped(std::string_view text) {
        std::string made;
        for (const char c : text) {
            if (c == '\\' || c == '"' || c == '\n') {
                made += '\\';
            }
            made += c == '\n' ? 'n' : c;
        }
        return made;
    }

    std::string& to_;
};

}  // namespace detail

}  // namespace mxp::session

#endif  // MXP_SESSION_METHODS_HPP
