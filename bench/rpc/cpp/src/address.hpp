/// Where a server is: `unix:PATH` or `tcp:HOST:PORT`.
#ifndef RPCBENCH_ADDRESS_HPP
#define RPCBENCH_ADDRESS_HPP

#include <string>
#include <string_view>

#include "flaw.hpp"

namespace rpcbench {

struct address {
    bool is_unix = false;
    /// A path, or host and port.
    std::string place;

    explicit address(std::string_view text) {
        const auto colon = text.find(':');
        const std::string_view kind = text.substr(0, colon);
        if (colon == text.npos || (kind != "unix" && kind != "tcp")) {
            throw flaw{std::string{text} + ": an address is unix:PATH or tcp:HOST:PORT"};
        }
        is_unix = kind == "unix";
        place = text.substr(colon + 1);
    }

    [[nodiscard]] std::string text() const { return (is_unix ? "unix:" : "tcp:") + place; }

    /// The path, for a peer that has only unix sockets.
    [[nodiscard]] const std::string& path() const {
        if (!is_unix) {
            throw flaw{"this peer is for unix sockets"};
        }
        return place;
    }
};

}  // namespace rpcbench

#endif  // RPCBENCH_ADDRESS_HPP
