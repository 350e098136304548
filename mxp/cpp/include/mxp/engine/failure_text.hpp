/// The texts of failures, and which requests they are of.
#ifndef MXP_ENGINE_FAILURE_TEXT_HPP
#define MXP_ENGINE_FAILURE_TEXT_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "sdp/text.hpp"

namespace mxp::engine {

/// The request of a failure, as far as it is known.
struct subject {
    using clock = std::chrono::steady_clock;

    std::string service{};
    std::uint16_t number = 0;
    /// Empty where nobody has named the method.
    std::string name{};
    /// The address of the other side, where it is known.
    std::shared_ptr<const std::string> peer{};
    /// The time that the request has, and the start of the wait; 0 where there is no deadline.
    std::chrono::microseconds most{0};
    clock::time_point begun{};

    /// The full name of the service, a slash and the method's name or number.
    [[nodiscard]] std::string method() const;

    /// Adds to a failure what is known of the request, unless it is of another.
    void explain(failure& why, clock::time_point now) const;
    [[nodiscard]] failure explained(failure why, clock::time_point now) const;
};

/// Why an address is none.
[[nodiscard]] inline failure no_address(std::string why) {
    return failure_of(session::kind::address_invalid, std::move(why));
}

/// How many methods, or services, a text lists.
inline constexpr std::size_t listed_max = 8;

/// The first of names, and how many there are besides.
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names, std::size_t total) {
    std::string made;
    for (std::size_t i = 0; i < std::min(names.size(), listed_max); ++i) {
        made.append(i == 0 ? "" : ", ").append(names[i]);
    }
    if (total > listed_max) {
        made.append(" and ").append(std::to_string(total - listed_max)).append(" more");
    }
    return total == 0 ? "none" : made;
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

/// The longest name of a failure, in bytes.
inline constexpr std::size_t name_max = 255;

/// The failure of a publisher's call or stream, since a mesh carries events alone.
[[nodiscard]] inline failure has_one_receiver() {
    return failure_of(session::kind::method_unknown,
                      "a call or a stream has one receiver, and a mesh carries events to all who "
                      "subscribe");
}

}  // namespace mxp::engine

#endif  // MXP_ENGINE_FAILURE_TEXT_HPP
