/// Operations beside the system's count of page faults and context switches.
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "machine.hpp"

namespace machine {
namespace {

struct counted {
    long faults = 0;
    /// The number of times that the thread gave up its processor, since it waited for something.
    long waits = 0;
    /// The number of times that another thread took it: that is the scheduler's doing, and no
    /// operation's.
    long preemptions = 0;
};

counted now() {
    rusage all{};
    getrusage(RUSAGE_THREAD, &all);
    return {all.ru_minflt + all.ru_majflt, all.ru_nvcsw, all.ru_nivcsw};
}

}  // namespace

void usage(std::uint64_t most) {
    // The system itself may move a page, now and then: a fault of an operation is there each time.
    constexpr int attempts = 3;
    each(most, [&](const realtime_operation& operation, std::uint64_t count) {
        bool works = true;
        std::string how;
        counted least{};
        for (int attempt = 0; attempt < attempts; ++attempt) {
            void* state = prepared(count + 2);
            // Memory is locked as it is: pages that nobody has touched are not there yet.
            if (mlockall(MCL_CURRENT | MCL_ONFAULT) != 0) {
                how = std::string(", memory not locked: ") + std::strerror(errno);
            }
            works &= repeat(state, operation, 2);
            const counted before = now();
            works &= repeat(state, operation, count);
            const counted after = now();
            const counted more{after.faults - before.faults, after.waits - before.waits,
                               after.preemptions - before.preemptions};
            if (attempt == 0 || more.faults + more.waits < least.faults + least.waits) {
                least = more;
            }
            if (least.faults + least.waits == 0) {
                break;
            }
        }
        const bool quiet = least.faults == 0 && least.waits == 0;
        report(operation,
               !works  ? "wrong"
               : quiet ? "ok"
                       : "found",
               std::to_string(least.faults) + " page faults, " + std::to_string(least.waits) +
                   " waits, " + std::to_string(least.preemptions) + " preemptions" + how);
    });
}

}  // namespace machine
