/// Operations instruction by instruction, which counts them exactly: counters of processors also
/// count what interrupts do, and are not there in every virtual machine.
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "machine.hpp"

namespace machine {
namespace {

/// Stops where a debugger looks: an operation lies between two of them.
void mark() noexcept { asm volatile("int3" : : : "memory"); }

[[noreturn]] void run_traced(const realtime_operation& operation, std::size_t levels) {
    void* state = prepared(levels + 2);
    const bool works = repeat(state, operation, 2);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
        _exit(2);
    }
    const std::size_t apart = REALTIME_LEVELS / levels;
    for (std::size_t level = 0; level < REALTIME_LEVELS; level += apart) {
        realtime_fill(state, level);
        mark();
        operation.run(state);
        mark();
    }
    _exit(works ? 0 : 1);
}

/// Waits until the process stops. It is false where it has ended.
bool stops(pid_t process, int& status) {
    if (waitpid(process, &status, 0) != process) {
        std::perror("a process to be counted");
        std::exit(2);
    }
    return WIFSTOPPED(status);
}

/// Whether the process has stopped at a mark, and not behind an instruction.
bool at_mark(pid_t process) {
    siginfo_t info{};
    ptrace(PTRACE_GETSIGINFO, process, nullptr, &info);
    return info.si_code == SI_KERNEL;
}

struct counts {
    std::uint64_t least = UINT64_MAX;
    std::uint64_t most = 0;
    std::size_t runs = 0;
    /// How the process has ended.
    int status = 0;
};

counts count_of(pid_t process) {
    counts all;
    while (stops(process, all.status)) {
        std::uint64_t n = 0;
        do {
            ptrace(PTRACE_SINGLESTEP, process, nullptr, nullptr);
            if (!stops(process, all.status)) {
                return all;
            }
            ++n;
        } while (!at_mark(process));
        all.least = std::min(all.least, n);
        all.most = std::max(all.most, n);
        ++all.runs;
        ptrace(PTRACE_CONT, process, nullptr, nullptr);
    }
    return all;
}

}  // namespace

void steps(std::size_t levels) {
    levels = std::clamp<std::size_t>(levels, 2, REALTIME_LEVELS);
    each(levels, [&](const realtime_operation& operation, std::uint64_t) {
        const pid_t child = fork();
        if (child == 0) {
            run_traced(operation, levels);
        }
        const counts all = count_of(child);
        if (WIFEXITED(all.status) && WEXITSTATUS(all.status) == 2) {
            std::fputs("processes can't be traced here\n", stderr);
            std::exit(2);
        }
        const bool works = WIFEXITED(all.status) && WEXITSTATUS(all.status) == 0;
        const bool even = all.least == all.most;
        report(operation,
               !works || all.runs < levels ? "wrong"
               : even                      ? "ok"
                                           : "found",
               (even ? "" : std::to_string(all.least) + " to ") + std::to_string(all.most) +
                   " instructions at " + std::to_string(all.runs) + " fill levels");
    });
}

}  // namespace machine
