/// Operations that do what a real-time thread must not do: each layer of the proof has to find its
/// own.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "path.hpp"
#include "state.hpp"

std::uint64_t fault_allocation(void* opaque) noexcept REALTIME_NONBLOCKING {
    // So much that it is asked of the system each time.
    std::vector<unsigned char> samples;
    samples.reserve(std::size_t{64} << 20);
    samples.push_back(static_cast<unsigned char>(realtime::of(opaque).level));
    const auto* volatile at = samples.data();
    return at[0] < REALTIME_LEVELS ? 1 : 0;
}

std::uint64_t fault_lock(void* opaque) noexcept REALTIME_NONBLOCKING {
    const std::lock_guard<std::mutex> held(realtime::of(opaque).faults.lock);
    return 1;
}

std::uint64_t fault_sleep(void*) noexcept REALTIME_NONBLOCKING {
    const timespec shortest{0, 1};
    nanosleep(&shortest, nullptr);
    return 1;
}

std::uint64_t fault_file(void*) noexcept REALTIME_NONBLOCKING {
    std::FILE* file = std::fopen("/dev/null", "r");
    if (file == nullptr) {
        return 0;
    }
    std::fclose(file);
    return 1;
}

/// The number of the process, asked without a function of the system's library.
std::uint64_t fault_system_call(void*) noexcept REALTIME_NONBLOCKING {
    std::uint64_t number = 39;
    asm volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
    return number;
}

std::uint64_t fault_page_fault(void* opaque) noexcept REALTIME_NONBLOCKING {
    // The machine has mapped a page for each run.
    auto& at = realtime::of(opaque).faults.untouched;
    *static_cast<volatile unsigned char*>(at) = 1;
    at += 4096;
    return 1;
}

std::uint64_t fault_uneven(void* opaque) noexcept REALTIME_NONBLOCKING {
    volatile std::uint64_t all = 1;
    for (std::size_t i = 0; i < realtime::of(opaque).level; ++i) {
        all = all | i;
    }
    return 1;
}
