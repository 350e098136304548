/// Sockets without MXP.
#ifndef MXP_TESTS_NET_RAW_SOCKET_HPP
#define MXP_TESTS_NET_RAW_SOCKET_HPP

#include <gtest/gtest.h>

#include "mxp/net/system/features.hpp"
#if MXP_HAS_UNIX_SOCKETS
#include <sys/un.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "mxp/net/address.hpp"
#include "mxp/net/system/features.hpp"
#include "mxp/net/system/socket.hpp"
#include "running.hpp"

namespace running {

/// A socket that waits no longer than it is told. It has no number once it was moved from.
class raw_socket {
   public:
    using handle = net::socket_handle;
    using milliseconds = std::chrono::milliseconds;

    explicit raw_socket(std::optional<handle> number = {}) : number_(number) {}
    raw_socket(raw_socket&& source) noexcept
        : number_(std::exchange(source.number_, std::nullopt)) {}
    raw_socket& operator=(raw_socket&& source) noexcept {
        std::swap(number_, source.number_);
        return *this;
    }
    ~raw_socket() {
        if (number_) {
            net::detail::close_socket(*number_);
        }
    }

    /// A socket that is connected to an address.
    [[nodiscard]] static raw_socket connected(const std::string& address) {
        place to{address};
        raw_socket made{net::detail::open_socket(to.at.ss_family, 0)};
        addrinfo target{};
        target.ai_addr = to.get();
        target.ai_addrlen = static_cast<decltype(target.ai_addrlen)>(to.size);
        const std::error_code why = net::detail::begin_connect(*made.number_, target);
        EXPECT_TRUE(!why || (why == std::errc::operation_in_progress &&
                             made.wait(false, true, milliseconds{20'000}).is_there &&
                             !net::detail::error_of(*made.number_)))
            << why.message();
        return made;
    }
    /// A socket that listens at an address.
    [[nodiscard]] static raw_socket listening(const std::string& address) {
        place there{address};
        raw_socket made{net::detail::open_socket(there.at.ss_family, 0)};
        EXPECT_EQ(::bind(*made.number_, there.get(), there.size), 0);
        EXPECT_EQ(::listen(*made.number_, 16), 0);
        return made;
    }
    /// The next connection, if one comes in time.
    [[nodiscard]] raw_socket accept(milliseconds most = milliseconds{20'000}) const {
        if (!has_news(most)) {
            return raw_socket{};
        }
#if defined(_WIN32)
        const handle came = ::accept(*number_, nullptr, nullptr);
#else
        const handle came = net::detail::accept_socket(*number_);
#endif
        return raw_socket{net::detail::is_socket(came) ? std::optional{came} : std::nullopt};
    }

    explicit operator bool() const noexcept { return number_.has_value(); }
    [[nodiscard]] handle get() const { return number_.value(); }

    /// Writes all bytes; false if they can't be written for a while, or ever.
    bool send(mxp::bytes_view all, milliseconds most = milliseconds{3'000}) const {
        for (std::size_t n = 0; n < all.size();) {
            if (!wait(false, true, most).is_there || !send_some(all, n)) {
                return false;
            }
        }
        return true;
    }
    /// Writes what can be written at once behind the n-th byte; false if the connection is gone.
    bool send_some(mxp::bytes_view all, std::size_t& n) const {
        const std::size_t left = all.size() - n;
        const net::iovec piece{const_cast<std::byte*>(all.data() + n), left};
        std::error_code why;
        n += net::detail::write_socket(*number_, &piece, 1, why);
        return !why || why == std::errc::operation_would_block;
    }
    /// Whether there are bytes, or the end, in time.
    [[nodiscard]] bool has_news(milliseconds most) const {
        return wait(true, false, most).is_there;
    }
    /// Reads once; 0 if no more comes, or nothing in time.
    std::size_t read(bytes& room, milliseconds most) const {
        std::error_code why;
        return has_news(most) ? net::detail::read_socket(*number_, room.data(), room.size(), why)
                              : 0;
    }
    /// Sends no more.
    void finish() const {
#if defined(_WIN32)
        ::shutdown(*number_, SD_SEND);
#else
        ::shutdown(*number_, SHUT_WR);
#endif
    }

   private:
    /// An address as the system has it: of a unix socket, or of a port of this machine.
    struct place {
        explicit place(const std::string& address) {
            const auto to = net::parse_address(address).value();
#if MXP_HAS_UNIX_SOCKETS
            if (to.host.empty()) {
                sockaddr_un local{};
                local.sun_family = AF_UNIX;
                std::memcpy(local.sun_path, to.path.data(), to.path.size());
                keep(local);
                return;
            }
#endif
            sockaddr_in port{};
            port.sin_family = AF_INET;
            port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            port.sin_port = htons(static_cast<std::uint16_t>(std::atoi(to.port.c_str())));
            keep(port);
        }
        template <class Address>
        void keep(const Address& address) {
            std::memcpy(&at, &address, sizeof address);
            size = sizeof address;
        }
        [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&at); }

        sockaddr_storage at{};
        socklen_t size{};
    };

    [[nodiscard]] net::detail::readiness wait(bool for_bytes, bool for_room,
                                              milliseconds most) const {
        return net::detail::wait_for(*number_, for_bytes, for_room, most);
    }

    std::optional<handle> number_;
};

}  // namespace running

#endif  // MXP_TESTS_NET_RAW_SOCKET_HPP
