/// Why a request ended without an answer, and what is said of it.
#ifndef MXP_NET_FAILURE_HPP
#define MXP_NET_FAILURE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../session/incoming.hpp"
#include "../session/result.hpp"
#include "sdp/text.hpp"

namespace mxp::net {

/// Why a request ended without an answer.
struct failure {
    session::status status = session::status::Unknown;
    /// Of a refusal or a limit, or what the peer's handler chose.
    std::string name{};
    std::string text{};
    std::vector<std::byte> details{};
    /// Whether somebody may have acted on the request. `refused` says that nobody has.
    bool acted = true;
    /// Which request it is, as "service/method", and at which address, where that is known. No
    /// peer is told.
    std::string method{};
    std::string peer{};
};

/// A failure in one line, in the words that all languages have for it.
[[nodiscard]] inline std::string to_string(const failure& of) {
    std::string line = of.method;
    if (!of.method.empty() && !of.peer.empty()) {
        line += " at ";
    }
    line += of.peer;
    if (!line.empty()) {
        line += ": ";
    }
    const auto number = static_cast<std::uint16_t>(of.status);
    const bool is_known = of.status <= session::status::Unauthenticated;
    line.append(is_known ? to_string(of.status) : "Status");
    line.append(" (").append(std::to_string(number)).append(")");
    if (!of.name.empty() && of.text.compare(0, of.name.size(), of.name) != 0) {
        line.append(" ").append(of.name).append(of.text.empty() ? "" : ":");
    }
    if (!of.text.empty()) {
        line.append(" ").append(of.text);
    }
    if (!of.method.empty()) {
        line += of.acted ? "; it may have been acted on" : "; it was not acted on";
    }
    return line;
}

[[nodiscard]] inline failure failure_of(const session::failure& from) {
    return {from.status,
            std::string{from.name},
            std::string{from.text},
            {from.details.begin(), from.details.end()},
            from.acted};
}

/// A value, or why there is none.
template <class T>
using outcome = mxp::result<T, failure>;
using failed_outcome = mxp::unexpected_of<failure>;

/// The failure that a refusal is. Nobody has acted.
[[nodiscard]] inline failure failure_of(session::kind of, std::string text = {}) {
    return {static_cast<session::status>(session::status_of(of)),
            std::string{to_string(of)},
            std::move(text),
            {},
            false};
}

/// A failure by which nobody has acted on the request, so that it may be made again.
[[nodiscard]] inline failure refused(failure why) {
    why.acted = false;
    return why;
}

/// Why there is no connection to an address [MXP-14.2], where a later attempt may succeed.
[[nodiscard]] inline failure unavailable(std::string why, std::string to = {}) {
    failure made = failure_of(session::kind::not_connected, std::move(why));
    made.status = session::status::Unavailable;
    made.peer = std::move(to);
    return made;
}
/// Why there is none, where none will.
[[nodiscard]] inline failure unusable(std::string why, std::string to = {}) {
    failure made = unavailable(std::move(why), std::move(to));
    made.status = session::status::FailedPrecondition;
    return made;
}

namespace detail {

/// Why an address is none.
[[nodiscard]] inline failure no_address(std::string why) {
    return failure_of(session::kind::address_invalid, std::move(why));
}

/// How many methods, or services, a text lists.
inline constexpr std::size_t listed_max = 8;

/// The first of names, and how many there are besides.
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names, std::size_t all) {
    std::string made;
    for (std::size_t i = 0; i < std::min(names.size(), listed_max); ++i) {
        made.append(i == 0 ? "" : ", ").append(names[i]);
    }
    if (all > listed_max) {
        made.append(" and ").append(std::to_string(all - listed_max)).append(" more");
    }
    return all == 0 ? "none" : made;
}

/// A request of a service that the peer does not serve.
[[nodiscard]] inline failure not_served(std::string_view service,
                                        const std::vector<std::string>& names) {
    return failure_of(session::kind::service_unknown, "the peer does not serve " +
                                                          std::string{service} + "; it serves " +
                                                          listed(names, names.size()));
}

/// Why a connection is gone: an error of a socket, or none if the peer has ended it.
[[nodiscard]] inline std::string lost_text(const std::error_code& why) {
    if (!why) {
        return "the peer has closed the connection";
    }
    if (why == std::errc::connection_reset || why == std::errc::broken_pipe) {
        return "the peer has reset the connection";
    }
    return why.message();
}

/// A time in seconds, or in milliseconds if it is shorter than one.
[[nodiscard]] inline std::string span_text(std::chrono::microseconds time) {
    const auto us = std::max<std::int64_t>(time.count(), 0);
    const bool is_short = us < 1'000'000;
    const auto whole = is_short ? us / 1000 : us / 1'000'000;
    const auto rest = is_short ? us % 1000 : us / 1000 % 1000;
    std::string made = std::to_string(whole);
    if (rest > 0) {
        std::string digits = std::to_string(1000 + rest).replace(0, 1, ".");
        digits.erase(digits.find_last_not_of('0') + 1);
        made += digits;
    }
    return made.append(is_short ? " ms" : " s");
}

/// Which request it is, for those who are told that it failed.
struct subject {
    using clock = std::chrono::steady_clock;

    std::string service{};
    std::uint16_t number = 0;
    /// Empty where nobody has named the method.
    std::string name{};
    /// The address of the other side, where it is known.
    std::shared_ptr<const std::string> peer{};
    /// How long there is, and since when; 0 where nobody looks at the time.
    std::chrono::microseconds most{0};
    clock::time_point begun{};

    /// The full name of the service, a slash and the method's name or number.
    [[nodiscard]] std::string method() const {
        return service + "/" + (name.empty() ? std::to_string(number) : name);
    }

    /// Adds to a failure what is known of the request, unless it is of another.
    void explain(failure& why) const {
        if (!why.method.empty() || service.empty()) {
            return;
        }
        why.method = method();
        why.peer = peer ? *peer : std::string{};
        if (most.count() > 0 && why.name == to_string(session::kind::deadline_exceeded)) {
            const auto waited =
                std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - begun);
            std::string text =
                "after " + span_text(waited) + ", with a deadline of " + span_text(most);
            why.text = why.text.empty() ? std::move(text) : text + ": " + why.text;
        }
    }
    [[nodiscard]] failure explained(failure why) const {
        explain(why);
        return why;
    }
};

/// How many bytes at the start of a text are UTF-8.
[[nodiscard]] inline std::size_t utf8_bytes(std::string_view text) noexcept {
    return sdp::wire::utf8_prefix(reinterpret_cast<const std::byte*>(text.data()), text.size());
}

/// A text with U+FFFD in place of bytes in a row that are no UTF-8.
[[nodiscard]] inline std::string utf8_of(std::string_view text) {
    std::string made;
    bool was_wrong = false;
    while (!text.empty()) {
        const std::size_t n = utf8_bytes(text);
        made += text.substr(0, n);
        text.remove_prefix(n);
        if (!text.empty()) {
            made += n > 0 || !was_wrong ? "\xef\xbf\xbd" : "";
            text.remove_prefix(1);
            was_wrong = true;
        }
    }
    return made;
}

/// A text that a peer can be sent: UTF-8, and not too long.
[[nodiscard]] inline std::string bounded(std::string_view text, std::size_t most) {
    constexpr std::string_view cut = "…";
    std::string made = utf8_of(text);
    if (made.size() > most) {
        made.resize(most - cut.size());
        made.resize(utf8_bytes(made));
        made += cut;
    }
    return made;
}

/// How long the name of a failure can be.
inline constexpr std::size_t name_max = 255;

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_FAILURE_HPP
