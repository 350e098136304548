/// Failures of attempts to connect [MXP-14.2], and the state of a client that is not connected.
#ifndef MXP_ENGINE_OUTAGE_HPP
#define MXP_ENGINE_OUTAGE_HPP

#include <cstdint>
#include <string>
#include <utility>

#include "failure.hpp"

namespace mxp::engine {

/// Whether a later attempt may succeed where one has failed [MXP-14.3].
[[nodiscard]] inline bool may_heal(const failure& why) noexcept {
    return why.status == session::status::Unavailable;
}

/// The failure of an attempt that a transport can't make, which has the status Unavailable where
/// that gives none [MXP-16.5].
[[nodiscard]] inline failure not_dialed(failure why, const std::string& address) {
    if (why.status == session::status::Unknown || why.status == session::status::Ok) {
        why.status = session::status::Unavailable;
    }
    if (why.name.empty()) {
        why.name = to_string(session::kind::not_connected);
    }
    why.acted = false;
    why.peer = address;
    return why;
}

/// Why a session has ended before requests could be made.
[[nodiscard]] inline failure refused_before_hello(failure why, const std::string& address) {
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
        return unavailable(std::move(text) + " before its Hello", address);
    }
    why.acted = false;
    why.peer = address;
    return why;
}

/// The failure of a peer whose Hello has not come.
[[nodiscard]] inline failure silent(const std::string& address) {
    return unavailable("the peer has not sent its Hello", address);
}

/// The importance of an attempt that has failed: the log knows already that there is no connection,
/// or there is none for now, or there will be none.
enum class notice : std::uint8_t { known, lost, final_failure };

/// The state of a client that is not connected, as its log knows it [MXP-14.5].
class outage {
   public:
    /// That the connection was lost will be told by the time that an attempt fails.
    void connected() noexcept { known_ = notice::lost; }
    [[nodiscard]] notice failed(const failure& why) noexcept {
        const notice now = may_heal(why) ? notice::lost : notice::final_failure;
        return now > known_ ? known_ = now : notice::known;
    }

   private:
    notice known_ = notice::known;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_OUTAGE_HPP
