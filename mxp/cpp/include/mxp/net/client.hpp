/// Asks a peer, and connects again when the connection is lost.
#ifndef MXP_NET_CLIENT_HPP
#define MXP_NET_CLIENT_HPP

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../engine/packed_values.hpp"
#include "../session/stats.hpp"
#include "address.hpp"
#include "agent.hpp"
#include "client_options.hpp"
#include "standard.hpp"
#include "stream.hpp"

namespace asio {
class io_context;
}

namespace mxp::net {

using engine::packed_values;

class announcement;
class connection;
class publisher;
class subscription;

namespace detail {
struct destination;
}

/// Talks to one address, or to several, on the threads that run its `io_context`, and is used on
/// any. Functions that it is given are called one at a time. Every request ends once: its function
/// is called, by `close` at the latest, or soon after if another thread is at work. A request that
/// the peer has not acted on, since it takes no more requests or its connection is lost, is made
/// again on the next connection; a stream only while nothing was sent on it and nothing has come
/// [MXP-14.6]. Options that can't be fail every request with InvalidArgument.
class client {
   public:
    using answer_handler = std::function<void(const answer&)>;
    using done [[deprecated("use answer_handler")]] = answer_handler;

    client(asio::io_context& io, const address& address, client_options options = {},
           detail::standard = {});
    /// A text that is no address fails every request with `address_invalid`. It may be one of the
    /// mesh, `mesh:///name` or `mesh:///?capability=c&service=s`: then the client asks the
    /// program's own node (`client_options::node`) where these agents are, and is one of all of
    /// them, as they come and go, of 64 at a time.
    client(asio::io_context& io, std::string_view address, client_options options = {},
           detail::standard = {});
    /// One of several addresses, with connections to each. Of two connections that are chosen at
    /// random, a request goes to the less busy one [MXP-14.9]. Without any address every request
    /// fails with `address_invalid`.
    client(asio::io_context& io, const std::vector<std::string>& addresses,
           client_options options = {}, detail::standard = {});
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    /// Makes a call; the result is for `cancel`. The function is called later.
    std::uint64_t call(const method& method, session::value body, call_options options,
                       answer_handler then);
    std::uint64_t call(std::string_view service, std::uint16_t method, session::value body,
                       call_options options, answer_handler then);

    /// Sends an event. The function is called when it was given to the connection, or, if it
    /// requires an Ack, when the peer's handler has taken it.
    std::uint64_t event(const method& method, session::value body, event_options options,
                        answer_handler then);
    std::uint64_t event(std::string_view service, std::uint16_t method, session::value body,
                        event_options options, answer_handler then);

    /// Sends events, as `event` does one after the other. Without an Ack and without interceptors,
    /// events are given to the connection together, and small ones share frames where the peer
    /// takes that: 64 bytes each cost a small part of their cost alone. Otherwise some are on their
    /// way at a time. The function, which there need not be, is called once: when all have ended,
    /// with the first failure. Behind one that has failed no more are begun.
    void events(const method& method, packed_values values, event_options options, answer_handler);

    /// Opens a stream, for use at once. A stream that `is_final` sends its first value alone.
    stream open(const method& method, session::value body, call_options options,
                bool is_final = false);
    stream open(std::string_view service, std::uint16_t method, session::value body,
                call_options options);

    /// Makes this program known by a name, with its capabilities, and tells the time that the lease
    /// lasts. It ends with the connection, so that a program registers again when its heartbeat is
    /// refused with `agent_unknown`. The result is for `cancel`.
    std::uint64_t
    register_agent(std::string name, std::vector<std::string> capabilities,
                   std::chrono::microseconds lease,
                   std::function<void(const outcome<std::chrono::microseconds>&)> then,
                   std::chrono::microseconds deadline = {});
    /// The same with all that a registration says, and is answered.
    std::uint64_t register_agent(const registry::Registration& registration,
                                 std::function<void(const outcome<registry::Lease>&)> then,
                                 std::chrono::microseconds deadline = {});
    /// Renews a lease, and tells how long it lasts.
    std::uint64_t heartbeat(std::string name,
                            std::function<void(const outcome<std::chrono::microseconds>&)> then,
                            std::chrono::microseconds deadline = {});
    /// Finds the agents that can do something, or all if it is empty.
    std::uint64_t discover(std::string capability,
                           std::function<void(const outcome<std::vector<agent>>&)> then,
                           std::chrono::microseconds deadline = {});

    /// Finds the agents that are all that a query says. Where it says the version of what would be
    /// its answer, a node answers as soon as that is another.
    std::uint64_t discover(const registry::Query& query,
                           std::function<void(const outcome<registry::Agents>&)> then,
                           std::chrono::microseconds deadline = {});

    /// A stream that was never opened, and ends with a failure.
    stream refused(failure why);

    /// A failure of a request that was not made.
    [[nodiscard]] failure explained(const method& method, failure why) const;

    /// Has a function called in a turn of its own.
    void post(std::function<void()> then);

    /// Takes a call or event back, which ends with `cancelled`.
    void cancel(std::uint64_t ticket);

    /// Makes no new requests, which end with `session_closed`, and calls `then` when all requests
    /// in flight have ended and the connection is closed. Requests that are left after `most` are
    /// cut off.
    void drain(std::string_view reason, std::chrono::milliseconds most, std::function<void()> then);

    /// Cuts the connection off, and connects no more. Requests in flight end. The
    /// connection of a request's client (`request::client`) is another's, and goes on.
    void close();

    /// Whether requests can be sent now.
    [[nodiscard]] bool is_connected() const noexcept;

    /// The counters of all connections there were.
    [[nodiscard]] session::statistics stats() const;

   private:
    friend class announcement;
    friend class connection;
    friend class publisher;
    friend class subscription;

    using clock = std::chrono::steady_clock;

    struct event_fanout;
    struct agent_follower;
    struct hedge;
    struct batch_end;
    struct waiter;
    struct link;
    struct state;
    /// Of a connection that another has.
    explicit client(std::shared_ptr<state> core) : all_(std::move(core)) {}
    client(asio::io_context& io, const std::vector<detail::destination>& destinations,
           client_options options, detail::standard same);

    std::shared_ptr<state> all_;
};

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_HPP
