/// The 32 bytes by which each side offers its memory [MXP-18.3].
#ifndef MXP_NET_TRANSPORT_SHM_OFFER_HPP
#define MXP_NET_TRANSPORT_SHM_OFFER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "../../../result.hpp"
#include "../../system/memory_terms.hpp"

namespace mxp::net::detail::shm {

/// The sizes that a ring can have: a power of two between these.
inline constexpr std::size_t ring_least = 4096;
inline constexpr std::size_t ring_most = std::size_t{1} << 30;

[[nodiscard]] constexpr bool is_ring(std::uint64_t bytes) noexcept {
    return bytes >= ring_least && bytes <= ring_most && (bytes & (bytes - 1)) == 0;
}

/// The word of a side on the memory that it was offered.
enum class verdict : std::uint8_t {
    memory,
    /// The connection goes on over the socket.
    socket,
    /// The connection is refused.
    refused,
};

/// The use of a connection.
enum class use : std::uint8_t {
    session,
    /// Values of fixed size, and no session [MXP-18.12].
    channel,
};

/// How many bytes follow the offer of a channel: an opening, or an answer.
inline constexpr std::size_t record_bytes = 320;
using record = std::array<unsigned char, record_bytes>;

struct offer {
    static constexpr std::size_t size = 32;
    using bytes = std::array<unsigned char, size>;
    /// The bytes that it begins with.
    static constexpr std::array<unsigned char, 4> begin{'M', 'X', 'P', 'S'};

    verdict said = verdict::memory;
    /// How many bytes the sender's ring has; 0 where it says that there is none.
    std::size_t ring = 0;
    use of = use::session;
    /// The handles of the memory, where this system has such.
    offer_handles handles{};

    [[nodiscard]] bytes encode() const noexcept {
        bytes made{};
        std::copy(begin.begin(), begin.end(), made.begin());
        made[4] = version;
        made[5] = static_cast<unsigned char>(said);
        made[use_at] = static_cast<unsigned char>(of);
        put(made, 8, std::uint64_t{ring});
        std::size_t place = handles_at;
        for (const std::uint32_t handle : handles) {
            put(made, std::exchange(place, place + sizeof handle), handle);
        }
        return made;
    }

    /// Whether bytes begin as an offer of a use does.
    [[nodiscard]] static bool is_of(use purpose, const unsigned char* bytes) noexcept {
        return std::equal(begin.begin(), begin.end(), bytes) &&
               bytes[use_at] == static_cast<unsigned char>(purpose);
    }

    /// Reads an offer, or says why it is none. That of an opener has memory, and is of any use; an
    /// acceptor's is of that which it answers.
    [[nodiscard]] static mxp::result<offer, std::string> decode(const bytes& input, bool is_openers,
                                                                use answered = use::session) {
        using no_offer = mxp::unexpected_of<std::string>;
        if (!std::equal(begin.begin(), begin.end(), input.begin())) {
            return no_offer{"an offer begins with other bytes than MXPS"};
        }
        if (input[4] != version) {
            return no_offer{"an offer has the version " + std::to_string(input[4])};
        }
        if (input[5] > static_cast<unsigned char>(verdict::refused) ||
            (is_openers && input[5] > 0)) {
            return no_offer{"an offer has the verdict " + std::to_string(input[5])};
        }
        const auto said = static_cast<verdict>(input[5]);
        const auto of = is_openers && is_of(use::channel, input.data()) ? use::channel : answered;
        if (input[use_at] != static_cast<unsigned char>(of)) {
            return no_offer{"an offer has the use " + std::to_string(input[use_at])};
        }
        const auto ring = get<std::uint64_t>(input, 8);
        if (said == verdict::memory ? !is_ring(ring) : ring != 0) {
            return no_offer{"an offer has a ring of " + std::to_string(ring) + " bytes"};
        }
        const auto is_zero = [](unsigned char byte) { return byte == 0; };
        const std::size_t end =
            said == verdict::memory
                ? handles_at + sizeof(offer_handles::value_type) * handles_of_offer
                : handles_at;
        if (input[7] != 0 || !std::all_of(input.begin() + end, input.end(), is_zero)) {
            return no_offer{"an offer has other bytes than 0 where they are to come"};
        }
        offer made{said, static_cast<std::size_t>(ring), of};
        std::size_t place = handles_at;
        for (std::uint32_t& handle : made.handles) {
            handle = get<std::uint32_t>(input, std::exchange(place, place + sizeof handle));
        }
        return made;
    }

   private:
    static constexpr unsigned char version = 1;
    static constexpr std::size_t use_at = 6;
    static constexpr std::size_t handles_at = 16;

    template <class Number>
    static void put(bytes& output, std::size_t place, Number number) noexcept {
        for (std::size_t i = 0; i < sizeof number; ++i) {
            output[place + i] = static_cast<unsigned char>(number >> (8 * i));
        }
    }
    template <class Number>
    [[nodiscard]] static Number get(const bytes& input, std::size_t place) noexcept {
        Number read = 0;
        for (std::size_t i = sizeof read; i-- > 0;) {
            read = static_cast<Number>(read << 8U | input[place + i]);
        }
        return read;
    }
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_OFFER_HPP
