/// The hash of trailers, XXH3 of 64 bits with the seed 0 [MXP-1.6], by libxxhash. Nothing else
/// names that library.
///
/// The function `XXH3_64bits` of libxxhash has the vector instructions that it was compiled for, on
/// x86-64 SSE2. Debian's and others' shared library has functions beside it that choose by the
/// processor when they run; a header says so. Where only the static library is linked, which lacks
/// them, or a library without them, `MXP_HASH_DISPATCH` is to be defined as 0. A program that
/// defines `XXH_INLINE_ALL` compiles the hash from its header, and needs no library.
#ifndef MXP_HASH_HPP
#define MXP_HASH_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "frame.hpp"

#if !defined(MXP_HASH_DISPATCH)
#if !defined(XXH_INLINE_ALL) && (defined(__x86_64__) || defined(__i386__)) &&                      \
    __has_include(<xxh_x86dispatch.h>)
#define MXP_HASH_DISPATCH 1
#else
#define MXP_HASH_DISPATCH 0
#endif
#endif

// The state of a hash lies on the stack: in memory of libxxhash's it would be allocated.
#if !defined(XXH_STATIC_LINKING_ONLY)
#define XXH_STATIC_LINKING_ONLY
#endif
#include <xxhash.h>
#if MXP_HASH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 gives its final values from xxHash 0.8 on");

namespace mxp::wire {

/// The hash of bytes in one piece.
[[nodiscard]] inline std::uint64_t hash(const std::byte* input, std::size_t n) noexcept {
    return XXH3_64bits(input, n);
}

/// The hash of bytes in pieces.
class hasher {
   public:
    hasher() noexcept { XXH3_64bits_reset(&state_); }

    void add(const std::byte* input, std::size_t n) noexcept {
        XXH3_64bits_update(&state_, input, n);
    }

    [[nodiscard]] std::uint64_t sum() const noexcept { return XXH3_64bits_digest(&state_); }

   private:
    XXH3_state_t state_;
};

/// The longest payload that is copied behind its header to be hashed in one piece. Up to there the
/// copy costs less than to hash in pieces does.
inline constexpr std::size_t gathered_bytes = 2048;

/// The hash of a header and of the pieces of a payload, which have `n` bytes.
[[nodiscard]] inline std::uint64_t hash(const std::byte* header, span<const bytes_view> pieces,
                                        std::size_t n) noexcept {
    if (n > gathered_bytes) {
        hasher all;
        all.add(header, header_bytes);
        for (const bytes_view piece : pieces) {
            all.add(piece.data(), piece.size());
        }
        return all.sum();
    }
    alignas(64) std::byte whole[header_bytes + gathered_bytes];
    std::memcpy(whole, header, header_bytes);
    std::byte* out = whole + header_bytes;
    for (const bytes_view piece : pieces) {
        if (!piece.empty()) {
            std::memcpy(out, piece.data(), piece.size());
            out += piece.size();
        }
    }
    return hash(whole, header_bytes + n);
}

}  // namespace mxp::wire

#endif  // MXP_HASH_HPP
