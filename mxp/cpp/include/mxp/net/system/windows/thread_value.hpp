/// Values of threads, by the system: mingw-w64 frees the memory of `thread_local` before it calls
/// the destructors of values in there.
#ifndef MXP_NET_SYSTEM_WINDOWS_THREAD_VALUE_HPP
#define MXP_NET_SYSTEM_WINDOWS_THREAD_VALUE_HPP

#include "windows.hpp"

namespace mxp::net::detail {

template <void (*Free)(void*)>
void WINAPI free_value(void* value) {
    Free(value);
}

/// A value of this thread's, with a function that makes it at the first call, and one that frees it
/// when the thread ends.
template <void* (*Make)(), void (*Free)(void*)>
[[nodiscard]] void* thread_value() {
    static const DWORD slot = ::FlsAlloc(free_value<Free>);
    void* value = ::FlsGetValue(slot);
    if (value == nullptr) {
        value = Make();
        ::FlsSetValue(slot, value);
    }
    return value;
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_WINDOWS_THREAD_VALUE_HPP
