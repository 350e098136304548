/// Where a server is: `unix:PATH`, `tcp:HOST:PORT` or, of MXP, `shm:PATH` and `spin:PATH`.
#ifndef RPCBENCH_ADDRESS_HPP
#define RPCBENCH_ADDRESS_HPP

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "flaw.hpp"

namespace rpcbench {

struct address {
    /// The part before the colon.
    std::string way;
    /// A path, or host and port.
    std::string place;

    explicit address(std::string_view text) {
        const auto colon = text.find(':');
        way = text.substr(0, colon);
        constexpr std::array<std::string_view, 4> ways{"unix", "tcp", "shm", "spin"};
        if (colon == text.npos || std::find(ways.begin(), ways.end(), way) == ways.end()) {
            throw flaw{std::string{text} +
                       ": an address is unix:PATH, tcp:HOST:PORT, shm:PATH or spin:PATH"};
        }
        place = text.substr(colon + 1);
    }

    [[nodiscard]] std::string text() const { return way + ":" + place; }

    [[nodiscard]] bool is_unix() const noexcept { return way == "unix"; }
    /// Whether who waits at shared memory looks for bytes before it sleeps even if its process has
    /// one core: the other side has another.
    [[nodiscard]] bool spins() const noexcept { return way == "spin"; }

    /// The path, for a peer that has only unix sockets.
    [[nodiscard]] const std::string& path() const {
        if (!is_unix()) {
            throw flaw{"this peer is for unix sockets"};
        }
        return place;
    }
};

}  // namespace rpcbench

#endif  // RPCBENCH_ADDRESS_HPP
