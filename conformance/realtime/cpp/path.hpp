/// The operations of the path, and the wrong ones.
#ifndef REALTIME_PATH_HPP
#define REALTIME_PATH_HPP

#include <cstdint>

// Functions of the path are told to compilers that look at what they call.
#if defined(__has_cpp_attribute) && __has_cpp_attribute(clang::nonblocking)
#define REALTIME_NONBLOCKING [[clang::nonblocking]]
#else
#define REALTIME_NONBLOCKING
#endif

namespace realtime {

/// Where a refusal ends: behind it nothing is promised.
[[nodiscard, gnu::cold]] std::uint64_t refused() noexcept REALTIME_NONBLOCKING;

}  // namespace realtime

// Their symbols are found by these names.
extern "C" {
#define REALTIME_OPERATION(name) std::uint64_t name(void* state) noexcept REALTIME_NONBLOCKING
REALTIME_OPERATION(path_encode_transport);
REALTIME_OPERATION(path_decode_transport);
REALTIME_OPERATION(path_encode_block);
REALTIME_OPERATION(path_view_block);
REALTIME_OPERATION(path_borrow_block);
REALTIME_OPERATION(path_decode_into_block);
REALTIME_OPERATION(path_encode_plugin);
REALTIME_OPERATION(path_view_plugin);
REALTIME_OPERATION(path_borrow_plugin);
REALTIME_OPERATION(path_pmr_plugin);
REALTIME_OPERATION(path_decode_into_plugin);
REALTIME_OPERATION(path_channel_send);
REALTIME_OPERATION(path_channel_receive);
REALTIME_OPERATION(path_channel_latest);

REALTIME_OPERATION(fault_allocation);
REALTIME_OPERATION(fault_lock);
REALTIME_OPERATION(fault_sleep);
REALTIME_OPERATION(fault_file);
REALTIME_OPERATION(fault_system_call);
REALTIME_OPERATION(fault_page_fault);
REALTIME_OPERATION(fault_uneven);
}

#endif  // REALTIME_PATH_HPP
