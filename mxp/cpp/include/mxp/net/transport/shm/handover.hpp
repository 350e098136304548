/// How two sides come to have each other's memory, over the socket between them [MXP-18.3].
#ifndef MXP_NET_TRANSPORT_SHM_HANDOVER_HPP
#define MXP_NET_TRANSPORT_SHM_HANDOVER_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "../../failure.hpp"
#include "../../system/local_socket.hpp"
#include "account.hpp"
#include "memory.hpp"
#include "offer.hpp"
#include "ring.hpp"

namespace mxp::net::detail::shm {

/// The memory that both sides have taken.
struct memory_pair {
    own_memory own{};
    peer_memory peer{};
    reservation bytes;
};

/// Why a connection goes over the socket [MXP-18.5].
struct fallback {
    std::string why{};
    /// Whether it has to be another one: what is on this one is no session.
    bool is_anew = false;
};

/// The end of a handover that did not fail.
using handover = std::variant<memory_pair, fallback>;

/// A connection by shared memory, whose socket stays open with it.
struct ring_connection {
    ring_connection(memory_pair transfer, local_handle socket)
        : memory(std::move(transfer)),
          out(memory.own, memory.peer),
          in(memory.own, memory.peer),
          wakes(memory.own, memory.peer, socket) {}
    ring_connection(const ring_connection&) = delete;
    ring_connection& operator=(const ring_connection&) = delete;

    memory_pair memory;
    send_ring out;
    receive_ring in;
    bell wakes;
};

/// The refusal of an invalid offer [MXP-18.4].
[[nodiscard]] inline failed_outcome no_offer(std::string why) {
    return failed_outcome{failure_of(session::kind::shm_handover, std::move(why))};
}

/// An offer, and the record that follows that of a channel.
using offer_and_record = std::array<unsigned char, offer::size + record_bytes>;

/// Sends an offer, with the file or the handles of its memory, and the record of a channel behind
/// it. A socket on which nothing was sent has room for it.
[[nodiscard]] inline outcome<void> send(local_handle socket, offer offer, own_memory* own,
                                        const record& rest = {}) {
    own_handles* const with = own == nullptr ? nullptr : &own->handles();
    if (with != nullptr) {
        offer.handles = with->numbers();
    }
    offer_and_record bytes{};
    const auto first = offer.encode();
    std::copy(rest.begin(), rest.end(), std::copy(first.begin(), first.end(), bytes.begin()));
    const std::size_t size = offer.of == use::channel ? bytes.size() : offer::size;
    std::error_code why;
    const std::size_t n = write_offer(socket, bytes.data(), size, with, why);
    if (n != size) {
        return failed_outcome{unavailable(why ? "an offer is not sent: " + why.message()
                                              : std::string{"an offer is not sent whole"})};
    }
    if (with != nullptr) {
        with->sent();
    }
    return {};
}

/// An offer that comes, and the record of a channel behind it where one is taken.
class incoming_offer {
   public:
    explicit incoming_offer(bool takes_channels) noexcept : takes_channels_(takes_channels) {}

    /// Reads once what has come of it, without waiting. Tells whether there is enough to know what
    /// it is.
    [[nodiscard]] outcome<bool> read(local_handle socket) {
        std::error_code why;
        const std::size_t n = memory_.read(socket, bytes_.data() + n_, wanted() - n_, why);
        if (why == std::errc::operation_would_block) {
            return false;
        }
        if (why) {
            return failed_outcome{unavailable("no offer comes: " + why.message())};
        }
        n_ += n;
        if (n == 0) {
            if (n_ > 0) {
                return no_offer("an offer ends at byte " + std::to_string(n_));
            }
            return failed_outcome{unavailable(peer_closed)};
        }
        return n_ == wanted() || is_frame();
    }

    /// Whether it is no offer, but of a peer that knows none.
    [[nodiscard]] bool is_frame() const noexcept {
        return n_ >= frame_begin.size() &&
               std::memcmp(bytes_.data(), frame_begin.data(), frame_begin.size()) == 0;
    }
    /// Whether it is that of a channel, as far as it has come.
    [[nodiscard]] bool is_channels() const noexcept {
        return takes_channels_ && n_ >= offer::size && offer::is_of(use::channel, bytes_.data());
    }
    /// The offer, and the record behind it.
    [[nodiscard]] offer::bytes bytes() const noexcept {
        offer::bytes made{};
        std::copy_n(bytes_.begin(), made.size(), made.begin());
        return made;
    }
    [[nodiscard]] record behind() const noexcept {
        record made{};
        std::copy_n(bytes_.begin() + offer::size, made.size(), made.begin());
        return made;
    }

    /// Maps the memory that is offered with it, by its ring and its handles.
    [[nodiscard]] mxp::result<peer_memory, map_failure> open(local_handle socket,
                                                             const offer& said) const {
        auto taken = memory_.map(socket, said.handles, numbers_bytes + said.ring);
        if (!taken) {
            return mxp::unexpected_of<map_failure>{taken.error()};
        }
        return peer_memory{std::move(*taken), said.ring};
    }

   private:
    /// The first bytes of what an acceptor of an earlier release sends.
    static constexpr std::array<unsigned char, 4> frame_begin{'1', 'P', 'X', 'M'};

    /// How many bytes there have to be.
    [[nodiscard]] std::size_t wanted() const noexcept {
        return is_channels() ? bytes_.size() : offer::size;
    }

    bool takes_channels_;
    offer_and_record bytes_{};
    std::size_t n_ = 0;
    offered_memory memory_{};
};

/// Waits for an offer, until a time.
[[nodiscard]] inline outcome<void> await(incoming_offer& what, local_handle socket,
                                         std::chrono::steady_clock::time_point until) {
    for (;;) {
        const auto is_whole = what.read(socket);
        if (!is_whole) {
            return failed_outcome{is_whole.error()};
        }
        if (*is_whole) {
            return {};
        }
        const auto left =
            std::chrono::ceil<std::chrono::microseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return failed_outcome{unavailable("the peer does not answer an offer of memory")};
        }
        await_local(socket, left);
    }
}

inline constexpr const char* is_full = "all connections have as many bytes in rings as they may "
                                       "(shm_bytes)";

/// Memory that a side can give, with its bytes of the account; or why it has none.
[[nodiscard]] inline mxp::result<own_memory, std::string> make(std::size_t ring,
                                                               reservation& bytes) {
    if (!bytes.add(ring)) {
        return mxp::unexpected_of<std::string>{is_full};
    }
    return create(ring);
}

/// The end of a handover whose memory is not what it must be, or whose peer is gone.
[[nodiscard]] inline failed_outcome no_memory_of(const map_failure& failed) {
    return failed_outcome{failed.what == map_fault::gone
                              ? unavailable(failed.why)
                              : failure_of(session::kind::shm_memory, failed.why)};
}

/// The opener's part.
class opener {
   public:
    explicit opener(std::shared_ptr<shm_account> account)
        : account_(std::move(account)), bytes_(account_), made_(make(account_->ring(), bytes_)) {}

    /// Why there is nothing to offer, if there is not.
    [[nodiscard]] std::optional<std::string> lacks() const {
        return made_ ? std::nullopt : std::optional{made_.error()};
    }
    [[nodiscard]] outcome<void> propose(local_handle socket) {
        return send(socket, {verdict::memory, account_->ring(), use::session}, &*made_);
    }
    /// Takes the answer. It is used once.
    [[nodiscard]] outcome<handover> answered(local_handle socket, const incoming_offer& arrival) {
        if (arrival.is_frame()) {
            return fallback{"the server is of a release that knows no shared memory", true};
        }
        const auto said = offer::decode(arrival.bytes(), false);
        if (!said) {
            return no_offer(said.error());
        }
        if (said->said == verdict::socket) {
            return fallback{"the server has no memory to share, as its log says", false};
        }
        if (said->said == verdict::refused) {
            return failed_outcome{unusable("the server refuses this side's memory")};
        }
        auto peer = arrival.open(socket, *said);
        if (!peer && peer.error().what != map_fault::refused) {
            return no_memory_of(peer.error());
        }
        if (!peer) {
            return fallback{peer.error().why, true};
        }
        if (!bytes_.add(said->ring)) {
            return fallback{is_full, true};
        }
        return handover{memory_pair{std::move(*made_), std::move(*peer), std::move(bytes_)}};
    }

   private:
    std::shared_ptr<shm_account> account_;
    reservation bytes_;
    mxp::result<own_memory, std::string> made_;
};

/// Whether a connection begins as one by shared memory does, of which a byte has come.
[[nodiscard]] inline bool is_offer(unsigned char first) noexcept {
    return first == offer::begin.front();
}

/// The memory of an opener: it, or why the system does not map it, and the bytes of its ring.
struct opener_memory {
    mxp::result<peer_memory, std::string> peer;
    std::size_t ring = 0;
};

/// The memory that an offer is of, which has come whole.
[[nodiscard]] inline outcome<opener_memory>
map_offered(local_handle socket, const incoming_offer& arrival, const offer& said) {
    auto peer = arrival.open(socket, said);
    if (peer) {
        return opener_memory{std::move(*peer), said.ring};
    }
    if (peer.error().what != map_fault::refused) {
        return no_memory_of(peer.error());
    }
    return opener_memory{mxp::unexpected_of<std::string>{peer.error().why}, said.ring};
}

/// Answers an opener's offer of memory for a session, and says how the connection goes on.
[[nodiscard]] inline outcome<handover> answer(local_handle socket, opener_memory offer,
                                              const std::shared_ptr<shm_account>& account) {
    reservation bytes{account};
    auto made = offer.peer ? make(account->ring(), bytes)
                           : mxp::unexpected_of<std::string>{offer.peer.error()};
    if (made && !bytes.add(offer.ring)) {
        made = mxp::unexpected_of<std::string>{is_full};
    }
    const auto sent = made ? send(socket, {verdict::memory, account->ring(), use::session}, &*made)
                           : send(socket, {verdict::socket, 0, use::session}, nullptr);
    if (!sent) {
        return failed_outcome{sent.error()};
    }
    if (!made) {
        return fallback{made.error(), false};
    }
    return handover{memory_pair{std::move(*made), std::move(*offer.peer), std::move(bytes)}};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_HANDOVER_HPP
