#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "machine.hpp"

namespace machine {

void each(std::uint64_t count,
          const std::function<void(const realtime_operation&, std::uint64_t count)>& look) {
    for (const auto* at = realtime_operations(); at->name != nullptr; ++at) {
        look(*at, count);
    }
    for (const auto* at = realtime_faults(); at->name != nullptr; ++at) {
        look(*at, std::min<std::uint64_t>(count, 1000));
    }
}

void* prepared(std::size_t pages) {
    constexpr std::size_t page = 4096;
    // Large pages would be touched all at once.
    void* untouched = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (untouched == MAP_FAILED || madvise(untouched, pages * page, MADV_NOHUGEPAGE) != 0) {
        std::perror("pages for the fault that touches them");
        std::exit(2);
    }
    void* state = realtime_prepare(static_cast<unsigned char*>(untouched));
    if (state == nullptr) {
        std::fputs("the state can't be made\n", stderr);
        std::exit(2);
    }
    return state;
}

bool repeat(void* state, const realtime_operation& operation, std::uint64_t count) noexcept {
    realtime_fill(state, 0);
    const std::uint64_t first = operation.run(state);
    bool same = first != 0;
    for (std::uint64_t i = 1; i < count; ++i) {
        realtime_fill(state, i % REALTIME_LEVELS);
        same &= operation.run(state) == first;
    }
    return same;
}

void report(const realtime_operation& operation, const char* verdict, const std::string& details) {
    std::printf("%s %s %s\n", operation.name, verdict, details.c_str());
    std::fflush(stdout);
}

}  // namespace machine

namespace {

int run_one(std::uint64_t count, const char* name) {
    int status = 2;
    machine::each(count, [&](const realtime_operation& operation, std::uint64_t) {
        if (std::strcmp(operation.name, name) == 0) {
            status = machine::repeat(machine::prepared(count + 1), operation, count) ? 0 : 1;
        }
    });
    return status;
}

}  // namespace

int main(int n, char** arguments) {
    const std::string layer = n > 2 ? arguments[1] : "";
    const std::uint64_t count = n > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0;
    if (layer == "run" && n == 4) {
        return run_one(count, arguments[3]);
    }
    if (layer == "latency" && n == 4) {
        machine::latency(count, std::atoi(arguments[3]));
    } else if (layer == "filter") {
        machine::filter(count);
    } else if (layer == "usage") {
        machine::usage(count);
    } else if (layer == "steps") {
        machine::steps(count);
    } else {
        std::fputs("usage: machine run|filter|usage|steps COUNT\n", stderr);
        return 2;
    }
    return 0;
}
