// Reads any bytes as both records of a channel's handover: what is one is written as it was read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// The library itself, of which records need failures.
#include "mxp/engine/compiled.hpp"
#include "mxp/net/transport/shm/record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace shm = mxp::net::detail::shm;
    shm::record from{};
    if (size < from.size()) {
        return 0;
    }
    std::copy(data, data + from.size(), from.begin());
    if (const auto opened = shm::decode_opening(from)) {
        const auto again = shm::encode(*opened);
        if (!again || *again != from) {
            std::abort();
        }
    }
    const auto granted = shm::decode_answer(from, false);
    const auto refused = shm::decode_answer(from, true);
    if ((granted && (*granted || from != shm::granted())) ||
        (refused && (!*refused || shm::encode_refusal(**refused) != from)) ||
        (granted && refused)) {
        std::abort();
    }
    return 0;
}
