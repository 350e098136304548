/// Unix sockets below shared memory.
#ifndef MXP_NET_SYSTEM_POSIX_LOCAL_SOCKET_HPP
#define MXP_NET_SYSTEM_POSIX_LOCAL_SOCKET_HPP

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "shared_memory.hpp"
#include "socket.hpp"

namespace mxp::net::detail::shm {

/// The number of a socket, and a socket that is closed with its object.
using local_handle = int;
using local_socket = descriptor;

/// Reads what is there; `operation_would_block` says that there are no bytes yet, and 0 without an
/// error that there will be none.
[[nodiscard]] inline std::size_t read_local(local_handle socket, std::byte* output,
                                            std::size_t most, std::error_code& why) {
    return read_socket(socket, output, most, why);
}

/// Looks at the first byte that is there, and leaves it to be read.
[[nodiscard]] inline std::size_t peek_local(local_handle socket, unsigned char& output,
                                            std::error_code& why) {
    return transferred(::recv(socket, &output, 1, MSG_PEEK | MSG_DONTWAIT), why);
}

/// Writes what there is room for.
inline std::size_t write_local(local_handle socket, const unsigned char* input, std::size_t n,
                               std::error_code& why) {
    const iovec piece{const_cast<unsigned char*>(input), n};
    return write_socket(socket, &piece, 1, why);
}

/// Waits for bytes, or the end, but no longer than a time: it may return sooner.
inline void await_local(local_handle socket, std::chrono::microseconds most) {
    static_cast<void>(wait_for(socket, true, false, most));
}

/// Writes the bytes of an offer, with the file of memory beside them, where there is one.
inline std::size_t write_offer(local_handle socket, const unsigned char* input, std::size_t n,
                               const own_handles* with, std::error_code& why) {
    iovec piece{const_cast<unsigned char*>(input), n};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> space{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (with != nullptr) {
        message.msg_control = space.data();
        message.msg_controllen = space.size();
        cmsghdr* const beside = CMSG_FIRSTHDR(&message);
        beside->cmsg_level = SOL_SOCKET;
        beside->cmsg_type = SCM_RIGHTS;
        beside->cmsg_len = CMSG_LEN(sizeof(int));
        const int sent = with->file();
        std::memcpy(CMSG_DATA(beside), &sent, sizeof sent);
    }
    return transferred(::sendmsg(socket, &message, no_signal | MSG_DONTWAIT), why);
}

/// The descriptors that come beside the bytes of an offer.
class offered_memory {
   public:
    /// Reads bytes, as `read_local` does, and keeps the first descriptor beside them.
    [[nodiscard]] std::size_t read(local_handle socket, unsigned char* output, std::size_t most,
                                   std::error_code& why) {
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(files_most * sizeof(int))> space{};
        iovec piece{output, most};
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
        const std::size_t n = transferred(::recvmsg(socket, &message, flags), why);
        if (!why) {
            keep_files(message);
            is_cut_ = is_cut_ || (message.msg_flags & MSG_CTRUNC) != 0;
        }
        return n;
    }

    /// Maps the memory of so many bytes that is offered.
    [[nodiscard]] mxp::result<peer_mapping, map_failure>
    map(local_handle /*from*/, const offer_handles& /*numbers*/, std::size_t size) const {
        const auto unfit = [](std::string why) {
            return mxp::unexpected_of<map_failure>{map_failure{map_fault::unfit, std::move(why)}};
        };
        if (is_cut_) {
            return unfit("the system has dropped descriptors: too many came, or are open here");
        }
        if (files_ != 1) {
            return unfit(std::to_string(files_) + " descriptors came with an offer");
        }
        return map_memory(file_.get(), size);
    }

   private:
    /// How many descriptors are received at most. A second one is wrong already.
    static constexpr std::size_t files_most = 2;

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

    /// The first descriptor that has come, and how many have: others are closed.
    descriptor file_{};
    std::size_t files_ = 0;
    /// The system has dropped a descriptor.
    bool is_cut_ = false;
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_SYSTEM_POSIX_LOCAL_SOCKET_HPP
