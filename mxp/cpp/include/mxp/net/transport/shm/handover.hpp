/// How two sides come to have each other's memory, over the socket between them [MXP-18.3].
#ifndef MXP_NET_TRANSPORT_SHM_HANDOVER_HPP
#define MXP_NET_TRANSPORT_SHM_HANDOVER_HPP

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
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
struct handed {
    own_memory own{};
    peer_memory peer{};
    reservation bytes;
};

/// Why a connection goes over the socket [MXP-18.5].
struct over_socket {
    std::string why{};
    /// Whether it has to be another one: what is on this one is no session.
    bool is_anew = false;
};

/// The end of a handover that did not fail.
using handover = std::variant<handed, over_socket>;

/// A connection by shared memory, whose socket stays open with it.
struct connected {
    connected(handed with, int socket)
        : memory(std::move(with)),
          out(memory.own, memory.peer),
          in(memory.own, memory.peer),
          wakes(memory.own, socket) {}
    connected(const connected&) = delete;
    connected& operator=(const connected&) = delete;

    handed memory;
    sending out;
    receiving in;
    bell wakes;
};

/// The refusal of what is no offer [MXP-18.4].
[[nodiscard]] inline failed_outcome no_offer(std::string why) {
    return failed_outcome{failure_of(session::kind::shm_handover, std::move(why))};
}

/// Sends an offer, with the file of its memory beside it. A socket on which nothing was sent has
/// room for it.
[[nodiscard]] inline outcome<void> send(int socket, const offer& what, const descriptor* file) {
    auto bytes = what.encode();
    iovec piece{bytes.data(), bytes.size()};
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
    if (n != static_cast<ssize_t>(bytes.size())) {
        return failed_outcome{unavailable(n < 0 ? system_text("an offer is not sent")
                                                : std::string{"an offer is not sent whole"})};
    }
    return {};
}

/// An offer that comes.
class arriving {
   public:
    /// Reads once what has come of it, without waiting. Tells whether there is enough to know what
    /// it is.
    [[nodiscard]] outcome<bool> read(int socket) {
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(files_most * sizeof(int))> space{};
        iovec piece{bytes_.data() + n_, bytes_.size() - n_};
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
        return n_ == bytes_.size() || is_frame();
    }

    /// Whether it is no offer, but of a peer that knows none.
    [[nodiscard]] bool is_frame() const noexcept {
        return n_ >= frame_begin.size() &&
               std::memcmp(bytes_.data(), frame_begin.data(), frame_begin.size()) == 0;
    }
    [[nodiscard]] const offer::bytes& bytes() const noexcept { return bytes_; }

    /// Maps the memory that is offered with it.
    [[nodiscard]] mxp::result<peer_memory, unmapped> open(std::size_t ring) const {
        const auto unfit = [](std::string why) {
            return mxp::unexpected_of<unmapped>{unmapped{true, std::move(why)}};
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

    void keep_files(msghdr& of) {
        for (cmsghdr* one = CMSG_FIRSTHDR(&of); one != nullptr; one = CMSG_NXTHDR(&of, one)) {
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

    offer::bytes bytes_{};
    std::size_t n_ = 0;
    /// The first descriptor that has come, and how many have: others are closed.
    descriptor file_{};
    std::size_t files_ = 0;
    /// The system has dropped a descriptor.
    bool is_cut_ = false;
};

inline constexpr const char* is_full = "all connections have as many bytes in rings as they may "
                                       "(shm_bytes)";

/// Memory that a side can give, with its bytes of the account; or why it has none.
[[nodiscard]] inline mxp::result<made_memory, std::string>
make(const std::shared_ptr<shm_account>& of, reservation& bytes) {
    if (!bytes.add(of->ring())) {
        return mxp::unexpected_of<std::string>{is_full};
    }
    return create(of->ring());
}

/// The refusal of memory that is not what it must be.
[[nodiscard]] inline failed_outcome unfit_memory(std::string why) {
    return failed_outcome{failure_of(session::kind::shm_memory, std::move(why))};
}

/// The opener's part.
class opener {
   public:
    explicit opener(std::shared_ptr<shm_account> of)
        : account_(std::move(of)), bytes_(account_), made_(make(account_, bytes_)) {}

    /// Why there is nothing to offer, if there is not.
    [[nodiscard]] std::optional<std::string> lacks() const {
        return made_ ? std::nullopt : std::optional{made_.error()};
    }
    [[nodiscard]] outcome<void> propose(int socket) const {
        return send(socket, {verdict::memory, account_->ring()}, &made_->file);
    }
    /// Takes the answer. It is used once.
    [[nodiscard]] outcome<handover> answered(const arriving& by) {
        if (by.is_frame()) {
            return over_socket{"the server is of a release that knows no shared memory", true};
        }
        const auto said = offer::decode(by.bytes(), false);
        if (!said) {
            return no_offer(said.error());
        }
        if (said->said == verdict::socket) {
            return over_socket{"the server has no memory to share, as its log says", false};
        }
        if (said->said == verdict::refused) {
            return failed_outcome{unusable("the server refuses this side's memory")};
        }
        auto peer = by.open(said->ring);
        if (!peer && peer.error().is_unfit) {
            return unfit_memory(peer.error().why);
        }
        if (!peer) {
            return over_socket{peer.error().why, true};
        }
        if (!bytes_.add(said->ring)) {
            return over_socket{is_full, true};
        }
        return handover{handed{std::move(made_->memory), std::move(*peer), std::move(bytes_)}};
    }

   private:
    std::shared_ptr<shm_account> account_;
    reservation bytes_;
    mxp::result<made_memory, std::string> made_;
};

/// Whether a connection begins as one by shared memory does, of which a byte has come.
[[nodiscard]] inline bool is_offer(unsigned char first) noexcept {
    return first == offer::begin.front();
}

/// Refuses an offer, whether that can be told or not.
inline void refuse(int socket) { static_cast<void>(send(socket, {verdict::refused, 0}, nullptr)); }

/// Answers an opener's offer, and says how the connection goes on. One that is refused is not told
/// so here.
[[nodiscard]] inline outcome<handover> answer(int socket, const arriving& came,
                                              const std::shared_ptr<shm_account>& of) {
    const auto said = offer::decode(came.bytes(), true);
    if (!said) {
        return no_offer(said.error());
    }
    auto peer = came.open(said->ring);
    if (!peer && peer.error().is_unfit) {
        return unfit_memory(peer.error().why);
    }
    reservation bytes{of};
    auto made = peer ? make(of, bytes) : mxp::unexpected_of<std::string>{peer.error().why};
    if (made && !bytes.add(said->ring)) {
        made = mxp::unexpected_of<std::string>{is_full};
    }
    const auto sent = made ? send(socket, {verdict::memory, of->ring()}, &made->file)
                           : send(socket, {verdict::socket, 0}, nullptr);
    if (!sent) {
        return failed_outcome{sent.error()};
    }
    if (!made) {
        return over_socket{made.error(), false};
    }
    return handover{handed{std::move(made->memory), std::move(*peer), std::move(bytes)}};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_HANDOVER_HPP
