/// The log of a client that is not connected, and why it can't be.
#ifndef MXP_NET_OUTAGE_HPP
#define MXP_NET_OUTAGE_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../engine/failure_text.hpp"
#include "../engine/outage.hpp"
#include "differences.hpp"
#include "logger.hpp"
#include "request.hpp"
#include "request_parts.hpp"
#include "transports.hpp"

namespace mxp::net {

namespace detail {

/// Why a client can't try to connect, if it can't: no address, or invalid options.
template <class Options>
[[nodiscard]] std::optional<failure> unable(const std::optional<address>& address,
                                            const std::string& text, const Options& options) {
    if (!address || transports::registered().find(address->scheme) == nullptr) {
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

/// The log of a client, which is told once of each state [MXP-14.5].
class outage_log {
   public:
    outage_log(std::string address, logger log) : to_(std::move(address)), log_(std::move(log)) {}

    /// A connection is there, whose types may differ from the peer's.
    void connected(const differences& types) {
        state_.connected();
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
        const auto news = state_.failed(why);
        if (news != engine::notice::known) {
            tell(news == engine::notice::lost ? severity::warning : severity::error,
                 "not connected: " + line(why));
        }
    }

   private:
    [[nodiscard]] static std::string line(const failure& failure) {
        return failure.name + (failure.name.empty() || failure.text.empty() ? "" : ": ") +
               failure.text;
    }
    void tell(severity level, const std::string& text) const {
        if (log_) {
            log_(level, to_ + ": " + text);
        }
    }

    std::string to_;
    logger log_;
    engine::outage state_;
};

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_OUTAGE_HPP
