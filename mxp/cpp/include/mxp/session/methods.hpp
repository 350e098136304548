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
    /// Requests that have ended, by status; the last are those whose status has no name.
    std::array<std::uint64_t, statuses + 1> ended{};
    /// How long those took.
    latency took{};
    /// Requests that have begun and not ended.
    std::uint64_t in_flight = 0;

    /// Requests that have ended with a status; those without a name are counted as one.
    [[nodiscard]] std::uint64_t requests(status of) const noexcept { return ended[place(of)]; }
    [[nodiscard]] static std::size_t place(status of) noexcept {
        return std::min(static_cast<std::size_t>(of), statuses);
    }

    /// Adds other counters of the method.
    void add(const method_statistics& other) noexcept {
        for (std::size_t i = 0; i < ended.size(); ++i) {
            ended[i] += other.ended[i];
        }
        took.add(other.took);
        in_flight += other.in_flight;
    }

    [[nodiscard]] friend bool operator<(const method_statistics& a, const method_statistics& b) {
        return std::tie(a.side, a.service, a.method) < std::tie(b.side, b.service, b.method);
    }
};

namespace detail {

/// Adds counters of the same methods, which are in order.
inline void add(std::vector<method_statistics>& to, const std::vector<method_statistics>& more) {
    for (const method_statistics& one : more) {
        const auto at = std::lower_bound(to.begin(), to.end(), one);
        if (at != to.end() && !(one < *at)) {
            at->add(one);
        } else {
            to.insert(at, one);
        }
    }
}

/// The text of all methods in the format of Prometheus.
class methods_text {
   public:
    explicit methods_text(std::string& to) : to_(to) {}

    void add(const std::vector<method_statistics>& all) {
        if (all.empty()) {
            return;
        }
        to_ += "# TYPE mxp_requests_total counter\n";
        for (const auto& one : all) {
            add_ended(one);
        }
        to_ += "# TYPE mxp_requests_in_flight gauge\n";
        for (const auto& one : all) {
            add_line("mxp_requests_in_flight", labels(one), std::to_string(one.in_flight));
        }
        to_ += "# TYPE mxp_request_seconds histogram\n";
        for (const auto& one : all) {
            add_times(one);
        }
    }

   private:
    void add_line(std::string_view name, std::string_view labels, std::string_view number) {
        to_.append(name).append("{").append(labels).append("} ").append(number).append("\n");
    }

    void add_ended(const method_statistics& of) {
        for (std::size_t i = 0; i < of.ended.size(); ++i) {
            if (of.ended[i] > 0) {
                std::string named = labels(of) + ",status=\"";
                named += i < method_statistics::statuses ? to_string(static_cast<status>(i))
                                                         : std::string_view{"other"};
                add_line("mxp_requests_total", named + "\"", std::to_string(of.ended[i]));
            }
        }
    }

    void add_times(const method_statistics& of) {
        const std::string named = labels(of);
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < latency::bounds; ++i) {
            n += of.took.bucket(i);
            const std::string bound = ",le=\"" + seconds_of(std::uint64_t{1} << i) + "\"";
            add_line("mxp_request_seconds_bucket", named + bound, std::to_string(n));
        }
        const std::string count = std::to_string(of.took.count());
        add_line("mxp_request_seconds_bucket", named + ",le=\"+Inf\"", count);
        add_line("mxp_request_seconds_sum", named, seconds_of(of.took.sum()));
        add_line("mxp_request_seconds_count", named, count);
    }

    /// The labels of a method, without those that one line has for itself.
    [[nodiscard]] static std::string labels(const method_statistics& of) {
        const bool is_rest = of.service.empty() && of.method.empty();
        std::string made{"side=\""};
        made += of.side == side::client ? "client" : "server";
        made += "\",service=\"" + (is_rest ? "other" : escaped(of.service));
        return made + "\",method=\"" + (is_rest ? "other" : escaped(of.method)) + "\"";
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
