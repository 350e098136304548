/// The state of a call that is to be answered.
#ifndef MXP_NET_RESPONDER_STATE_HPP
#define MXP_NET_RESPONDER_STATE_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "interceptors.hpp"
#include "responder.hpp"

namespace mxp::net {

/// Shared by the copies of a responder.
struct responder::state {
    state(std::weak_ptr<connection> where, std::uint64_t number)
        : origin(std::move(where)), id(number) {}
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state();

    std::weak_ptr<connection> origin;
    std::uint64_t id;
    void cancel(session::kind why);
    /// Tells interceptors how it ends.
    void tell(answer_end& ending) const {
        if (is_cancelled) {
            ending.cancelled = cancelled_by;
        }
        ends.tell(ending);
    }

    std::atomic<bool> is_answered{false};
    std::atomic<bool> is_cancelled{false};
    /// Why, if it is.
    std::atomic<session::kind> cancelled_by{session::kind::cancelled};
    std::atomic<bool> has_on_cancel{false};
    /// Guards the function.
    std::mutex mutex{};
    std::function<void()> on_cancel{};
    detail::endings<answer_end> ends{};
};

}  // namespace mxp::net

#endif  // MXP_NET_RESPONDER_STATE_HPP
