/// Operations with a clock: how long each run takes, as a thread has them that wakes at each
/// period.
#include <sched.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "machine.hpp"

namespace machine {
namespace {

/// How many runs took how long: 64 steps for each power of two, so that a time is told to 1.6 %.
class histogram {
   public:
    void add(std::uint64_t ticks) noexcept {
        ++counts_[place(ticks)];
        most_ = std::max(most_, ticks);
    }
    [[nodiscard]] std::uint64_t most() const noexcept { return most_; }

    /// The time that so many of a million runs do not exceed.
    [[nodiscard]] std::uint64_t below(std::uint64_t of_a_million) const noexcept {
        std::uint64_t all = 0;
        for (const std::uint64_t n : counts_) {
            all += n;
        }
        std::uint64_t left = all * of_a_million / 1'000'000;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (counts_[i] > left) {
                return std::min(end(i), most_);
            }
            left -= counts_[i];
        }
        return most_;
    }

   private:
    static constexpr unsigned bits = 6;

    static std::size_t place(std::uint64_t ticks) noexcept {
        if (ticks < 1U << bits) {
            return ticks;
        }
        const auto power = static_cast<unsigned>(63 - __builtin_clzll(ticks));
        const auto step = (ticks >> (power - bits)) - (1U << bits);
        return (std::size_t{power - bits + 1} << bits) + step;
    }
    static std::uint64_t end(std::size_t at) noexcept {
        const auto power = static_cast<unsigned>(at >> bits);
        const std::uint64_t step = at & ((1U << bits) - 1);
        return power == 0 ? at : (((1U << bits) + step + 1) << (power - 1)) - 1;
    }

    std::array<std::uint64_t, 4096> counts_{};
    std::uint64_t most_ = 0;
};

timespec now() {
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at;
}

double seconds(const timespec& from, const timespec& to) {
    return static_cast<double>(to.tv_sec - from.tv_sec) +
           1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec);
}

/// The processor's clock, behind all that comes before it.
std::uint64_t ticks() noexcept {
    unsigned processor = 0;
    const std::uint64_t at = __rdtscp(&processor);
    _mm_lfence();
    return at;
}

double ticks_per_nanosecond() {
    const timespec from = now();
    const std::uint64_t first = ticks();
    const timespec pause{0, 200'000'000};
    nanosleep(&pause, nullptr);
    const std::uint64_t last = ticks();
    return static_cast<double>(last - first) / (1e9 * seconds(from, now()));
}

/// Makes the thread one of real time, and says how far that went.
std::string become_real_time(int cpu) {
    std::string done;
    const auto note = [&done](const char* what, bool is_done) {
        done += std::string(is_done ? "" : "no ") + what +
                (is_done ? "" : std::string(" (") + std::strerror(errno) + ")") + ", ";
    };
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(cpu), &one);
    note("processor of its own", sched_setaffinity(0, sizeof(one), &one) == 0);
    sched_param priority{};
    priority.sched_priority = 70;
    note("SCHED_FIFO 70", sched_setscheduler(0, SCHED_FIFO, &priority) == 0);
    note("locked memory", mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
    return done.substr(0, done.size() - 2);
}

/// An operation, and how long it took.
struct timed {
    realtime_operation operation;
    histogram times;
};

void measure(std::vector<timed>& all, void* state, std::uint64_t count, double per_nanosecond) {
    // A thread that never sleeps is stopped by the scheduler, so that others run. This one works
    // for half of each period.
    constexpr long period = 1'000'000;
    const auto burst = static_cast<std::uint64_t>(per_nanosecond * period / 2);
    timespec wake = now();
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t start = ticks();
        for (; done < count && ticks() - start < burst; ++done) {
            timed& next = all[done % all.size()];
            realtime_fill(state, done % REALTIME_LEVELS);
            const std::uint64_t before = ticks();
            next.operation.run(state);
            next.times.add(ticks() - before);
        }
        do {
            wake.tv_nsec += period;
            wake.tv_sec += wake.tv_nsec / 1'000'000'000;
            wake.tv_nsec %= 1'000'000'000;
        } while (seconds(now(), wake) <= 0);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr);
    }
}

std::uint64_t nothing(void*) { return 1; }

}  // namespace

void latency(std::uint64_t count, int cpu) {
    // The clock itself is measured beside them.
    std::vector<timed> all(1, {{"nothing", nothing}, {}});
    for (const auto* at = realtime_operations(); at->name != nullptr; ++at) {
        all.push_back({*at, {}});
    }
    void* state = prepared(1);
    for (const timed& next : all) {
        repeat(state, next.operation, 10'000);
    }
    const std::string how = become_real_time(cpu);
    const double per_nanosecond = ticks_per_nanosecond();
    measure(all, state, count, per_nanosecond);
    std::printf("thread ok %s\n", how.c_str());
    for (const timed& next : all) {
        const auto spell = [&](std::uint64_t n) {
            return std::to_string(
                static_cast<std::uint64_t>(static_cast<double>(n) / per_nanosecond));
        };
        report(next.operation, "ok",
               spell(next.times.below(500'000)) + " " + spell(next.times.below(990'000)) + " " +
                   spell(next.times.below(999'000)) + " " + spell(next.times.most()));
    }
}

}  // namespace machine
