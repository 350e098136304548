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
#include "transport/unix.hpp"

namespace mxp::net {

namespace detail {

/// In what the two sides differ, if they do.
[[nodiscard]] inline std::optional<std::string>
difference(const std::string& what, const shm::form& own, const shm::form& theirs) {
    const auto told = [](const std::string& mine, const std::string& other) {
        return std::optional{"the server" + mine + ", and the opener" + other};
    };
    const auto word = [](delivery of) {
        return std::string{of == delivery::queue ? "a queue" : "the latest"};
    };
    const auto hex = [](std::uint64_t number) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string made;
        for (unsigned shift = 64; shift > 0; shift -= 4) {
            made += digits[static_cast<std::size_t>(number >> (shift - 4) & 15U)];
        }
        return made;
    };
    if (own.delivery != theirs.delivery) {
        return told(" has " + word(own.delivery) + " of " + what, " " + word(theirs.delivery));
    }
    if (own.bytes != theirs.bytes) {
        return told("'s " + what + " have " + std::to_string(own.bytes) + " bytes",
                    "'s " + std::to_string(theirs.bytes));
    }
    if (own.fingerprint != theirs.fingerprint) {
        return told("'s " + what + " have the fingerprint " + hex(own.fingerprint),
                    "'s " + hex(theirs.fingerprint));
    }
    return std::nullopt;
}

/// Opens a channel at a place [MXP-18.12].
[[nodiscard]] inline outcome<shm::ends> open_at(const address& at, const shm::opening& wish,
                                                const channel_options& by) {
    const auto until = std::chrono::steady_clock::now() + by.timeout;
    const shm::forms of{wish.requests, wish.responses};
    const auto ring = shm::ring_for(of.sent, by.capacity);
    if (!ring) {
        return shm::too_large(of.sent);
    }
    const auto record = shm::encode(wish);
    if (!record) {
        return failed_outcome{record.error()};
    }
    shm_options bound;
    bound.bytes = by.bytes;
    shm::reservation bytes{std::make_shared<shm_account>(bound, logger{})};
    auto made = shm::make(*ring, bytes);
    if (!made) {
        return shm::lacks_memory(made.error());
    }
    const auto connected = connect_unix(at.path);
    if (!connected) {
        return failed_outcome{connected.error()};
    }
    shm::descriptor socket{*connected};
    shm::arriving came{true};
    auto done = shm::send(socket.get(), {shm::verdict::memory, *ring, shm::use::channel},
                          &made->file, *record);
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
    auto theirs = shm::map_offered(came, said->ring);
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
        shm::handed{std::move(made->memory), std::move(*theirs->peer), std::move(bytes)}, of,
        shm::chosen(by.spin), nullptr);
}

[[nodiscard]] inline outcome<shm::ends> ends_at(std::string_view at, const shm::opening& wish,
                                                const channel_options& by) {
    const auto place = parse_address(at);
    if (!place) {
        return failed_outcome{engine::no_address(no_address_text(at))};
    }
    if (place->scheme != "shm") {
        return failed_outcome{
            engine::no_address("a channel is opened at an address of shared memory")};
    }
    return open_at(*place, wish, by);
}

outcome<shm::ends> open_ends(const method& of, std::string_view at, const shm::opening& wish,
                             const channel_options& by, standard /*same*/) {
    auto made = ends_at(at, wish, by);
    if (!made) {
        engine::subject which;
        which.service = of.service;
        which.number = of.number;
        which.name = of.name;
        which.peer = std::make_shared<const std::string>(at);
        failure why = std::move(made.error());
        which.explain(why, std::chrono::steady_clock::now());
        return failed_outcome{std::move(why)};
    }
    return made;
}

}  // namespace detail

outcome<const channels::served*> channels::find(const detail::shm::opening& wish) const {
    const auto found = all_.find({wish.service, wish.method});
    if (found == all_.end()) {
        return failed_outcome{failure_of(session::kind::channel_unknown,
                                         wish.service + "/" + std::to_string(wish.method) +
                                             " is not opened as a channel")};
    }
    const detail::shm::opening& own = found->second.opening;
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
