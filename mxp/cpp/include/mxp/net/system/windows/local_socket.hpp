/// Named pipes below shared memory.
#ifndef MXP_NET_SYSTEM_WINDOWS_LOCAL_SOCKET_HPP
#define MXP_NET_SYSTEM_WINDOWS_LOCAL_SOCKET_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "pipe.hpp"
#include "shared_memory.hpp"

namespace mxp::net::detail::shm {

/// A handle of a pipe, and one that is closed with its object.
using local_handle = HANDLE;
using local_socket = system_handle;

/// Reads what is there; `operation_would_block` says that there are no bytes yet, and 0 without an
/// error that there will be none.
[[nodiscard]] inline std::size_t read_local(local_handle pipe, std::byte* output, std::size_t most,
                                            std::error_code& why) {
    return read_pipe(pipe, output, most, why);
}

/// Looks at the first byte that is there, and leaves it to be read.
[[nodiscard]] inline std::size_t peek_local(local_handle pipe, unsigned char& output,
                                            std::error_code& why) {
    return peek_pipe(pipe, &output, why);
}

/// Writes what there is room for.
inline std::size_t write_local(local_handle pipe, const unsigned char* input, std::size_t n,
                               std::error_code& why) {
    return write_pipe(pipe, input, n, why);
}

/// Waits for bytes, or the end, but no longer than a time: it may return sooner. The pipe is in no
/// context.
inline void await_local(local_handle pipe, std::chrono::microseconds most) {
    event_operation arrival{pipe};
    arrival.begin([pipe](OVERLAPPED* operation) { return await_bytes(pipe, operation); });
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(most);
    ::WaitForSingleObject(arrival.event(),
                          static_cast<DWORD>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
}

/// Writes the bytes of an offer, which has the handles of memory in it.
inline std::size_t write_offer(local_handle pipe, const unsigned char* input, std::size_t n,
                               const own_handles* /*with*/, std::error_code& why) {
    return write_pipe(pipe, input, n, why);
}

/// The memory of an offer, whose handles the process at the other end has open.
class offered_memory {
   public:
    /// Reads bytes, as `read_local` does.
    [[nodiscard]] static std::size_t read(local_handle pipe, unsigned char* output,
                                          std::size_t most, std::error_code& why) {
        return read_pipe(pipe, reinterpret_cast<std::byte*>(output), most, why);
    }

    /// Maps the memory of so many bytes that is offered.
    [[nodiscard]] static mxp::result<peer_mapping, map_failure>
    map(local_handle from, const offer_handles& numbers, std::size_t size) {
        const DWORD id = process_of_peer(from);
        const system_handle process{id == 0 ? nullptr
                                            : ::OpenProcess(PROCESS_DUP_HANDLE, FALSE, id)};
        if (!process) {
            return mxp::unexpected_of<map_failure>{
                map_failure{map_fault::refused, system_text("the peer's process is not opened")}};
        }
        auto made = map_memory(process.get(), numbers, size);
        if (!made && is_pipe_over(from)) {
            return mxp::unexpected_of<map_failure>{map_failure{map_fault::gone, peer_closed}};
        }
        return made;
    }
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_SYSTEM_WINDOWS_LOCAL_SOCKET_HPP
