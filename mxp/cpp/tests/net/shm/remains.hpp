/// This program as its system tells it: what it has open, and the time that it takes.
#ifndef MXP_TESTS_NET_SHM_REMAINS_HPP
#define MXP_TESTS_NET_SHM_REMAINS_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "offers.hpp"
#if !defined(_WIN32)
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#endif

namespace sharing {

/// How many files of memory and pipes this program has open, and how often memory of this transport
/// is mapped. On Windows all handles count, and all memory without a file.
struct left {
    std::size_t files = 0;
    std::size_t maps = 0;

    [[nodiscard]] friend bool operator==(const left& a, const left& b) {
        return a.files == b.files && a.maps == b.maps;
    }
};

/// The number of this process.
using process_number = decltype(net::process::id)::value_type;

#if defined(_WIN32)

[[nodiscard]] inline left open_now() {
    left made;
    DWORD handles = 0;
    EXPECT_NE(::GetProcessHandleCount(::GetCurrentProcess(), &handles), 0);
    made.files = handles;
    MEMORY_BASIC_INFORMATION one{};
    std::array<wchar_t, MAX_PATH> name{};
    for (char* at = nullptr; ::VirtualQuery(at, &one, sizeof one) != 0;
         at = static_cast<char*>(one.BaseAddress) + one.RegionSize) {
        const bool is_memory =
            one.State == MEM_COMMIT && one.Type == MEM_MAPPED &&
            one.BaseAddress == one.AllocationBase &&
            ::K32GetMappedFileNameW(::GetCurrentProcess(), one.BaseAddress, name.data(),
                                    static_cast<DWORD>(name.size())) == 0;
        made.maps += is_memory ? 1U : 0U;
    }
    return made;
}

[[nodiscard]] inline process_number this_process() { return ::GetCurrentProcessId(); }

/// The time of processors that this program has taken.
[[nodiscard]] inline std::chrono::microseconds spent() {
    FILETIME begun{}, ended{}, kernel{}, user{};
    EXPECT_NE(::GetProcessTimes(::GetCurrentProcess(), &begun, &ended, &kernel, &user), 0);
    const auto of = [](const FILETIME& time) {
        return std::chrono::microseconds{
            ((std::int64_t{time.dwHighDateTime} << 32) + std::int64_t{time.dwLowDateTime}) / 10};
    };
    return of(kernel) + of(user);
}

#else

[[nodiscard]] inline left open_now() {
    left made;
    DIR* const all = ::opendir("/proc/self/fd");
    while (const dirent* const one = ::readdir(all)) {
        std::array<char, 256> name{};
        const std::string at = std::string{"/proc/self/fd/"} + one->d_name;
        const ssize_t n = ::readlink(at.c_str(), name.data(), name.size());
        const std::string_view is{name.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
        made.files += is.find("memfd:") != is.npos || is.find("pipe:") != is.npos ? 1U : 0U;
    }
    ::closedir(all);
    std::ifstream maps{"/proc/self/maps"};
    for (std::string line; std::getline(maps, line);) {
        made.maps += line.find("memfd:mxp") != line.npos ? 1U : 0U;
    }
    return made;
}

[[nodiscard]] inline process_number this_process() { return ::getpid(); }

/// The time of processors that this program has taken.
[[nodiscard]] inline std::chrono::microseconds spent() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
        return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

#endif

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_REMAINS_HPP
