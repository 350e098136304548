/// How events are published through a mesh [MESH-5].
#ifndef MXP_NET_PUBLICATION_HPP
#define MXP_NET_PUBLICATION_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "agent_follower.hpp"
#include "client_state.hpp"
#include "event_ids.hpp"
#include "mxp_mesh_service.hpp"
#include "publisher.hpp"

namespace mxp::net {

namespace detail {

/// The key of the metadatum that an event's id is handed to the publisher by. It is not sent.
inline constexpr std::string_view event_id_key = "mxp-event-id";

/// Takes the id of an event out of its metadata, if it has one.
[[nodiscard]] inline std::optional<std::string> take_event_id(metadata& metadata) {
    const auto found = std::find_if(metadata.begin(), metadata.end(),
                                    [](const auto& item) { return item.first == event_id_key; });
    if (found == metadata.end()) {
        return std::nullopt;
    }
    std::string id(found->second.size(), '\0');
    std::memcpy(id.data(), found->second.data(), id.size());
    metadata.erase(found);
    return id;
}

}  // namespace detail

event_options durable_as(const std::string& id, event_options options) {
    std::vector<std::byte> bytes(id.size());
    std::memcpy(bytes.data(), id.data(), id.size());
    options.requires_ack = true;
    options.metadata.emplace_back(detail::event_id_key, std::move(bytes));
    return options;
}

publisher::publisher(asio::io_context& io, client_options options, detail::standard same)
    : client(
          io, node_address(options.node),
          [&] {
              add_types(options.types, mesh::MeshService::types());
              return options;
          }(),
          same) {
    all_->publishes = true;
}

/// Makes an event one that the node carries to all who subscribe, and returns why it can't be.
inline std::optional<failure> client::state::publish(waiter& waiter, bool is_durable) {
    if (waiter.kind != session::purpose::event) {
        return engine::has_one_receiver();
    }
    mesh::Publication event;
    event.subject = {waiter.subject.service, waiter.subject.number};
    const bytes_view value = waiter.body.bytes();
    event.value.assign(value.begin(), value.end());
    event.durable = is_durable;
    auto id = detail::take_event_id(waiter.beside);
    if (is_durable) {
        event.id = id ? std::move(*id) : detail::new_event_id();
        waiter.kind = session::purpose::call;
        waiter.is_idempotent = true;
    }
    auto encoded = encoded_request(event);
    if (!encoded) {
        return encoded.error();
    }
    waiter.body = std::move(*encoded);
    const method& to =
        is_durable ? mesh::MeshService::Methods::publish : mesh::MeshService::Methods::emit;
    waiter.asked.method = to.number;
    waiter.subject = subject_of(to);
    return std::nullopt;
}

}  // namespace mxp::net

#endif  // MXP_NET_PUBLICATION_HPP
