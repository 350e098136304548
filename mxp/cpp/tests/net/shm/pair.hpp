/// Both sides of a connection in one process.
#ifndef MXP_TESTS_NET_SHM_PAIR_HPP
#define MXP_TESTS_NET_SHM_PAIR_HPP

#include <array>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "mxp/net/transport/shm/handover.hpp"
#include "offers.hpp"
#if !defined(_WIN32)
#include <sys/socket.h>
#endif

namespace sharing {

namespace shm = net::detail::shm;

#if defined(_WIN32)

/// The memory of a side as its peer sees it, which is this process.
[[nodiscard]] inline shm::peer_memory taken(shm::own_memory& from) {
    auto made = shm::map_memory(::GetCurrentProcess(), from.handles().numbers(), size);
    EXPECT_TRUE(made) << (made ? "" : made.error().why);
    return {std::move(*made), ring};
}

/// The two ends of a pipe.
[[nodiscard]] inline std::array<shm::local_socket, 2> connected() {
    const running::folder folder;
    const std::string path = net::detail::pipe_path(net::parse_address(folder.at("s"))->path);
    const net::detail::access_list access{net::detail::pipe_access(running::own_user(), false)};
    shm::local_socket there = net::detail::make_instance(path, access, 0);
    shm::local_socket here = net::detail::open_pipe(path);
    EXPECT_TRUE(there && here);
    return {std::move(here), std::move(there)};
}

#else

[[nodiscard]] inline shm::peer_memory taken(shm::own_memory& from) {
    auto made = shm::map_memory(from.handles().file(), size);
    EXPECT_TRUE(made) << (made ? "" : made.error().why);
    return {std::move(*made), ring};
}

/// Two sockets that are connected.
[[nodiscard]] inline std::array<shm::local_socket, 2> connected() {
    std::array<int, 2> made{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()), 0);
    return {shm::local_socket{made[0]}, shm::local_socket{made[1]}};
}

#endif

/// Two sides that have each other's memory, and the sockets between them.
struct pair {
    pair() {
        left = std::move(*shm::create(ring));
        right = std::move(*shm::create(ring));
        to_here = taken(right);
        to_there = taken(left);
    }
    pair(const pair&) = delete;
    pair& operator=(const pair&) = delete;

    [[nodiscard]] std::optional<std::size_t> write(const std::vector<running::bytes>& all) {
        return out.write(
            all,
            [](const running::bytes& one) {
                return std::pair{one.data(), one.size()};
            },
            from);
    }
    [[nodiscard]] shm::read_outcome read(std::size_t most) {
        come.assign(most, {});
        std::size_t n = 0;
        const shm::read_outcome what = in.read(come.data(), most, n, back);
        come.resize(what == shm::read_outcome::bytes ? n : 0);
        return what;
    }
    /// How many bytes of waking have come on the socket.
    [[nodiscard]] std::size_t woken() const {
        std::array<std::byte, 64> passed{};
        std::error_code why;
        return shm::read_local(sockets[1].get(), passed.data(), passed.size(), why);
    }

    std::array<shm::local_socket, 2> sockets = connected();
    shm::own_memory left{};
    shm::own_memory right{};
    /// The memory of the right side as the left one sees it, and the other way round.
    shm::peer_memory to_here{};
    shm::peer_memory to_there{};
    shm::bell from{left, to_here, sockets[0].get()};
    shm::bell back{right, to_there, sockets[1].get()};
    shm::send_ring out{left, to_here};
    shm::receive_ring in{right, to_there};
    running::bytes come{};
};

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_PAIR_HPP
