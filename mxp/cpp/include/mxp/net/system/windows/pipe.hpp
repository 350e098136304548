/// Named pipes of Windows [MXP-21].
#ifndef MXP_NET_SYSTEM_WINDOWS_PIPE_HPP
#define MXP_NET_SYSTEM_WINDOWS_PIPE_HPP

#include "thread_value.hpp"
#include "windows.hpp"

#include <asio/error.hpp>
// They need what Asio includes.
#include <sddl.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "../../process.hpp"
#include "user.hpp"

namespace mxp::net::detail {

/// The most bytes of a direction that the system keeps for the reader, and of a write.
inline constexpr DWORD pipe_bytes_most = 65536;

/// All rights of reading and writing but that to make instances, which the right to append stands
/// for.
inline constexpr DWORD pipe_rights =
    (FILE_GENERIC_READ | FILE_GENERIC_WRITE) & ~static_cast<DWORD>(FILE_APPEND_DATA);

/// The system's name of a pipe.
[[nodiscard]] inline std::string pipe_path(const std::string& name) {
    return "\\\\.\\pipe\\" + name;
}

/// An error of the system, by its number.
[[nodiscard]] inline std::error_code windows_error(DWORD number) {
    return {static_cast<int>(number), asio::error::get_system_category()};
}

/// Whether an error says that the other end is closed.
[[nodiscard]] inline bool is_end_of_pipe(const std::error_code& why) {
    return why == windows_error(ERROR_BROKEN_PIPE) || why == windows_error(ERROR_NO_DATA) ||
           why == windows_error(ERROR_PIPE_NOT_CONNECTED);
}

/// A handle of the system, which is closed with its object.
class system_handle {
   public:
    system_handle() = default;
    explicit system_handle(HANDLE handle) noexcept : handle_(handle) {}
    system_handle(system_handle&& source) noexcept : handle_(source.release()) {}
    system_handle& operator=(system_handle&& source) noexcept {
        std::swap(handle_, source.handle_);
        return *this;
    }
    ~system_handle() {
        if (*this) {
            ::CloseHandle(handle_);
        }
    }

    explicit operator bool() const noexcept {
        return handle_ != INVALID_HANDLE_VALUE && handle_ != nullptr;
    }
    [[nodiscard]] HANDLE get() const noexcept { return handle_; }
    [[nodiscard]] HANDLE release() noexcept { return std::exchange(handle_, INVALID_HANDLE_VALUE); }

   private:
    HANDLE handle_ = INVALID_HANDLE_VALUE;
};

/// An access list, in the form that the system takes.
class access_list {
   public:
    /// That of a text; none if the system can't read it.
    explicit access_list(const std::string& text) {
        PSECURITY_DESCRIPTOR made = nullptr;
        if (::ConvertStringSecurityDescriptorToSecurityDescriptorA(text.c_str(), SDDL_REVISION_1,
                                                                   &made, nullptr) != 0) {
            descriptor_.reset(made);
        }
    }

    explicit operator bool() const noexcept { return descriptor_ != nullptr; }
    [[nodiscard]] PSECURITY_DESCRIPTOR get() const noexcept { return descriptor_.get(); }

   private:
    std::unique_ptr<void, decltype(&::LocalFree)> descriptor_{nullptr, ::LocalFree};
};

/// The access of the own user alone, or also of all users who have logged in, who may make no
/// instances.
[[nodiscard]] inline std::string pipe_access(const user_id& own, bool any_user) {
    return "O:" + own + "D:P(A;;GA;;;" + own + ")" + (any_user ? "(A;;0x12019b;;;AU)" : "");
}

/// The owner of a pipe; none if nobody owns it, or the system does not tell.
[[nodiscard]] inline std::optional<user_id> owner_of_pipe(HANDLE pipe) {
    alignas(SECURITY_DESCRIPTOR)
        std::byte room[sizeof(SECURITY_DESCRIPTOR) + SECURITY_MAX_SID_SIZE];
    DWORD n = 0;
    PSID owner = nullptr;
    BOOL is_default = FALSE;
    if (::GetKernelObjectSecurity(pipe, OWNER_SECURITY_INFORMATION, room, sizeof room, &n) == 0 ||
        ::GetSecurityDescriptorOwner(room, &owner, &is_default) == 0 || owner == nullptr) {
        return std::nullopt;
    }
    return text_of_sid(owner);
}

/// Why a pipe is not to be used, if it is another's than the own user's or, where they may, an
/// administrator's or the system's: anybody can make a pipe of a name.
[[nodiscard]] inline std::optional<std::string> wrong_owner(HANDLE pipe, bool may_administer) {
    const auto owner = owner_of_pipe(pipe);
    const auto own = own_user();
    if (!owner || !own) {
        return "the system does not tell who owns the pipe";
    }
    const bool is_trusted = *owner == "S-1-5-18" || *owner == "S-1-5-32-544";
    if (*owner == *own || (may_administer && is_trusted)) {
        return std::nullopt;
    }
    return "the pipe is that of user " + *owner + ", and this program runs as " + *own;
}

/// Makes an instance of a pipe, for one client; the system has the error if there is none.
[[nodiscard]] inline system_handle make_instance(const std::string& path, const access_list& access,
                                                 DWORD flags) {
    SECURITY_ATTRIBUTES attributes{sizeof attributes, access.get(), FALSE};
    return system_handle{
        ::CreateNamedPipeA(path.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | flags,
                           PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, PIPE_UNLIMITED_INSTANCES,
                           pipe_bytes_most, pipe_bytes_most, 0, &attributes)};
}

/// Makes the first instance of a server. A name stays as long as its connections, also where a
/// server drains: nobody waits for clients then, and a server of the same user may take it over.
[[nodiscard]] inline system_handle
first_instance(const std::string& path, const access_list& access, std::error_code& failed) {
    constexpr DWORD no_wait = 1;
    if (::WaitNamedPipeA(path.c_str(), no_wait) != 0) {
        failed = windows_error(ERROR_PIPE_BUSY);
        return system_handle{};
    }
    const bool is_there = ::GetLastError() == ERROR_SEM_TIMEOUT;
    system_handle made = make_instance(path, access, FILE_FLAG_FIRST_PIPE_INSTANCE);
    if (!made && is_there && ::GetLastError() == ERROR_ACCESS_DENIED) {
        made = make_instance(path, access, 0);
    }
    failed = made ? std::error_code{} : windows_error(::GetLastError());
    return made;
}

/// Opens a pipe, whose server may identify this program, and no more; the system has the error if
/// it can't.
[[nodiscard]] inline system_handle open_pipe(const std::string& path) {
    return system_handle{::CreateFileA(
        path.c_str(), pipe_rights, 0, nullptr, OPEN_EXISTING,
        SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION | FILE_FLAG_OVERLAPPED, nullptr)};
}

/// The user of the client of a pipe, whose identity this thread has for as long as it asks.
[[nodiscard]] inline std::optional<user_id> user_of_client(HANDLE pipe) {
    if (::ImpersonateNamedPipeClient(pipe) == 0) {
        return std::nullopt;
    }
    HANDLE token = nullptr;
    std::optional<user_id> user;
    if (::OpenThreadToken(::GetCurrentThread(), TOKEN_QUERY, TRUE, &token) != 0) {
        user = user_of_token(token);
        ::CloseHandle(token);
    }
    if (::RevertToSelf() == 0) {
        std::abort();
    }
    return user;
}

/// The program at the other end of a connection that a server has; none where nobody tells.
[[nodiscard]] inline std::optional<process> client_of_pipe(HANDLE pipe) {
    ULONG id = 0;
    if (::GetNamedPipeClientProcessId(pipe, &id) == 0) {
        return std::nullopt;
    }
    auto user = user_of_client(pipe);
    return user ? std::optional{process{std::move(user), std::nullopt, process_id{id}}}
                : std::nullopt;
}

/// The number of the process at the other end of a pipe, on either side; 0 where nobody tells.
[[nodiscard]] inline DWORD process_of_peer(HANDLE pipe) {
    DWORD flags = 0;
    ULONG id = 0;
    const bool is_told =
        ::GetNamedPipeInfo(pipe, &flags, nullptr, nullptr, nullptr) != 0 &&
        ((flags & PIPE_SERVER_END) != 0 ? ::GetNamedPipeClientProcessId(pipe, &id)
                                        : ::GetNamedPipeServerProcessId(pipe, &id)) != 0;
    return is_told ? id : 0;
}

/// Whether the other end of a pipe is closed, and all its bytes are read.
[[nodiscard]] inline bool is_pipe_over(HANDLE pipe) {
    return ::PeekNamedPipe(pipe, nullptr, 0, nullptr, nullptr, nullptr) == 0;
}

/// Begins a read of no bytes, which ends when there are some, or will be none.
[[nodiscard]] inline bool await_bytes(HANDLE pipe, OVERLAPPED* operation) {
    static char nothing = 0;
    return ::ReadFile(pipe, &nothing, 0, nullptr, operation) != 0;
}

inline void* make_event() { return ::CreateEventW(nullptr, TRUE, FALSE, nullptr); }
inline void close_event(void* event) { ::CloseHandle(event); }

/// An event of this thread's, for operations that end before it does anything else. An odd number
/// keeps their ends from handlers of a pipe's context.
[[nodiscard]] inline HANDLE own_event() {
    return static_cast<char*>(thread_value<make_event, close_event>()) + 1;
}

/// Does at once what the system can of an operation, which a function begins: it is cancelled
/// rather than waited for. `operation_would_block` says that nothing was to be done.
template <class Begin>
std::size_t at_once(HANDLE pipe, Begin function, std::error_code& why) {
    OVERLAPPED operation{};
    operation.hEvent = own_event();
    DWORD n = 0;
    bool is_done = function(&operation);
    if (!is_done && ::GetLastError() == ERROR_IO_PENDING) {
        ::CancelIoEx(pipe, &operation);
        is_done = true;
    }
    is_done = is_done && ::GetOverlappedResult(pipe, &operation, &n, TRUE) != 0;
    why = is_done ? std::error_code{} : windows_error(::GetLastError());
    if (why == windows_error(ERROR_OPERATION_ABORTED)) {
        why = std::make_error_code(std::errc::operation_would_block);
    }
    return is_done ? n : 0;
}

/// How many bytes are there, of which the first may be looked at; `operation_would_block` says that
/// there are none yet, and 0 without an error that there will be none.
[[nodiscard]] inline std::size_t peek_pipe(HANDLE pipe, unsigned char* first,
                                           std::error_code& why) {
    DWORD n = 0;
    const bool is_done =
        ::PeekNamedPipe(pipe, first, first == nullptr ? 0 : 1, nullptr, &n, nullptr) != 0;
    why = !is_done ? windows_error(::GetLastError())
          : n == 0 ? std::make_error_code(std::errc::operation_would_block)
                   : std::error_code{};
    if (is_end_of_pipe(why)) {
        why.clear();
    }
    return is_done ? n : 0;
}

/// Reads what is there, as `peek_pipe` tells it. Several threads may read.
[[nodiscard]] inline std::size_t read_pipe(HANDLE pipe, std::byte* output, std::size_t most,
                                           std::error_code& why) {
    std::size_t n = peek_pipe(pipe, nullptr, why);
    if (n > 0) {
        const auto wanted = static_cast<DWORD>(std::min<std::size_t>(n, most));
        n = at_once(
            pipe,
            [&](OVERLAPPED* operation) {
                return ::ReadFile(pipe, output, wanted, nullptr, operation) != 0;
            },
            why);
        if (is_end_of_pipe(why)) {
            why.clear();
        }
    }
    return n;
}

/// Writes what there is room for.
inline std::size_t write_pipe(HANDLE pipe, const void* input, std::size_t n, std::error_code& why) {
    return at_once(
        pipe,
        [&](OVERLAPPED* operation) {
            return ::WriteFile(pipe, input, static_cast<DWORD>(n), nullptr, operation) != 0;
        },
        why);
}

/// An operation of the system that tells its end by an event. It is cancelled with its object.
class event_operation {
   public:
    explicit event_operation(HANDLE pipe)
        : pipe_(pipe), event_(::CreateEventW(nullptr, TRUE, FALSE, nullptr)) {}
    event_operation(const event_operation&) = delete;
    event_operation& operator=(const event_operation&) = delete;
    ~event_operation() {
        DWORD n = 0;
        if (is_begun_ && !failed_) {
            ::CancelIoEx(pipe_, &operation_);
            ::GetOverlappedResult(pipe_, &operation_, &n, TRUE);
        }
    }

    [[nodiscard]] HANDLE event() const noexcept { return event_.get(); }
    [[nodiscard]] bool is_begun() const noexcept { return is_begun_; }

    /// Begins it by a function, which tells whether the system has done it already.
    template <class Begin>
    void begin(Begin function) {
        operation_ = OVERLAPPED{};
        operation_.hEvent = event_.get();
        is_begun_ = true;
        failed_.clear();
        if (!function(&operation_) && ::GetLastError() != ERROR_IO_PENDING) {
            failed_ = windows_error(::GetLastError());
            ::SetEvent(event_.get());
        }
    }
    /// Ends it, and returns how many bytes have passed, or `operation_would_block`.
    std::size_t end(std::error_code& why) {
        DWORD n = 0;
        why = failed_;
        if (!why && ::GetOverlappedResult(pipe_, &operation_, &n, FALSE) == 0) {
            why = ::GetLastError() == ERROR_IO_INCOMPLETE
                      ? std::make_error_code(std::errc::operation_would_block)
                      : windows_error(::GetLastError());
        }
        is_begun_ = why == std::errc::operation_would_block;
        return why ? 0 : n;
    }

   private:
    HANDLE pipe_;
    system_handle event_;
    OVERLAPPED operation_{};
    bool is_begun_ = false;
    std::error_code failed_{};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_WINDOWS_PIPE_HPP
