/// Memory that two processes share, as a section of the page file [MXP-18.19].
#ifndef MXP_NET_SYSTEM_WINDOWS_SHARED_MEMORY_HPP
#define MXP_NET_SYSTEM_WINDOWS_SHARED_MEMORY_HPP

#include "windows.hpp"

// It needs what Asio includes.
#include <psapi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "../../../result.hpp"
#include "../memory_terms.hpp"
#include "pipe.hpp"

namespace mxp::net::detail::shm {

/// The section of this side's memory, and the events of its waits, each with the handle that the
/// peer copies: they stay open as long as the connection [MXP-18.20].
class own_handles {
   public:
    own_handles() = default;
    own_handles(system_handle section, system_handle bytes, system_handle room) noexcept
        : section_(std::move(section)), bytes_(std::move(bytes)), room_(std::move(room)) {}

    explicit operator bool() const noexcept { return section_ && bytes_ && room_; }
    [[nodiscard]] HANDLE section() const noexcept { return section_.get(); }
    [[nodiscard]] HANDLE event(wait_reason what) const noexcept {
        return what == wait_reason::bytes ? bytes_.get() : room_.get();
    }
    /// The numbers for an offer. Windows has none that need more than 32 bits.
    [[nodiscard]] offer_handles numbers() const noexcept {
        const auto number = [](const system_handle& handle) {
            return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle.get()));
        };
        return {number(section_), number(bytes_), number(room_)};
    }
    void sent() noexcept {}

   private:
    system_handle section_{};
    system_handle bytes_{};
    system_handle room_{};
};

/// The events of the peer's waits.
struct peer_handles {
    system_handle bytes{};
    system_handle room{};
};

/// Memory of this side, and of a peer, as it is mapped.
struct own_mapping {
    void* base = nullptr;
    own_handles handles{};
};
struct peer_mapping {
    void* base = nullptr;
    peer_handles handles{};
};

inline void unmap(void* base, std::size_t /*bytes*/) noexcept { ::UnmapViewOfFile(base); }

[[nodiscard]] inline std::string system_text(const char* text) {
    return std::string{text} + ": " + windows_error(::GetLastError()).message();
}

#if MXP_HAS_SHM

/// Makes memory of so many bytes, or says why there is none. All of it is there from then on.
[[nodiscard]] inline mxp::result<own_mapping, std::string> make_memory(std::size_t size) {
    using failure_result = mxp::unexpected_of<std::string>;
    const auto bytes = std::uint64_t{size};
    // An event that resets itself, so that no wait ends by a waking of before.
    const auto event = [] { return system_handle{::CreateEventW(nullptr, FALSE, FALSE, nullptr)}; };
    own_handles handles{system_handle{::CreateFileMappingW(
                            INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE | SEC_COMMIT,
                            static_cast<DWORD>(bytes >> 32U), static_cast<DWORD>(bytes), nullptr)},
                        event(), event()};
    if (!handles) {
        return failure_result{system_text("CreateFileMapping")};
    }
    void* const base = ::MapViewOfFile(handles.section(), FILE_MAP_WRITE, 0, 0, size);
    if (base == nullptr) {
        return failure_result{system_text("MapViewOfFile")};
    }
    return own_mapping{base, std::move(handles)};
}

/// Why memory that is mapped from its base on is not what a peer's must be; nothing if it is
/// [MXP-18.21].
[[nodiscard]] inline std::string fault_of_view(void* base, std::size_t size) {
    MEMORY_BASIC_INFORMATION all{};
    if (::VirtualQuery(base, &all, sizeof all) == 0) {
        return system_text("the peer's memory: VirtualQuery");
    }
    std::array<wchar_t, MAX_PATH> name{};
    // Memory of the page file has no name.
    if (all.Type != MEM_MAPPED || ::K32GetMappedFileNameW(::GetCurrentProcess(), base, name.data(),
                                                          static_cast<DWORD>(name.size())) != 0) {
        return "the peer's memory is that of a file";
    }
    if (all.State != MEM_COMMIT) {
        return "the peer's memory is not committed";
    }
    MEMORY_BASIC_INFORMATION behind{};
    const bool has_more =
        ::VirtualQuery(static_cast<char*>(base) + all.RegionSize, &behind, sizeof behind) != 0 &&
        behind.AllocationBase == base;
    if (all.RegionSize != size || has_more) {
        return "the peer's memory has " + std::to_string(all.RegionSize) +
               (has_more ? " bytes and more, not " : " bytes, not ") + std::to_string(size);
    }
    return {};
}

/// Maps the memory of a peer, by handles of a process, if it is as it must be.
[[nodiscard]] inline mxp::result<peer_mapping, map_failure>
map_memory(HANDLE process, const offer_handles& numbers, std::size_t size) {
    const auto failed = [](map_fault what, std::string why) {
        return mxp::unexpected_of<map_failure>{map_failure{what, std::move(why)}};
    };
    constexpr std::array<DWORD, handles_of_offer> rights{SECTION_MAP_READ | SECTION_QUERY,
                                                         EVENT_MODIFY_STATE, EVENT_MODIFY_STATE};
    std::array<system_handle, handles_of_offer> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const auto given = reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(numbers[i]));
        HANDLE copy = nullptr;
        if (given == nullptr) {
            return failed(map_fault::unfit, "an offer has 0 in place of a handle");
        }
        if (::DuplicateHandle(process, given, ::GetCurrentProcess(), &copy, rights[i], FALSE, 0) ==
            0) {
            return failed(map_fault::unfit, system_text("a handle of an offer is not taken"));
        }
        taken[i] = system_handle{copy};
    }
    // All of the section, however large it is.
    void* const base = ::MapViewOfFile(taken[0].get(), FILE_MAP_READ, 0, 0, 0);
    if (base == nullptr) {
        const bool lacks_memory = ::GetLastError() == ERROR_NOT_ENOUGH_MEMORY;
        return failed(lacks_memory ? map_fault::refused : map_fault::unfit,
                      system_text("the peer's memory: MapViewOfFile"));
    }
    if (std::string why = fault_of_view(base, size); !why.empty()) {
        unmap(base, size);
        return failed(map_fault::unfit, std::move(why));
    }
    return peer_mapping{base, peer_handles{std::move(taken[1]), std::move(taken[2])}};
}

#else

[[nodiscard]] inline mxp::result<own_mapping, std::string> make_memory(std::size_t /*size*/) {
    return mxp::unexpected_of<std::string>{no_memory};
}
[[nodiscard]] inline mxp::result<peer_mapping, map_failure>
map_memory(HANDLE /*process*/, const offer_handles& /*numbers*/, std::size_t /*size*/) {
    return mxp::unexpected_of<map_failure>{map_failure{map_fault::refused, no_memory}};
}

#endif

/// Wakes the thread of the peer that waits for something.
inline void wake_threads(std::uint32_t* /*bell*/, const peer_handles& events,
                         wait_reason what) noexcept {
    ::SetEvent(what == wait_reason::bytes ? events.bytes.get() : events.room.get());
}

/// Sleeps until this side's event of a wait is set, but not for longer than a time.
inline void sleep_until_woken(const std::uint32_t* /*bell*/, std::uint32_t /*rung*/,
                              const own_handles& own, bool for_bytes, bool for_room,
                              std::chrono::nanoseconds most) noexcept {
    std::array<HANDLE, 2> events{};
    DWORD n = 0;
    if (for_bytes) {
        events[n++] = own.event(wait_reason::bytes);
    }
    if (for_room) {
        events[n++] = own.event(wait_reason::room);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(most);
    const auto time = static_cast<DWORD>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    if (n > 0) {
        ::WaitForMultipleObjects(n, events.data(), FALSE, time);
    }
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_SYSTEM_WINDOWS_SHARED_MEMORY_HPP
