/// The program at the other end of a unix socket, and its user, as each system tells it.
#ifndef MXP_NET_PEER_USER_HPP
#define MXP_NET_PEER_USER_HPP

#include "system/features.hpp"
#if MXP_HAS_UNIX_SOCKETS

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <optional>

#include "process.hpp"

// The system's call for the user of a peer: one of two. A program for another system may define
// these before it includes this.
#if !defined(MXP_HAS_UCRED)
#if defined(__linux__) || defined(__ANDROID__)
#define MXP_HAS_UCRED 1
#else
#define MXP_HAS_UCRED 0
#endif
#endif
#if !defined(MXP_HAS_GETPEEREID)
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__) ||   \
    defined(__DragonFly__)
#define MXP_HAS_GETPEEREID 1
#else
#define MXP_HAS_GETPEEREID 0
#endif
#endif

namespace mxp::net {

/// Whether this system tells the user at the other end of a unix socket.
inline constexpr bool tells_peer_user = MXP_HAS_UCRED != 0 || MXP_HAS_GETPEEREID != 0;

/// The program at the other end of a unix socket; there is none where nobody tells.
[[nodiscard]] inline std::optional<process> peer_process([[maybe_unused]] int socket) {
#if MXP_HAS_GETPEEREID
    uid_t user = 0;
    gid_t group = 0;
    if (::getpeereid(socket, &user, &group) != 0) {
        return std::nullopt;
    }
    process peer{user, group, std::nullopt};
#if defined(LOCAL_PEERPID)
    pid_t id = 0;
    socklen_t n = sizeof id;
    if (::getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, &id, &n) == 0) {
        peer.id = id;
    }
#endif
    return peer;
#elif MXP_HAS_UCRED
    ucred peer{};
    socklen_t n = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0
               ? std::optional{process{peer.uid, peer.gid, peer.pid}}
               : std::nullopt;
#else
    return std::nullopt;
#endif
}

/// The user that it runs as.
[[nodiscard]] inline std::optional<uid_t> peer_user(int socket) {
    const auto one = peer_process(socket);
    return one ? one->user : std::nullopt;
}

/// Whether it runs as the same user as this program.
[[nodiscard]] inline bool is_same_user(int socket) {
    const auto user = peer_user(socket);
    return user && *user == ::geteuid();
}

}  // namespace mxp::net

#endif

#endif  // MXP_NET_PEER_USER_HPP
