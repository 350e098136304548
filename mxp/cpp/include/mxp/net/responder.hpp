/// How a handler answers a call, then or later.
#ifndef MXP_NET_RESPONDER_HPP
#define MXP_NET_RESPONDER_HPP

#include <functional>
#include <memory>
#include <utility>

#include "interceptors.hpp"
#include "request.hpp"

namespace mxp::net {

class connection;

/// Answers one call, on any thread. Copies answer the same; when the last one is gone, and there
/// was no answer, the call ends with `cancelled`.
class responder {
   public:
    /// Answers with a value. A second answer, and one that comes too late, does nothing.
    void respond(session::value body, metadata entries = {}) const;
    /// Answers with a failure, whose `acted` says whether anything was done.
    void fail(const failure& why) const;

    /// Whether nobody waits for the answer any more.
    [[nodiscard]] bool is_cancelled() const noexcept;
    /// Has a function called when that is so.
    void on_cancel(std::function<void()> hook) const;

   private:
    friend class connection;

    struct state;
    [[nodiscard]] bool take() const;
    void end(answer_end ending) const;

    explicit responder(std::shared_ptr<state> core) : state_(std::move(core)) {}

    std::shared_ptr<state> state_;
};

}  // namespace mxp::net

#endif  // MXP_NET_RESPONDER_HPP
