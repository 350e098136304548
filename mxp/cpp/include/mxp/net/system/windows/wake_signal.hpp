/// The wake-up of a thread that waits in an event loop, by an event of Windows.
#ifndef MXP_NET_SYSTEM_WINDOWS_WAKE_SIGNAL_HPP
#define MXP_NET_SYSTEM_WINDOWS_WAKE_SIGNAL_HPP

#include "windows.hpp"

#include <system_error>

namespace mxp::net::detail {

/// An event for `WaitForMultipleObjects` and what builds on it, signalled from `set` to `reset`.
/// Without one it throws `std::system_error`.
class wake_signal {
   public:
    using handle = void*;

    wake_signal() : event_(::CreateEventW(nullptr, TRUE, FALSE, nullptr)) {
        if (event_ == nullptr) {
            throw std::system_error{static_cast<int>(::GetLastError()), std::system_category(),
                                    "foreign_loop"};
        }
    }
    wake_signal(const wake_signal&) = delete;
    wake_signal& operator=(const wake_signal&) = delete;
    ~wake_signal() { ::CloseHandle(event_); }

    [[nodiscard]] handle get() const noexcept { return event_; }
    void set() { ::SetEvent(event_); }
    void reset() { ::ResetEvent(event_); }

   private:
    HANDLE event_;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_WINDOWS_WAKE_SIGNAL_HPP
