/// Takes connections, and serves what is asked on them.
#ifndef MXP_NET_SERVER_HPP
#define MXP_NET_SERVER_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "../session/stats.hpp"
#include "server_options.hpp"
#include "services.hpp"
#include "standard.hpp"

namespace asio {
class io_context;
}

namespace mxp::net {

/// Serves any number of addresses, on the threads that run its `io_context`, and is used on any.
/// Handlers of one connection are called one at a time, handlers of several connections side by
/// side. Where several threads run the context, handlers may still run for a moment after `close`.
class server {
   public:
    server(asio::io_context& io, services list, server_options options = {}, detail::standard = {});
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server();

    /// Takes connections at an address from now on. It returns the address, with the port that
    /// was given for port 0.
    attempt<std::string> listen(std::string_view text);

    /// Takes no new connections and requests, and calls `then` when none is left. Requests that are
    /// left after `most` are cut off.
    void drain(std::string_view reason, std::chrono::milliseconds most, std::function<void()> then);

    /// Cuts off all connections.
    void close();

    [[nodiscard]] std::size_t connections() const;

    /// The counters of all connections there were.
    [[nodiscard]] session::statistics stats() const;

   private:
    struct state;
    class counted_channel;
    std::shared_ptr<state> all_;
};

}  // namespace mxp::net

#endif  // MXP_NET_SERVER_HPP
