/// The compiled functions of channels.
#ifndef MXP_NET_OPENING_CHANNELS_HPP
#define MXP_NET_OPENING_CHANNELS_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../engine/failure_text.hpp"
#include "address.hpp"
#include "channel.hpp"
#include "transport/shm/handover.hpp"
#include "transport/shm/local_stream.hpp"

namespace mxp::net {

namespace detail {

/// In what the two sides differ, if they do.
[[nodiscard]] inline std::optional<std::string>
difference(const std::string& text, const shm::form& own, const shm::form& remote) {
    const auto told = [](const std::string& first, const std::string& second) {
        return std::optional{"the server" + first + ", and the opener" + second};
    };
    const auto word = [](delivery delivery) {
        return std::string{delivery == delivery::queue ? "a queue" : "the latest"};
    };
    const auto hex = [](std::uint64_t number) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string made;
        for (unsigned shift = 64; shift > 0; shift -= 4) {
            made += digits[static_cast<std::size_t>(number >> (shift - 4) & 15U)];
        }
        return made;
    };
    if (own.delivery != remote.delivery) {
        return told(" has " + word(own.delivery) + " of " + text, " " + word(remote.delivery));
    }
    if (own.bytes != remote.bytes) {
        return told("'s " + text + " have " + std::to_string(own.bytes) + " bytes",
                    "'s " + std::to_string(remote.bytes));
    }
    if (own.fingerprint != remote.fingerprint) {
        return told("'s " + text + " have the fingerprint " + hex(own.fingerprint),
                    "'s " + hex(remote.fingerprint));
    }
    return std::nullopt;
}

/// Opens a channel at a place [MXP-18.12].
[[nodiscard]] inline outcome<shm::ends>
open_at(const address& address, const shm::open_request& wish, const channel_options& options) {
    const auto until = std::chrono::steady_clock::now() + options.timeout;
    const shm::forms of{wish.requests, wish.responses};
    const auto ring = shm::ring_for(of.sent, options.capacity);
    if (!ring) {
        return shm::too_large(of.sent);
    }
    const auto record = shm::encode(wish);
    if (!record) {
        return failed_outcome{record.error()};
    }
    shm_options bound;
    bound.bytes = options.bytes;
    shm::reservation bytes{std::make_shared<shm_account>(bound, logger{})};
    auto made = shm::make(*ring, bytes);
    if (!made) {
        return shm::lacks_memory(made.error());
    }
    auto connected = connect_local(address, until);
    if (!connected) {
        return failed_outcome{connected.error()};
    }
    shm::local_socket socket = std::move(*connected);
    shm::incoming_offer came{true};
    auto done =
        shm::send(socket.get(), {shm::verdict::memory, *ring, shm::use::channel}, &*made, *record);
    if (done) {
        done = shm::await(came, socket.get(), until);
    }
    if (!done) {
        return failed_outcome{done.error()};
    }
    if (came.is_frame() || shm::offer::is_of(shm::use::session, came.bytes().data())) {
        return failed_outcome{
            failure_of(session::kind::channel_unknown, "the server has no channels")};
    }
    const auto said = shm::offer::decode(came.bytes(), false, shm::use::channel);
    if (!said) {
        return shm::no_offer(said.error());
    }
    if (said->said == shm::verdict::socket) {
        return shm::no_offer("the verdict on a channel is to go over the socket");
    }
    auto refusal = shm::decode_answer(came.behind(), said->said == shm::verdict::refused);
    if (!refusal) {
        return shm::no_offer(refusal.error());
    }
    if (*refusal) {
        return failed_outcome{std::move(**refusal)};
    }
    auto theirs = shm::map_offered(socket.get(), came, *said);
    if (!theirs) {
        return failed_outcome{theirs.error()};
    }
    if (!theirs->peer) {
        return shm::lacks_memory(theirs->peer.error());
    }
    if (!bytes.add(said->ring)) {
        return shm::lacks_memory(shm::is_full);
    }
    return shm::ends_of(
        std::move(socket),
        shm::memory_pair{std::move(*made), std::move(*theirs->peer), std::move(bytes)}, of,
        shm::chosen(options.spin), nullptr);
}

[[nodiscard]] inline outcome<shm::ends>
ends_at(std::string_view address, const shm::open_request& wish, const channel_options& options) {
    const auto place = parse_address(address);
    if (!place) {
        return failed_outcome{engine::no_address(no_address_text(address))};
    }
    if (place->scheme != "shm") {
        return failed_outcome{
            engine::no_address("a channel is opened at an address of shared memory")};
    }
    return open_at(*place, wish, options);
}

outcome<shm::ends> open_ends(const method& method, std::string_view address,
                             const shm::open_request& wish, const channel_options& options,
                             standard /*same*/) {
    auto made = ends_at(address, wish, options);
    if (!made) {
        engine::subject which;
        which.service = method.service;
        which.number = method.number;
        which.name = method.name;
        which.peer = std::make_shared<const std::string>(address);
        failure why = std::move(made.error());
        which.explain(why, std::chrono::steady_clock::now());
        return failed_outcome{std::move(why)};
    }
    return made;
}

}  // namespace detail

outcome<const channels::channel_service*>
channels::find(const detail::shm::open_request& wish) const {
    const auto found = all_.find({wish.service, wish.method});
    if (found == all_.end()) {
        return failed_outcome{failure_of(session::kind::channel_unknown,
                                         wish.service + "/" + std::to_string(wish.method) +
                                             " is not opened as a channel")};
    }
    const detail::shm::open_request& own = found->second.opening;
    auto unlike = detail::difference("requests", own.requests, wish.requests);
    if (!unlike) {
        unlike = detail::difference("responses", own.responses, wish.responses);
    }
    if (unlike) {
        return failed_outcome{failure_of(session::kind::channel_form, std::move(*unlike))};
    }
    return &found->second;
}

}  // namespace mxp::net

#endif  // MXP_NET_OPENING_CHANNELS_HPP
