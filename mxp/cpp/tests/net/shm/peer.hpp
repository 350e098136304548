/// A peer that does as it likes with its memory.
#ifndef MXP_TESTS_NET_SHM_PEER_HPP
#define MXP_TESTS_NET_SHM_PEER_HPP

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "offers.hpp"

namespace sharing {

using net::detail::shm::descriptor;

/// The seals that memory has: against shrinking, growing, later writing and further seals.
constexpr int all_seals = F_SEAL_SHRINK | F_SEAL_GROW | 0x10 | F_SEAL_SEAL;

/// A file of so many bytes, of which none may be allocated, that has some seals.
[[nodiscard]] inline descriptor file(std::size_t bytes = size, int seals = all_seals,
                                     bool is_there = true) {
    descriptor made{::memfd_create("mxp", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    EXPECT_EQ(::ftruncate(made.get(), static_cast<off_t>(bytes)), 0);
    if (is_there && bytes > 0) {
        EXPECT_EQ(::fallocate(made.get(), 0, 0, static_cast<off_t>(bytes)), 0);
    }
    EXPECT_EQ(::fcntl(made.get(), F_ADD_SEALS, seals), 0);
    return made;
}

/// A mapping, which threads of this program write while others read another of the same file.
class map {
   public:
    map(int file, std::size_t bytes, int protection)
        : base_(
              static_cast<unsigned char*>(::mmap(nullptr, bytes, protection, MAP_SHARED, file, 0))),
          bytes_(bytes) {
        EXPECT_NE(static_cast<void*>(base_), MAP_FAILED);
    }
    map(const map&) = delete;
    map& operator=(const map&) = delete;
    ~map() { ::munmap(base_, bytes_); }

    template <class Number>
    [[nodiscard]] Number load(std::size_t at) const {
        return __atomic_load_n(reinterpret_cast<const Number*>(base_ + at), __ATOMIC_SEQ_CST);
    }
    template <class Number>
    void store(std::size_t at, Number to) {
        __atomic_store_n(reinterpret_cast<Number*>(base_ + at), to, __ATOMIC_SEQ_CST);
    }

   private:
    unsigned char* base_;
    std::size_t bytes_;
};

/// Sends bytes, with descriptors beside the first of them.
inline void send_with(int socket, const unsigned char* from, std::size_t n,
                      const std::vector<int>& files) {
    alignas(cmsghdr) std::array<char, 2048> space{};
    iovec piece{const_cast<unsigned char*>(from), n};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!files.empty()) {
        const std::size_t bytes = files.size() * sizeof(int);
        message.msg_control = space.data();
        message.msg_controllen = CMSG_SPACE(bytes);
        cmsghdr* const beside = CMSG_FIRSTHDR(&message);
        beside->cmsg_level = SOL_SOCKET;
        beside->cmsg_type = SCM_RIGHTS;
        beside->cmsg_len = CMSG_LEN(bytes);
        std::memcpy(CMSG_DATA(beside), files.data(), bytes);
    }
    EXPECT_EQ(::sendmsg(socket, &message, MSG_NOSIGNAL), static_cast<ssize_t>(n));
}

/// An offer that has come, or as much as came before the end.
struct received {
    std::vector<unsigned char> bytes{};
    std::vector<descriptor> files{};
};

[[nodiscard]] inline received receive(int socket) {
    received made;
    while (made.bytes.size() < 32) {
        std::array<unsigned char, 32> room{};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> space{};
        iovec piece{room.data(), room.size() - made.bytes.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = space.data();
        message.msg_controllen = space.size();
        const ssize_t n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
        if (n <= 0) {
            break;
        }
        for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr;
             one = CMSG_NXTHDR(&message, one)) {
            for (std::size_t at = 0; at < one->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
                int file = -1;
                std::memcpy(&file, CMSG_DATA(one) + at, sizeof file);
                made.files.emplace_back(file);
            }
        }
        made.bytes.insert(made.bytes.end(), room.begin(), room.begin() + n);
    }
    return made;
}

/// A socket that is connected to an address, and has said nothing.
[[nodiscard]] inline descriptor dial(const std::string& address) {
    const std::string path = net::parse_address(address)->path;
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, path.data(), path.size());
    descriptor made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    EXPECT_EQ(::connect(made.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const timeval patience{20, 0};
    ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return made;
}

/// A listener at an address of shared memory, without a server.
[[nodiscard]] inline descriptor listen_at(const std::string& address) {
    const std::string path = net::parse_address(address)->path;
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, path.data(), path.size());
    descriptor made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    EXPECT_EQ(::bind(made.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(made.get(), 16), 0);
    return made;
}

/// An opener whose memory the server has taken.
class peer {
   public:
    explicit peer(const std::string& address)
        : socket(dial(address)), session(config_of(), ms::role::opener, 0) {
        const descriptor mine{::memfd_create("mxp", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
        EXPECT_EQ(::fallocate(mine.get(), 0, 0, size), 0);
        own = std::make_unique<map>(mine.get(), size, PROT_READ | PROT_WRITE);
        EXPECT_EQ(::fcntl(mine.get(), F_ADD_SEALS, all_seals), 0);
        send_with(socket.get(), an_offer().data(), 32, {mine.get()});
        const received answer = receive(socket.get());
        EXPECT_EQ(answer.bytes.size(), 32U);
        EXPECT_EQ(answer.bytes.at(5), 0);
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, answer.bytes.data() + 8, sizeof bytes);
        ring_ = static_cast<std::size_t>(bytes);
        EXPECT_EQ(answer.files.size(), 1U);
        theirs_ = std::make_unique<map>(answer.files.at(0).get(), 4096 + ring_, PROT_READ);
    }

    /// Behaves until requests can be made, and the server has taken all of that.
    peer& greeted() {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        const auto is_done = [this] {
            return session.ready() && theirs_->load<std::uint64_t>(at_taken) == n_written;
        };
        while (!is_done() && std::chrono::steady_clock::now() < end) {
            send_all();
            receive_all();
        }
        EXPECT_TRUE(is_done());
        return *this;
    }

    /// Copies bytes into the ring, of which the server knows nothing.
    void copy(const running::bytes& from) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            own->store<unsigned char>(4096 + (n_written + i) % ring,
                                      static_cast<unsigned char>(from[i]));
        }
    }
    /// Says that so many more were written, and wakes the server.
    void publish(std::size_t n) {
        n_written += n;
        own->store<std::uint64_t>(at_written, n_written);
        wake();
    }
    /// Wakes the server, whether it waits or not.
    void wake() { static_cast<void>(::send(socket.get(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT)); }

    /// The bytes that the session has to send.
    [[nodiscard]] running::bytes unsent() {
        ms::batch all;
        session.poll_batch(all, 0, ring / 2);
        running::bytes joined;
        all.each([&](mxp::bytes_view piece) {
            joined.insert(joined.end(), piece.begin(), piece.end());
        });
        return joined;
    }
    void send_all() {
        for (running::bytes all = unsent(); !all.empty(); all = unsent()) {
            copy(all);
            publish(all.size());
        }
    }
    /// Takes what has come from the server, and gives it to the session.
    void receive_all() {
        const auto until = theirs_->load<std::uint64_t>(at_written);
        running::bytes come;
        for (; n_taken < until; ++n_taken) {
            come.push_back(std::byte{theirs_->load<unsigned char>(4096 + n_taken % ring_)});
        }
        own->store<std::uint64_t>(at_taken, n_taken);
        mxp::bytes_view rest{come.data(), come.size()};
        while (session.receive(rest, 0)) {
        }
    }
    /// Whether the server closes the socket, in time.
    [[nodiscard]] bool is_left() {
        std::array<char, 4096> passed{};
        for (;;) {
            const ssize_t n = ::recv(socket.get(), passed.data(), passed.size(), 0);
            if (n <= 0) {
                return n == 0 || errno == ECONNRESET;
            }
        }
    }

    descriptor socket;
    std::unique_ptr<map> own{};
    ms::session session;
    std::size_t n_written = 0;
    std::size_t n_taken = 0;

   private:
    static ms::config config_of() {
        ms::config made;
        made.limits.ping_us = 0;
        return made;
    }

    std::unique_ptr<map> theirs_{};
    std::size_t ring_ = 0;
};

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_PEER_HPP
