/// The user of this program, of Windows.
#ifndef MXP_NET_SYSTEM_WINDOWS_USER_HPP
#define MXP_NET_SYSTEM_WINDOWS_USER_HPP

#include "windows.hpp"

// They need what Asio includes.
#include <sddl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "../identity.hpp"

namespace mxp::net::detail {

/// The text of a security identifier; none if it is none.
[[nodiscard]] inline std::optional<user_id> text_of_sid(PSID sid) {
    LPSTR text = nullptr;
    if (::ConvertSidToStringSidA(sid, &text) == 0) {
        return std::nullopt;
    }
    const std::unique_ptr<char, decltype(&::LocalFree)> kept{text, ::LocalFree};
    return user_id{text};
}

/// The user of a program's token.
[[nodiscard]] inline std::optional<user_id> user_of_token(HANDLE token) {
    alignas(TOKEN_USER) std::byte room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    DWORD n = 0;
    if (::GetTokenInformation(token, TokenUser, room, sizeof room, &n) == 0) {
        return std::nullopt;
    }
    return text_of_sid(reinterpret_cast<const TOKEN_USER*>(room)->User.Sid);
}

/// The user that a program runs as.
[[nodiscard]] inline std::optional<user_id> user_of_process(HANDLE process) {
    HANDLE token = nullptr;
    if (::OpenProcessToken(process, TOKEN_QUERY, &token) == 0) {
        return std::nullopt;
    }
    auto user = user_of_token(token);
    ::CloseHandle(token);
    return user;
}

/// The user that this program runs as.
[[nodiscard]] inline std::optional<user_id> own_user() {
    return user_of_process(::GetCurrentProcess());
}

[[nodiscard]] inline const std::string& text_of_user(const user_id& user) { return user; }

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_WINDOWS_USER_HPP
