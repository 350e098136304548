// Reads any bytes as an Offer of shared memory: what is one is written as it was read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "mxp/net/transport/shm/offer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using mxp::net::detail::shm::offer;
    using mxp::net::detail::shm::use;
    offer::bytes from{};
    if (size < from.size()) {
        return 0;
    }
    std::copy(data, data + from.size(), from.begin());
    const auto openers = offer::decode(from, true);
    const auto acceptors = offer::decode(from, false, openers ? openers->of : use::session);
    if ((openers && (openers->ring == 0 || openers->encode() != from)) ||
        (acceptors && acceptors->encode() != from) || (openers && !acceptors)) {
        std::abort();
    }
    return 0;
}
