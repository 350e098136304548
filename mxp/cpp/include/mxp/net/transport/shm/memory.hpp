/// Memory that two processes have, which its owner writes and the peer reads [MXP-18.2].
#ifndef MXP_NET_TRANSPORT_SHM_MEMORY_HPP
#define MXP_NET_TRANSPORT_SHM_MEMORY_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "../../../result.hpp"
#include "../../system/shared_memory.hpp"

namespace mxp::net::detail::shm {

/// The bytes before the ring, which have the side's numbers.
inline constexpr std::size_t numbers_bytes = 4096;

/// How many bytes a page of the system's has at least.
inline constexpr std::size_t page_bytes = 4096;

/// Where the numbers are [MXP-18.6].
namespace at {
inline constexpr std::size_t written = 64;
inline constexpr std::size_t ended = 72;
inline constexpr std::size_t taken = 128;
inline constexpr std::size_t awaits_bytes = 192;
inline constexpr std::size_t awaits_room = 196;
inline constexpr std::size_t left = 200;
inline constexpr std::size_t bell = 256;
}  // namespace at

/// From how many bytes on one instruction copies them, for which the processor has to get ready.
inline constexpr std::size_t many_bytes = 1024;

/// Copies bytes that another process may change meanwhile, each once. They are loaded as atomic
/// words: as bytes it would take as many times longer.
inline void copy_out(const std::byte* input, std::byte* output, std::size_t n) noexcept {
#if defined(__x86_64__)
    if (n >= many_bytes) {
        __asm__ volatile("rep movsb" : "+S"(input), "+D"(output), "+c"(n) : : "memory");
        return;
    }
#endif
    const auto one = [&] {
        const auto byte =
            __atomic_load_n(reinterpret_cast<const unsigned char*>(input++), __ATOMIC_RELAXED);
        *output++ = std::byte{byte};
        --n;
    };
    constexpr std::size_t word = sizeof(std::uint64_t);
    while (n > 0 && reinterpret_cast<std::uintptr_t>(input) % word != 0) {
        one();
    }
    for (; n >= word; n -= word, input += word, output += word) {
        const std::uint64_t eight =
            __atomic_load_n(reinterpret_cast<const std::uint64_t*>(input), __ATOMIC_RELAXED);
        std::memcpy(output, &eight, word);
    }
    while (n > 0) {
        one();
    }
}

/// Mapped memory, whose ring has a power of two of bytes.
class mapping {
   public:
    mapping() = default;
    mapping(void* base, std::size_t ring) noexcept
        : base_(static_cast<std::byte*>(base)), ring_(ring) {}
    mapping(mapping&& source) noexcept
        : base_(std::exchange(source.base_, nullptr)), ring_(source.ring_) {}
    mapping& operator=(mapping&& source) noexcept {
        std::swap(base_, source.base_);
        std::swap(ring_, source.ring_);
        return *this;
    }
    ~mapping() {
        if (base_ != nullptr) {
            unmap(base_, numbers_bytes + ring_);
        }
    }

    /// How many bytes the ring has.
    [[nodiscard]] std::size_t ring() const noexcept { return ring_; }

   protected:
    [[nodiscard]] std::byte* ring_at(std::size_t place) const noexcept {
        return base_ + numbers_bytes + place;
    }
    template <class Number>
    [[nodiscard]] Number* number(std::size_t place) const noexcept {
        return reinterpret_cast<Number*>(base_ + place);
    }
    /// Calls a function for the one or two places where so many bytes lie from the n-th of a
    /// direction on: with where they are, which of them come first, and how many they are.
    template <class Function>
    void each(std::uint64_t first, std::size_t n, Function then) const noexcept {
        const auto place = static_cast<std::size_t>(first & (ring_ - 1));
        const std::size_t before = std::min(n, ring_ - place);
        std::byte* const ring = ring_at(0);
        then(ring + place, std::size_t{0}, before);
        if (before < n) {
            then(ring, before, n - before);
        }
    }

   private:
    std::byte* base_ = nullptr;
    std::size_t ring_ = 0;
};

/// The memory of this side, which it writes and never reads.
class own_memory : public mapping {
   public:
    own_memory() = default;
    own_memory(own_mapping made, std::size_t ring) noexcept
        : mapping(made.base, ring), handles_(std::move(made.handles)) {}

    /// The means by which the peer comes to it, and by which threads of this side sleep.
    [[nodiscard]] own_handles& handles() noexcept { return handles_; }

    /// Writes bytes from the n-th of the direction on, no more than the ring has.
    void fill(std::uint64_t first, const std::byte* input, std::size_t n) noexcept {
        each(first, n, [input](std::byte* output, std::size_t position, std::size_t count) {
            std::memcpy(output, input + position, count);
        });
    }
    /// So many bytes of the ring from a place on, which are written where they lie.
    [[nodiscard]] std::byte* slot(std::size_t place) noexcept { return ring_at(place); }
    /// Writes into each page of a ring in which nothing was written, so that no later write has to
    /// wait for the system.
    void touch() noexcept {
        for (std::size_t place = 0; place < ring(); place += page_bytes) {
            *const_cast<volatile std::byte*>(ring_at(place)) = std::byte{0};
        }
        set_written(0);
    }
    /// Says how many bytes were written, with those bytes.
    void set_written(std::uint64_t n) noexcept { set(at::written, n, __ATOMIC_RELEASE); }
    /// Says that nothing more is written.
    void set_ended() noexcept { set(at::ended, std::uint32_t{1}, __ATOMIC_RELEASE); }
    /// Says that nothing more is taken.
    void set_left() noexcept { set(at::left, std::uint32_t{1}, __ATOMIC_RELEASE); }
    /// Says how many bytes were taken, and may be written over.
    void set_taken(std::uint64_t n) noexcept { set(at::taken, n, __ATOMIC_RELEASE); }
    /// Says how this side waits, at one of the two places of that.
    void set_awaits(std::size_t place, std::uint32_t mode) noexcept {
        set(place, mode, __ATOMIC_RELAXED);
    }
    /// The number on which threads of the peer sleep.
    [[nodiscard]] std::uint32_t* bell() noexcept { return number<std::uint32_t>(at::bell); }

   private:
    template <class Number>
    void set(std::size_t place, Number value, int order) noexcept {
        __atomic_store_n(number<Number>(place), value, order);
    }

    own_handles handles_{};
};

/// The memory of the peer, which it may change at any time. Loads are relaxed, as loads of
/// read-only memory have to be, and fences come behind them.
class peer_memory : public mapping {
   public:
    peer_memory() = default;
    peer_memory(peer_mapping taken, std::size_t ring) noexcept
        : mapping(taken.base, ring), handles_(std::move(taken.handles)) {}

    /// The means by which the peer is woken.
    [[nodiscard]] const peer_handles& handles() const noexcept { return handles_; }

    /// How many bytes the peer has written, which can be read then.
    [[nodiscard]] std::uint64_t written() const noexcept {
        return fenced<std::uint64_t>(at::written);
    }
    /// Whether the peer writes no more bytes than it has written by now.
    [[nodiscard]] bool has_ended() const noexcept { return fenced<std::uint32_t>(at::ended) == 1; }
    /// Whether the peer takes no more.
    [[nodiscard]] bool has_left() const noexcept { return load<std::uint32_t>(at::left) == 1; }
    /// How many bytes of this side's ring the peer has taken.
    [[nodiscard]] std::uint64_t taken() const noexcept { return fenced<std::uint64_t>(at::taken); }
    /// How the peer waits, at one of the two places of that.
    [[nodiscard]] std::uint32_t awaits(std::size_t place) const noexcept {
        return load<std::uint32_t>(place);
    }
    /// The number of times that the peer has woken this side: threads sleep on it.
    [[nodiscard]] std::uint32_t rung() const noexcept { return load<std::uint32_t>(at::bell); }
    [[nodiscard]] const std::uint32_t* bell() const noexcept {
        return number<std::uint32_t>(at::bell);
    }
    /// Copies bytes from a place in the ring on.
    void copy_slot(std::size_t place, std::byte* output, std::size_t n) const noexcept {
        copy_out(ring_at(place), output, n);
    }
    /// Looks at each page, so that no later look has to wait for the system.
    void touch() const noexcept {
        static_cast<void>(written());
        for (std::size_t place = 0; place < ring(); place += page_bytes) {
            static_cast<void>(*const_cast<const volatile std::byte*>(ring_at(place)));
        }
    }
    /// Copies bytes from the n-th of the direction on, no more than the ring has [MXP-18.8].
    void copy(std::uint64_t first, std::byte* output, std::size_t n) const noexcept {
        each(first, n, [output](const std::byte* input, std::size_t position, std::size_t count) {
            copy_out(input, output + position, count);
        });
    }

   private:
    template <class Number>
    [[nodiscard]] Number load(std::size_t place) const noexcept {
        return __atomic_load_n(number<const Number>(place), __ATOMIC_RELAXED);
    }
    template <class Number>
    [[nodiscard]] Number fenced(std::size_t place) const noexcept {
        const Number read = load<Number>(place);
        std::atomic_thread_fence(std::memory_order_acquire);
        return read;
    }

    peer_handles handles_{};
};

/// Makes memory whose ring has so many bytes, or says why there is none.
[[nodiscard]] inline mxp::result<own_memory, std::string> create(std::size_t ring) {
    auto made = make_memory(numbers_bytes + ring);
    if (!made) {
        return mxp::unexpected_of<std::string>{made.error()};
    }
    return own_memory{std::move(*made), ring};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_MEMORY_HPP
