/// How two sessions meet [MXP-6].
#ifndef MXP_SESSION_HELLO_HPP
#define MXP_SESSION_HELLO_HPP

#include <algorithm>

#include "core.hpp"
#include "ending.hpp"
#include "request.hpp"
#include "schema.hpp"

namespace mxp::session {

namespace detail {

/// The version of the protocol.
inline constexpr std::uint16_t version = 1;

/// How many services have numbers.
inline constexpr std::size_t services_max = 65536;

/// Says in Hello that trailers may be 0.
inline constexpr std::uint32_t offer_checksum_off = 1;

/// Says in Hello that batches are taken.
inline constexpr std::uint32_t offer_batches = 2;

}  // namespace detail

inline session::session(config config, role side, std::uint64_t now)
    : config_(std::move(config)),
      role_(side),
      clock_(now),
      reader_(checksum::on, std::min(config_.payload_bytes, payload_bytes)),
      refused_(config_.limits, now),
      began_(now),
      heard_(now),
      progress_(now),
      gave_(now),
      busy_(now) {
    config_.payload_bytes = std::min(config_.payload_bytes, payload_bytes);
    greet();
}

/// Sends Hello [MXP-6.1]. Content that has no room in a Hello ends the session.
inline void session::greet() {
    control::HelloRef hello;
    hello.version = detail::version;
    hello.payload_bytes = static_cast<std::uint32_t>(config_.payload_bytes);
    hello.offers = (config_.offers_checksum_off ? detail::offer_checksum_off : 0) |
                   (config_.offers_batches ? detail::offer_batches : 0);
    for (const std::string& name : config_.services) {
        hello.services.emplace_back().name = name;
    }
    for (const type& one : config_.types) {
        control::TypeRef& made = hello.types.emplace_back();
        made.name = one.name;
        made.fingerprints = span<const std::uint64_t>{one.fingerprints};
        made.layout = detail::layout_hash(one);
    }
    if (lay(frame_type::hello, hello, {})) {
        put({frame_type::hello}, {});
    } else {
        end(kind::payload_too_large);
    }
}

/// Takes the peer's Hello.
inline std::optional<incoming> session::take_hello(bytes_view payload) {
    if (phase_ == phase::comparing) {
        return take_layouts(payload);
    }
    control::HelloView hello;
    if (!read(hello, payload)) {
        return std::nullopt;
    }
    if (hello.version() < detail::version) {
        end(kind::version);
        return std::nullopt;
    }
    accepts_ = std::min<std::size_t>(hello.payload_bytes(), payload_bytes);
    std::size_t services = 0;
    for (const auto& one : hello.services()) {
        if (services++ == detail::services_max) {
            break;
        }
        texts_ += one.name().size() + text_held;
    }
    compare(hello);
    if (config_.offers_checksum_off) {
        reader_.check(checksum::off);
        if ((hello.offers() & detail::offer_checksum_off) != 0) {
            checksum_ = checksum::off;
        }
    }
    batches_ = config_.offers_batches && (hello.offers() & detail::offer_batches) != 0;
    if (!schemas_.clashes.empty()) {
        phase_ = phase::comparing;
        schemas_.hello.assign(payload.begin(), payload.end());
        send_layouts(hello);
        return std::nullopt;
    }
    return make_ready(hello);
}

/// Lets requests be made.
inline incoming session::make_ready(const control::HelloView& hello) {
    phase_ = phase::ready;
    if (leaving_) {
        farewell(*leaving_);
    }
    if (config_.observer != nullptr) {
        config_.observer->on_ready();
    }
    return in::ready{hello.services()};
}

}  // namespace mxp::session

#endif  // MXP_SESSION_HELLO_HPP
