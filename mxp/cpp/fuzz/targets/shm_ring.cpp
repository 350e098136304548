// Lets a peer of shared memory write any numbers between steps: bytes are never taken outside the
// ring, bytes are never written beyond the announced room, and impossible numbers are refused.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "mxp/net/transport/shm/memory.hpp"
#include "mxp/net/transport/shm/ring.hpp"

namespace {

namespace shm = mxp::net::detail::shm;
constexpr std::size_t ring = 4096;

void expect(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// Memory of this side, and of a peer that this program is, too.
struct sides {
    shm::own_memory own = std::move(*shm::create(ring));
    shm::own_memory theirs = std::move(*shm::create(ring));
    shm::peer_memory peer{
        std::move(*shm::map_memory(theirs.handles().file(), shm::numbers_bytes + ring)), ring};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static sides all;
    shm::bell bell{all.own, all.peer, -1};
    shm::send_ring out{all.own, all.peer};
    shm::receive_ring in{all.own, all.peer};
    std::uint64_t written = 0;
    std::uint64_t taken = 0;
    std::vector<std::byte> room(ring + 1);
    for (; size >= 8; data += 8, size -= 8) {
        std::uint64_t number = 0;
        std::memcpy(&number, data, sizeof number);
        const std::size_t most = 1 + std::size_t{data[1]} * 16;
        all.theirs.set_written(number);
        all.theirs.set_taken(number >> 8U);
        all.theirs.set_awaits(shm::at::awaits_room, static_cast<std::uint32_t>(number));

        std::size_t n = 0;
        const shm::read_outcome came = in.read(room.data(), most, n, bell);
        const bool is_right = number >= taken && number - taken <= ring;
        expect(is_right == (came != shm::read_outcome::wrong));
        expect(n <= most && (came == shm::read_outcome::bytes) == (n > 0) &&
               (!is_right || n <= number));
        taken += n;

        const std::array<std::pair<const std::byte*, std::size_t>, 1> piece{
            std::pair{room.data(), most}};
        const std::uint64_t their = number >> 8U;
        const auto put = out.write(
            piece, [](const auto& one) { return one; }, bell);
        expect(put.has_value() == (their <= written && written - their <= ring));
        expect(!put || (*put <= most && written + *put - their <= ring));
        written += put.value_or(0);
    }
    return 0;
}
