/// Sockets of Windows.
#ifndef MXP_NET_SYSTEM_WINDOWS_SOCKET_HPP
#define MXP_NET_SYSTEM_WINDOWS_SOCKET_HPP

#include "windows.hpp"

#include <algorithm>
#include <array>
#include <asio/detail/winsock_init.hpp>
#include <asio/error.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "../readiness.hpp"

namespace mxp::net {

/// A socket of the system.
using socket_handle = SOCKET;

/// A piece of bytes, as POSIX has it.
struct iovec {
    void* iov_base;
    std::size_t iov_len;
};

namespace detail {

/// An error as the rest of this library knows it, which has no numbers of Windows's.
[[nodiscard]] inline std::error_code known(const std::error_code& why) {
    return why == asio::error::connection_reset || why == asio::error::connection_aborted
               ? std::make_error_code(std::errc::connection_reset)
               : why;
}

/// The error of the last call of Windows's sockets.
[[nodiscard]] inline std::error_code last_error() {
    return known({::WSAGetLastError(), asio::error::get_system_category()});
}

/// Whether the system refuses this user.
[[nodiscard]] inline bool is_forbidden(const std::error_code& why) {
    return why == asio::error::access_denied || why == asio::error::no_permission ||
           why == std::errc::permission_denied || why == std::errc::operation_not_permitted;
}

[[nodiscard]] inline bool is_socket(socket_handle socket) noexcept {
    return socket != INVALID_SOCKET;
}

inline void close_socket(socket_handle socket) { ::closesocket(socket); }

/// Sets an option that is a number; a system that does without is no worse off than before.
inline void set_option(socket_handle socket, int level, int name, int value) {
    static_cast<void>(::setsockopt(socket, level, name, reinterpret_cast<const char*>(&value),
                                   static_cast<int>(sizeof value)));
}

/// Has the system keep no more bytes of a connection unsent than help. Windows has no limit of
/// those alone: this one is of bytes on their way, too, and so is larger.
inline void limit_unsent(socket_handle socket, int bytes) {
    set_option(socket, SOL_SOCKET, SO_SNDBUF, 4 * bytes);
}

/// Keeps others from the port. Windows gives it to servers that come back anyway.
inline void set_listening(socket_handle socket) {
    set_option(socket, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
}

/// Sets a socket so that no program gets it that this one starts.
inline void keep_to_itself(socket_handle socket) {
    ::SetHandleInformation(reinterpret_cast<HANDLE>(socket), HANDLE_FLAG_INHERIT, 0);
}

/// A socket that no call waits for and no other program gets, if there is one.
[[nodiscard]] inline socket_handle open_socket(int family, int protocol) {
    const socket_handle made = ::WSASocketW(family, SOCK_STREAM, protocol, nullptr, 0,
                                            WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    u_long is_on = 1;
    if (is_socket(made)) {
        ::ioctlsocket(made, static_cast<long>(FIONBIO), &is_on);
    }
    return made;
}

/// Begins to connect a socket; `operation_in_progress` says that it has yet to end.
[[nodiscard]] inline std::error_code begin_connect(socket_handle socket, const addrinfo& address) {
    if (::connect(socket, address.ai_addr, static_cast<int>(address.ai_addrlen)) == 0) {
        return {};
    }
    return ::WSAGetLastError() == WSAEWOULDBLOCK
               ? std::make_error_code(std::errc::operation_in_progress)
               : last_error();
}

/// The error that a socket has, if it has one.
[[nodiscard]] inline std::error_code error_of(socket_handle socket) {
    int why = 0;
    int n = sizeof why;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&why), &n) == 0
               ? std::error_code{why, asio::error::get_system_category()}
               : last_error();
}

/// Why a name has no address, by the number that `getaddrinfo` returns.
[[nodiscard]] inline std::string text_of_lookup(int failed) {
    return asio::error::get_system_category().message(failed);
}

/// How many bytes were read or written, by the result of the system's call.
[[nodiscard]] inline std::size_t transferred(bool is_done, DWORD n, std::error_code& why) {
    if (is_done) {
        why.clear();
        return n;
    }
    const bool is_blocked = ::WSAGetLastError() == WSAEWOULDBLOCK;
    why = is_blocked ? std::make_error_code(std::errc::operation_would_block) : last_error();
    return 0;
}

/// Reads what is there; `operation_would_block` says that there are no bytes yet.
[[nodiscard]] inline std::size_t read_socket(socket_handle socket, std::byte* output,
                                             std::size_t most, std::error_code& why) {
    WSABUF room{static_cast<ULONG>(most), reinterpret_cast<CHAR*>(output)};
    DWORD n = 0;
    DWORD flags = 0;
    const int failed = ::WSARecv(socket, &room, 1, &n, &flags, nullptr, nullptr);
    return transferred(failed == 0, n, why);
}

/// Writes some of the pieces; `operation_would_block` says that there is no room.
[[nodiscard]] inline std::size_t write_socket(socket_handle socket, const iovec* pieces,
                                              std::size_t n, std::error_code& why) {
    std::array<WSABUF, 64> all{};
    const std::size_t count = std::min(n, all.size());
    std::transform(pieces, pieces + count, all.begin(), [](const iovec& piece) {
        return WSABUF{static_cast<ULONG>(piece.iov_len), static_cast<CHAR*>(piece.iov_base)};
    });
    DWORD sent = 0;
    const int failed =
        ::WSASend(socket, all.data(), static_cast<DWORD>(count), &sent, 0, nullptr, nullptr);
    return transferred(failed == 0, sent, why);
}

/// Waits until a socket has bytes, or room, as asked for, or its connection has ended, but no
/// longer than a time: it may return sooner. `WSAPoll` tells of no failed connect in older releases
/// of Windows.
[[nodiscard]] inline readiness wait_for(socket_handle socket, bool for_bytes, bool for_room,
                                        std::chrono::microseconds most) {
    const auto set_of = [socket](bool is_in) {
        fd_set made{};
        made.fd_count = is_in ? 1 : 0;
        made.fd_array[0] = socket;
        return made;
    };
    fd_set readable = set_of(for_bytes);
    fd_set writable = set_of(for_room);
    fd_set broken = set_of(true);
    constexpr std::int64_t second = 1'000'000;
    const auto left = std::clamp<std::int64_t>(most.count(), 0, 60 * second);
    timeval time{};
    time.tv_sec = static_cast<decltype(time.tv_sec)>(left / second);
    time.tv_usec = static_cast<decltype(time.tv_usec)>(left % second);
    const int n = ::select(0, &readable, &writable, &broken, &time);
    return {n > 0, n > 0 && (readable.fd_count > 0 || broken.fd_count > 0)};
}

/// Whether the peer of a socket is gone, or has ended its direction.
[[nodiscard]] inline bool is_hung_up(socket_handle socket) {
    WSAPOLLFD one{socket, 0, 0};
    return ::WSAPoll(&one, 1, 0) == 1;
}

/// Whether a reactor tells that the peer of a socket is gone, while nothing is read. Asio's has
/// `select` here, which does not.
inline constexpr bool tells_hang_up = false;

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_SYSTEM_WINDOWS_SOCKET_HPP
