/// Values of threads, by the language.
#ifndef MXP_NET_SYSTEM_POSIX_THREAD_VALUE_HPP
#define MXP_NET_SYSTEM_POSIX_THREAD_VALUE_HPP

#include <memory>

namespace mxp::net::detail {

/// A value of this thread's, with a function that makes it at the first call, and one that frees it
/// when the thread ends.
template <void* (*Make)(), void (*Free)(void*)>
[[nodiscard]] void* thread_value() {
    struct deleter {
        void operator()(void* value) const noexcept { Free(value); }
    };
    static thread_local const std::unique_ptr<void, deleter> value{Make()};
    return value.get();
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_POSIX_THREAD_VALUE_HPP
