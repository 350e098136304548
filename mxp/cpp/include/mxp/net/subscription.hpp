/// Subscriptions of handlers to the events of a mesh [MESH-5].
#ifndef MXP_NET_SUBSCRIPTION_HPP
#define MXP_NET_SUBSCRIPTION_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "client_options.hpp"
#include "mxp_mesh.hpp"
#include "services.hpp"
#include "standard.hpp"

namespace asio {
class io_context;
}

namespace mxp::net {

struct subscription_options {
    /// Makes the subscription durable: subscribers with this name share the durable events. An
    /// event is delivered again until a handler takes it; one that fails with InvalidArgument, such
    /// as a value that can't be decoded, goes to the dead letters.
    std::string consumer{};
    /// Where a consumer begins that is new.
    mesh::Start start{mesh::Start::New{}};
    /// How many durable events are delivered at most before their handlers have returned; 0 is 256.
    std::uint32_t unsettled = 0;
    /// The number of deliveries of a durable event before it goes to the dead letters; 0 is 5.
    std::uint32_t deliveries = 0;
    /// Is told how many events the subscription was not sent, since it was read too slowly. There
    /// may be nobody.
    std::function<void(std::uint64_t)> on_dropped{};
    /// Is told that the subscription is there, by null, and that it is lost, by the reason. There
    /// may be nobody.
    std::function<void(const failure*)> on_change{};
    /// How the program's own node is reached.
    client_options client{};
};

/// Lets the handlers of all events of some services hear the events that are published in the mesh,
/// one after the other, with `request::delivery`; it subscribes anew where the connection to the
/// node is lost. An exception of a handler is a failure, and comes out of the context. When this is
/// gone it has ended, as soon as a handler that another thread runs has returned. A durable
/// consumer stays, for later subscriptions by its name.
class subscription {
   public:
    /// Services without events are refused: `std::invalid_argument` is thrown.
    subscription(asio::io_context& io, services hearing, subscription_options options = {},
                 detail::standard = {});
    subscription(const subscription&) = delete;
    subscription& operator=(const subscription&) = delete;
    ~subscription();

    /// Whether it is there: the node delivers what is published to it from then on. For any thread.
    [[nodiscard]] bool is_there() const noexcept;

   private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace mxp::net

#endif  // MXP_NET_SUBSCRIPTION_HPP
