/// The time for which a side looks, before it announces that it waits, and sleeps.
#ifndef MXP_NET_TRANSPORT_SHM_SPIN_HPP
#define MXP_NET_TRANSPORT_SHM_SPIN_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#if defined(__linux__)
#include <sched.h>
#else
#include <thread>
#endif

#include "../../../session/spec_gen.hpp"

namespace mxp::net::detail::shm {

/// Tells the processor that a thread looks for something again and again.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/// Whether this program has one processor: who looks keeps the peer from writing there.
[[nodiscard]] inline bool has_one_processor() noexcept {
#if defined(__linux__)
    cpu_set_t all;
    return ::sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) == 1;
#else
    return std::thread::hardware_concurrency() == 1;
#endif
}

/// The time that a waiting side looks before it sleeps, by a user's option.
[[nodiscard]] inline std::chrono::microseconds
chosen(std::optional<std::chrono::microseconds> wish) noexcept {
    return wish.value_or(std::chrono::microseconds{has_one_processor() ? 0 : session::shm_spin_us});
}

/// The looks of a connection. They are worth it where the peer runs on another processor meanwhile,
/// and answers soon. Where it has none of its own, who looks keeps it from running: so who has
/// looked in vain does not look the next time, and the more often that was so, the longer.
class spin {
   public:
    using clock = std::chrono::steady_clock;

    explicit spin(std::chrono::microseconds limit) noexcept : limit_(limit) {}

    /// Whether nothing is to be looked for any more in this wait.
    [[nodiscard]] bool is_over() noexcept {
        switch (wait_) {
        case state::sleeps:
            return true;
        case state::looks:
            if (clock::now() - since_ < limit_) {
                return false;
            }
            passes_ = std::min(2 * passes_ + 1, passes_most);
            left_ = passes_;
            wait_ = state::sleeps;
            return true;
        case state::none:
            break;
        }
        if (limit_ <= limit_.zero()) {
            return true;
        }
        if (left_ > 0) {
            --left_;
            wait_ = state::sleeps;
            return true;
        }
        wait_ = state::looks;
        since_ = clock::now();
        return false;
    }
    /// Ends a wait, since something has come.
    void came() noexcept {
        if (wait_ == state::looks) {
            passes_ = 0;
        }
        wait_ = state::none;
    }
    /// Begins another wait, after any result of the last. Returns whether there are looks at all.
    bool renew() noexcept {
        wait_ = state::none;
        return limit_ > limit_.zero();
    }

   private:
    enum class state : std::uint8_t { none, looks, sleeps };

    /// How many waits in a row pass at most without a look.
    static constexpr std::uint32_t passes_most = 63;

    std::chrono::microseconds limit_;
    state wait_ = state::none;
    clock::time_point since_{};
    /// How many waits pass without a look when the next look is in vain, and how many are left.
    std::uint32_t passes_ = 0;
    std::uint32_t left_ = 0;
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_SPIN_HPP
