/// A channel that a peer wants to open, until it is opened or refused [MXP-18.13].
#ifndef MXP_NET_TRANSPORT_SHM_PROPOSAL_HPP
#define MXP_NET_TRANSPORT_SHM_PROPOSAL_HPP

#include <memory>
#include <utility>

#include "../../channel_options.hpp"
#include "../../peer.hpp"
#include "account.hpp"
#include "ends.hpp"
#include "handover.hpp"
#include "record.hpp"

namespace mxp::net::detail::shm {

/// Tells an opener why there is no channel, whether it hears it or not.
inline void refuse_channel(local_handle socket, const failure& why) {
    static_cast<void>(
        send(socket, {verdict::refused, 0, use::channel}, nullptr, encode_refusal(why)));
}

/// Refuses what has come of an offer, whether that can be told or not.
inline void refuse(local_handle socket, const incoming_offer& arrival, const failure& why) {
    if (arrival.is_channels()) {
        refuse_channel(socket, why);
    } else {
        static_cast<void>(send(socket, {verdict::refused, 0, use::session}, nullptr));
    }
}

class proposal {
   public:
    proposal(local_socket socket, opener_memory offer, shm::open_request opening,
             std::shared_ptr<shm_account> account, net::peer peer)
        : wish(std::move(opening)),
          who(std::move(peer)),
          socket_(std::move(socket)),
          with_(std::move(offer)),
          account_(std::move(account)) {}

    void refuse(const failure& why) { refuse_channel(socket_.get(), why); }

    /// Opens the channel, once. Where it can't be the peer is told so.
    [[nodiscard]] outcome<ends> accept(const channel_options& options,
                                       std::shared_ptr<void> counts) {
        auto made = open(options, std::move(counts));
        if (!made) {
            refuse(made.error());
        }
        return made;
    }

    const shm::open_request wish;
    const net::peer who;

   private:
    [[nodiscard]] outcome<ends> open(const channel_options& options, std::shared_ptr<void> counts) {
        const forms of{wish.responses, wish.requests};
        if (!slots::of(of.received, with_.ring)) {
            return too_small(of.received);
        }
        if (!with_.peer) {
            return lacks_memory(with_.peer.error());
        }
        const auto ring = ring_for(of.sent, options.capacity);
        if (!ring) {
            return too_large(of.sent);
        }
        reservation bytes{account_};
        auto own = make(*ring, bytes);
        if (!own) {
            return lacks_memory(own.error());
        }
        if (!bytes.add(with_.ring)) {
            return lacks_memory(is_full);
        }
        const auto sent =
            send(socket_.get(), {verdict::memory, *ring, use::channel}, &*own, granted());
        if (!sent) {
            return failed_outcome{sent.error()};
        }
        return ends_of(std::move(socket_),
                       memory_pair{std::move(*own), std::move(*with_.peer), std::move(bytes)}, of,
                       chosen(options.spin), std::move(counts));
    }

    local_socket socket_;
    opener_memory with_;
    std::shared_ptr<shm_account> account_;
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_PROPOSAL_HPP
