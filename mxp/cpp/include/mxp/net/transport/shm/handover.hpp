/// How two sides come to have each other's memory, over the socket between them [MXP-18.3].
#ifndef MXP_NET_TRANSPORT_SHM_HANDOVER_HPP
#define MXP_NET_TRANSPORT_SHM_HANDOVER_HPP

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "../../failure.hpp"
#include "../../plain_socket.hpp"
#include "account.hpp"
#include "file.hpp"
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
    ring_connection(memory_pair transfer, int socket)
        : memory(std::move(transfer)),
          out(memory.own, memory.peer),
          in(memory.own, memory.peer),
          wakes(memory.own, socket) {}
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

/// Sends an offer, with the file of its memory beside it and the record of a channel behind it. A
/// socket on which nothing was sent has room for it.
[[nodiscard]] inline outcome<void> send(int socket, const offer& offer, const descriptor* file,
                                        const record& rest = {}) {
    offer_and_record bytes{};
    const auto first = offer.encode();
    std::copy(rest.begin(), rest.end(), std::copy(first.begin(), first.end(), bytes.begin()));
    const std::size_t size = offer.of == use::channel ? bytes.size() : offer::size;
    iovec piece{bytes.data(), size};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> space{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (file != nullptr) {
        message.msg_control = space.data();
        message.msg_controllen = space.size();
        cmsghdr* const beside = CMSG_FIRSTHDR(&message);
        beside->cmsg_level = SOL_SOCKET;
        beside->cmsg_type = SCM_RIGHTS;
        beside->cmsg_len = CMSG_LEN(sizeof(int));
        const int sent = file->get();
        std::memcpy(CMSG_DATA(beside), &sent, sizeof sent);
    }
    const ssize_t n = ::sendmsg(socket, &message, no_signal | MSG_DONTWAIT);
    if (n != static_cast<ssize_t>(size)) {
        return failed_outcome{unavailable(n < 0 ? system_text("an offer is not sent")
                                                : std::string{"an offer is not sent whole"})};
    }
    return {};
}

/// An offer that comes, and the record of a channel behind it where one is taken.
class incoming_offer {
   public:
    explicit incoming_offer(bool takes_channels) noexcept : takes_channels_(takes_channels) {}

    /// Reads once what has come of it, without waiting. Tells whether there is enough to know what
    /// it is.
    [[nodiscard]] outcome<bool> read(int socket) {
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(files_most * sizeof(int))> space{};
        iovec piece{bytes_.data() + n_, wanted() - n_};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = space.data();
        message.msg_controllen = space.size();
#if defined(MSG_CMSG_CLOEXEC)
        constexpr int flags = MSG_CMSG_CLOEXEC | MSG_DONTWAIT;
#else
        constexpr int flags = MSG_DONTWAIT;
#endif
        const ssize_t n = ::recvmsg(socket, &message, flags);
        if (n < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
                return false;
            }
            return failed_outcome{unavailable(system_text("no offer comes"))};
        }
        keep_files(message);
        is_cut_ = is_cut_ || (message.msg_flags & MSG_CTRUNC) != 0;
        n_ += static_cast<std::size_t>(n);
        if (n == 0) {
            if (n_ > 0) {
                return no_offer("an offer ends at byte " + std::to_string(n_));
            }
            return failed_outcome{unavailable("the peer has closed the connection")};
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

    /// Maps the memory that is offered with it.
    [[nodiscard]] mxp::result<peer_memory, map_failure> open(std::size_t ring) const {
        const auto unfit = [](std::string why) {
            return mxp::unexpected_of<map_failure>{map_failure{true, std::move(why)}};
        };
        if (is_cut_) {
            return unfit("the system has dropped descriptors: too many came, or are open here");
        }
        if (files_ != 1) {
            return unfit(std::to_string(files_) + " descriptors came with an offer");
        }
        return shm::open(file_, ring);
    }

   private:
    /// How many descriptors are received at most. A second one is wrong already.
    static constexpr std::size_t files_most = 2;
    /// The first bytes of what an acceptor of an earlier release sends.
    static constexpr std::array<unsigned char, 4> frame_begin{'1', 'P', 'X', 'M'};

    /// How many bytes there have to be.
    [[nodiscard]] std::size_t wanted() const noexcept {
        return is_channels() ? bytes_.size() : offer::size;
    }

    void keep_files(msghdr& message) {
        for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr;
             one = CMSG_NXTHDR(&message, one)) {
            if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) {
                continue;
            }
            const std::size_t n = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < n; ++i) {
                int file = -1;
                std::memcpy(&file, CMSG_DATA(one) + i * sizeof file, sizeof file);
                descriptor came{file};
                if (files_++ == 0) {
                    file_ = std::move(came);
                }
            }
        }
    }

    bool takes_channels_;
    offer_and_record bytes_{};
    std::size_t n_ = 0;
    /// The first descriptor that has come, and how many have: others are closed.
    descriptor file_{};
    std::size_t files_ = 0;
    /// The system has dropped a descriptor.
    bool is_cut_ = false;
};

/// Waits for an offer, until a time.
[[nodiscard]] inline outcome<void> await(incoming_offer& what, int socket,
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
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return failed_outcome{unavailable("the peer does not answer an offer of memory")};
        }
        pollfd news{socket, POLLIN, 0};
        const std::chrono::milliseconds::rep longest = 60'000;
        static_cast<void>(::poll(&news, 1, static_cast<int>(std::min(left.count(), longest))));
    }
}

inline constexpr const char* is_full = "all connections have as many bytes in rings as they may "
                                       "(shm_bytes)";

/// Memory that a side can give, with its bytes of the account; or why it has none.
[[nodiscard]] inline mxp::result<memory_file, std::string> make(std::size_t ring,
                                                                reservation& bytes) {
    if (!bytes.add(ring)) {
        return mxp::unexpected_of<std::string>{is_full};
    }
    return create(ring);
}

/// The refusal of memory that is not what it must be.
[[nodiscard]] inline failed_outcome unfit_memory(std::string why) {
    return failed_outcome{failure_of(session::kind::shm_memory, std::move(why))};
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
    [[nodiscard]] outcome<void> propose(int socket) const {
        return send(socket, {verdict::memory, account_->ring(), use::session}, &made_->file);
    }
    /// Takes the answer. It is used once.
    [[nodiscard]] outcome<handover> answered(const incoming_offer& arrival) {
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
        auto peer = arrival.open(said->ring);
        if (!peer && peer.error().is_unfit) {
            return unfit_memory(peer.error().why);
        }
        if (!peer) {
            return fallback{peer.error().why, true};
        }
        if (!bytes_.add(said->ring)) {
            return fallback{is_full, true};
        }
        return handover{memory_pair{std::move(made_->memory), std::move(*peer), std::move(bytes_)}};
    }

   private:
    std::shared_ptr<shm_account> account_;
    reservation bytes_;
    mxp::result<memory_file, std::string> made_;
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

/// The memory that an offer is of, whose bytes and descriptor have come.
[[nodiscard]] inline outcome<opener_memory> map_offered(const incoming_offer& arrival,
                                                        std::size_t ring) {
    auto peer = arrival.open(ring);
    if (peer) {
        return opener_memory{std::move(*peer), ring};
    }
    if (peer.error().is_unfit) {
        return unfit_memory(peer.error().why);
    }
    return opener_memory{mxp::unexpected_of<std::string>{peer.error().why}, ring};
}

/// Answers an opener's offer of memory for a session, and says how the connection goes on.
[[nodiscard]] inline outcome<handover> answer(int socket, opener_memory offer,
                                              const std::shared_ptr<shm_account>& account) {
    reservation bytes{account};
    auto made = offer.peer ? make(account->ring(), bytes)
                           : mxp::unexpected_of<std::string>{offer.peer.error()};
    if (made && !bytes.add(offer.ring)) {
        made = mxp::unexpected_of<std::string>{is_full};
    }
    const auto sent =
        made ? send(socket, {verdict::memory, account->ring(), use::session}, &made->file)
             : send(socket, {verdict::socket, 0, use::session}, nullptr);
    if (!sent) {
        return failed_outcome{sent.error()};
    }
    if (!made) {
        return fallback{made.error(), false};
    }
    return handover{memory_pair{std::move(made->memory), std::move(*offer.peer), std::move(bytes)}};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_HANDOVER_HPP
