/// The wake-up of a thread that waits in an event loop, by a pipe of POSIX.
#ifndef MXP_NET_SYSTEM_POSIX_WAKE_SIGNAL_HPP
#define MXP_NET_SYSTEM_POSIX_WAKE_SIGNAL_HPP

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "socket.hpp"

namespace mxp::net::detail {

/// A descriptor that is readable from `set` to `reset`. Without one it throws `std::system_error`.
class wake_signal {
   public:
    using handle = int;

    wake_signal() {
        if (!open_pipe()) {
            throw std::system_error{errno, std::generic_category(), "foreign_loop"};
        }
    }
    wake_signal(const wake_signal&) = delete;
    wake_signal& operator=(const wake_signal&) = delete;
    ~wake_signal() {
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }

    [[nodiscard]] handle get() const noexcept { return pipe_[0]; }
    /// It is set only where it is not.
    void set() { static_cast<void>(::write(pipe_[1], "", 1)); }
    void reset() {
        char byte = 0;
        static_cast<void>(::read(pipe_[0], &byte, 1));
    }

   private:
    /// A pipe that no program gets which this one starts.
    [[nodiscard]] bool open_pipe() {
#if defined(__linux__) || defined(__FreeBSD__)
        return ::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) == 0;
#else
        const bool is_made = ::pipe(pipe_) == 0;
        for (const int one : pipe_) {
            keep_to_itself(one);
        }
        return is_made;
#endif
    }

    int pipe_[2]{-1, -1};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_POSIX_WAKE_SIGNAL_HPP
