/// Calls and events of a schema, as generated code makes and answers them.
#ifndef MXP_NET_TYPED_CALL_HPP
#define MXP_NET_TYPED_CALL_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "client.hpp"
#include "responder.hpp"
#include "typed.hpp"
#include "typed_several.hpp"

namespace mxp::net {

/// Answers one call, then or later. Copies answer the same; when the last one is gone, and there
/// was no answer, the call ends with `cancelled`.
template <class T>
class replier {
   public:
    explicit replier(responder responder) : responder_(std::move(responder)) {}

    /// Answers. A second answer, and one that comes too late, does nothing. If the value can't be
    /// encoded, the peer is told so, and the result is why; else it is nothing.
    std::optional<failure> respond(const T& value, metadata entries = {}) const {
        auto body = encoded_response(value);
        if (!body) {
            responder_.fail(body.error());
            return body.error();
        }
        responder_.respond(std::move(*body), std::move(entries));
        return std::nullopt;
    }
    /// Answers with a failure, whose `acted` says whether anything was done.
    void fail(const failure& why) const { responder_.fail(why); }

    /// Whether nobody waits for the answer any more.
    [[nodiscard]] bool is_cancelled() const noexcept { return responder_.is_cancelled(); }
    /// Has a function called when that is so.
    void on_cancel(std::function<void()> hook) const { responder_.on_cancel(std::move(hook)); }

   private:
    responder responder_;
};

/// Gets the outcome of a request, once, and never from within the call that made it.
template <class T>
using callback = std::function<void(outcome<T>)>;

/// Makes a call; the result is for `client::cancel`.
template <class Response, class Request>
std::uint64_t call(client& caller, const method& method, const Request& request,
                   callback<Response> then, call_options options) {
    auto body = encoded_request(request);
    if (!body) {
        caller.post([then = std::move(then), why = caller.explained(method, body.error())] {
            then(failed_outcome{why});
        });
        return 0;
    }
    return caller.call(method, std::move(*body), std::move(options),
                       [then = std::move(then)](const answer& answer) {
                           if (answer.failed) {
                               then(failed_outcome{*answer.failed});
                               return;
                           }
                           auto value = decoded_response<Response>(answer.value);
                           if (!value) {
                               value = failed_outcome{answer.explained(value.error())};
                           }
                           then(std::move(value));
                       });
}

namespace detail {

/// A function that is told how events ended, behind which there may be a failure of their values.
[[nodiscard]] client::answer_handler end_of_events(callback<void> then, std::optional<failure> why);

}  // namespace detail

/// Sends an event; the result is for `client::cancel`. The function, which there need not be, is
/// called when the event was queued, or, if it requires an Ack, when it was taken.
template <class Request>
std::uint64_t send(client& caller, const method& method, const Request& request,
                   callback<void> then, event_options options) {
    auto body = encoded_request(request);
    if (!body) {
        caller.post([then = std::move(then), why = caller.explained(method, body.error())] {
            if (then) {
                then(failed_outcome{why});
            }
        });
        return 0;
    }
    return caller.event(method, std::move(*body), std::move(options),
                        detail::end_of_events(std::move(then), {}));
}

/// Sends the values of a range as events, one after the other. The function, which there need not
/// be, is called once: when all were given to the connection, or taken if they require an Ack, with
/// the first failure. Values before one that can't be encoded are sent.
template <class Request, class Range>
void send_all(client& caller, const method& method, Range&& values, callback<void> then,
              event_options options) {
    detail::encoded_values all;
    auto failed = detail::add_events<Request>(all, values, caller, method);
    caller.events(method, std::move(all), std::move(options),
                  detail::end_of_events(std::move(then), std::move(failed)));
}

}  // namespace mxp::net

#endif  // MXP_NET_TYPED_CALL_HPP
