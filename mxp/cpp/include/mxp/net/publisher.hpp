/// Clients whose events go to all of a mesh who subscribe [MESH-5].
#ifndef MXP_NET_PUBLISHER_HPP
#define MXP_NET_PUBLISHER_HPP

#include <string>

#include "client.hpp"
#include "client_options.hpp"
#include "standard.hpp"

namespace mxp::net {

/// A client of the program's node (`client_options::node`) that sends events to all subscribers;
/// the stubs of any service take it. An event that requires an Ack is durable: the Ack comes when a
/// majority of replicas have it on disk. Calls and streams fail with `method_unknown`.
class publisher : public client {
   public:
    explicit publisher(asio::io_context& io, client_options options = {}, detail::standard = {});
};

/// The options of a durable event that has a name: one that is published again by the same within
/// ten minutes is kept once. Without one, each event is given an id of its own, which holds for the
/// repetitions that the client's policy makes.
[[nodiscard]] event_options durable_as(const std::string& id, event_options options = {});

}  // namespace mxp::net

#endif  // MXP_NET_PUBLISHER_HPP
