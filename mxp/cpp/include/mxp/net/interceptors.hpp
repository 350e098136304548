/// The interceptors of every request before it is made, or before its handler.
#ifndef MXP_NET_INTERCEPTORS_HPP
#define MXP_NET_INTERCEPTORS_HPP

#include <chrono>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../session/values.hpp"
#include "repetition.hpp"
#include "request.hpp"

namespace mxp::net {

/// How a request ends at the side that answers it.
struct answer_end {
    /// Why there is no answer.
    std::optional<failure> failed{};
    /// Of the answer to a call; else empty.
    session::value value{};
    net::metadata metadata{};
    /// Why nobody waits for the end of a call any more; nothing if somebody does.
    std::optional<session::kind> cancelled{};
};

namespace detail {

/// The functions that are to be told how one request ended, from the innermost out.
template <class Ending>
class endings {
   public:
    void add(std::function<void(Ending&)> then) { all_.push_back(std::move(then)); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    /// Tells each. The functions are kept, since the answers may have views of memory that they
    /// hold.
    void tell(Ending& ending) const {
        for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
            (*one)(ending);
        }
    }
    /// How many there are, and one of them; the first is the outermost.
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    void tell(std::size_t index, Ending& ending) const { all_[index](ending); }

   private:
    std::vector<std::function<void(Ending&)>> all_;
};

/// The verdict of the interceptors of one request.
template <class Ending>
struct verdict {
    std::optional<failure> refused{};
    endings<Ending> ends{};
    /// Told behind the others; of a call, what the peer is told. There may be none.
    std::function<void(Ending&)> over{};

    void tell(Ending& ending) const {
        ends.tell(ending);
        if (over) {
            over(ending);
        }
    }
};

/// Shows a request to all, the first first, until one refuses it.
template <class Request>
void show(Request& request, const std::vector<std::function<void(Request&)>>& list) {
    for (const auto& one : list) {
        if (request.is_refused()) {
            return;
        }
        one(request);
    }
}

}  // namespace detail

/// A request that a client is about to make. An interceptor's changes are sent.
class outgoing_request {
   public:
    outgoing_request(const net::method& target, session::purpose aim, session::value body)
        : method(target), kind(aim), value(std::move(body)) {}

    const net::method method;
    /// Whether it is a call, a stream or an event.
    const session::purpose kind;
    /// The bytes of the request; empty for a stream whose requests flow.
    session::value value;
    /// The time that it may take; 0 is for ever, as it is for events.
    std::chrono::microseconds deadline{0};
    std::optional<session::trace_context> trace{};
    net::metadata metadata{};

    /// Has the request not made, but ended with a failure, which says that nobody has acted.
    /// Interceptors that come later don't see it.
    void refuse(failure why) { said_.refused = refused(std::move(why)); }
    [[nodiscard]] bool is_refused() const noexcept { return said_.refused.has_value(); }

    /// Adds a function that is told the request's end, once, before the caller is told; the last
    /// function that was added is told first. Of a call or an event it may change the answer; what
    /// that has views of must hold as long as the function itself; it may also hold back a failure,
    /// and have the request made again. Streams and events have no value and no metadata.
    void on_end(std::function<void(answer&)> then) { said_.ends.add(std::move(then)); }

    /// The interceptors' verdict, for who makes the request.
    [[nodiscard]] detail::verdict<answer>& said() noexcept { return said_; }

   private:
    detail::verdict<answer> said_{};
};

/// A request that a handler is about to get.
class incoming_request {
   public:
    incoming_request(const net::method& target, session::purpose aim, const net::request& call)
        : method(target), kind(aim), request(call) {}

    const net::method method;
    /// Whether it is a call, a stream or an event.
    const session::purpose kind;
    /// The request as the handler gets it. An interceptor may replace its value; what that has
    /// views of must hold as long as a function that is given to `on_end`.
    net::request request;

    /// Has the handler not called, and the request failed; the peer is told that nobody has acted.
    /// Interceptors that come later don't see it. An event that asks for no Ack is passed over.
    void refuse(failure why) { said_.refused = refused(std::move(why)); }
    [[nodiscard]] bool is_refused() const noexcept { return said_.refused.has_value(); }

    /// Has it told how the request ends, once, before the peer is told; the last that is given is
    /// told first. Of a call it may change the answer. A call ends when its handler has answered
    /// or let go of it, also if nobody waits any more; an event when its handler has returned.
    void on_end(std::function<void(answer_end&)> then) { said_.ends.add(std::move(then)); }

    /// The interceptors' verdict, for who calls the handler.
    [[nodiscard]] detail::verdict<answer_end>& said() noexcept { return said_; }

   private:
    detail::verdict<answer_end> said_{};
};

/// Sees each request of a client before it is made: calls, streams and events alike.
using outgoing_interceptor = std::function<void(outgoing_request&)>;
/// Sees each request of the peer's before its handler does.
using incoming_interceptor = std::function<void(incoming_request&)>;

namespace detail {

/// Shows a request to the interceptors of a client, and takes what they have made of it.
template <class Options>
[[nodiscard]] outgoing_request show(const std::vector<outgoing_interceptor>& interceptors,
                                    const net::method& method, session::purpose purpose,
                                    session::value& body, Options& options) {
    outgoing_request shown{method, purpose, std::move(body)};
    if constexpr (std::is_same_v<Options, call_options>) {
        shown.deadline = options.deadline;
    }
    shown.trace = options.trace;
    shown.metadata = std::move(options.metadata);
    show(shown, interceptors);
    if constexpr (std::is_same_v<Options, call_options>) {
        options.deadline = shown.deadline;
    }
    options.trace = shown.trace;
    options.metadata = std::move(shown.metadata);
    body = std::move(shown.value);
    return shown;
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_INTERCEPTORS_HPP
