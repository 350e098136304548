/// Why a client is not connected, and what its log is told of it.
#ifndef MXP_NET_OUTAGE_HPP
#define MXP_NET_OUTAGE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../engine/failure_text.hpp"
#include "differences.hpp"
#include "logger.hpp"
#include "request.hpp"
#include "request_parts.hpp"
#include "transports.hpp"

namespace mxp::net {

namespace detail {

/// Why a client can't even try to connect, if it can't: it has no address, or options that can't
/// be.
template <class Options>
[[nodiscard]] std::optional<failure> unable(const std::optional<address>& at,
                                            const std::string& text, const Options& options) {
    if (!at || transports::registered().find(at->scheme) == nullptr) {
        return engine::no_address(no_address_text(text));
    }
    if (auto wrong = wrong_options(options)) {
        failure made = refused({});
        made.status = session::status::InvalidArgument;
        made.text = std::move(*wrong);
        return made;
    }
    return std::nullopt;
}

/// Whether a later attempt may succeed where one has failed [MXP-14.3].
[[nodiscard]] inline bool may_heal(const failure& of) noexcept {
    return of.status == session::status::Unavailable;
}

/// The failure of an attempt that a transport can't make, which has the status Unavailable where
/// that gives none [MXP-16.5].
[[nodiscard]] inline failure not_dialed(failure why, const std::string& to) {
    if (why.status == session::status::Unknown || why.status == session::status::Ok) {
        why.status = session::status::Unavailable;
    }
    if (why.name.empty()) {
        why.name = to_string(session::kind::not_connected);
    }
    why.acted = false;
    why.peer = to;
    return why;
}

/// Why a session has ended before requests could be made.
[[nodiscard]] inline failure refused_before_hello(failure why, const std::string& to) {
    if (why.name == to_string(mxp::kind::magic)) {
        why.status = session::status::FailedPrecondition;
        why.text =
            "the peer speaks another protocol than MXP, or has TLS where the address has none";
    }
    if (may_heal(why)) {
        const bool is_lost = why.name == to_string(session::kind::lost);
        std::string text = is_lost ? std::string{} : why.name;
        if (!why.text.empty()) {
            text.append(text.empty() ? "" : ": ").append(why.text);
        }
        if (text.empty()) {
            text = "the peer has closed the connection";
        }
        return unavailable(std::move(text) + " before its Hello", to);
    }
    why.acted = false;
    why.peer = to;
    return why;
}

/// The state of a client that is not connected, as the log knows it [MXP-14.5].
class outage {
   public:
    outage(std::string to, logger log) : to_(std::move(to)), log_(std::move(log)) {}

    /// A connection is there, whose types may differ from the peer's.
    void connected(const differences& types) {
        // That it was lost will be told by then.
        known_ = known::lost;
        tell(severity::info, "connected");
        types.log(log_, to_);
    }
    /// The connection has ended, for no reason if there was nothing left to do.
    void ended(const failure& why) {
        if (why.status == session::status::Ok) {
            tell(severity::info, "connection ended");
            return;
        }
        tell(severity::warning, "connection ended: " + line(why));
    }
    /// An attempt has failed.
    void failed(const failure& why) {
        const known now = may_heal(why) ? known::lost : known::final_failure;
        if (now > known_) {
            known_ = now;
            tell(may_heal(why) ? severity::warning : severity::error,
                 "not connected: " + line(why));
        }
    }

   private:
    enum class known : std::uint8_t { nothing, lost, final_failure };

    [[nodiscard]] static std::string line(const failure& of) {
        return of.name + (of.name.empty() || of.text.empty() ? "" : ": ") + of.text;
    }
    void tell(severity level, const std::string& what) const {
        if (log_) {
            log_(level, to_ + ": " + what);
        }
    }

    std::string to_;
    logger log_;
    known known_ = known::nothing;
};

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_OUTAGE_HPP
