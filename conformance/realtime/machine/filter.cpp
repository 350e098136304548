/// Operations in a process that dies of any system call but its exit.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "machine.hpp"

namespace machine {
namespace {

/// Allows a process to end, and nothing else.
bool close_system() {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{sizeof(rules) / sizeof(rules[0]), rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// The child: it ends with 0, with 1 where an operation was wrong, or with 2 where there is no
/// filter.
[[noreturn]] void run_closed(const realtime_operation& operation, std::uint64_t count) {
    void* state = prepared(count + 2);
    // The first run finds the functions of libraries, which the linker asks the system for.
    const bool works = repeat(state, operation, 2);
    if (!close_system()) {
        _exit(2);
    }
    _exit(works && repeat(state, operation, count) ? 0 : 1);
}

}  // namespace

void filter(std::uint64_t most) {
    each(most, [&](const realtime_operation& operation, std::uint64_t count) {
        const pid_t child = fork();
        if (child == 0) {
            run_closed(operation, count);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            std::perror("a process for the filter");
            std::exit(2);
        }
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
            report(operation, "found", "killed at a system call");
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            report(operation, "ok", std::to_string(count) + " times");
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
            std::fputs("this system has no seccomp filters\n", stderr);
            std::exit(2);
        } else {
            report(operation, "wrong");
        }
    });
}

}  // namespace machine
