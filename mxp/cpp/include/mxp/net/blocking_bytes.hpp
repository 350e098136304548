/// The bytes of a connection of a blocking client.
#ifndef MXP_NET_BLOCKING_BYTES_HPP
#define MXP_NET_BLOCKING_BYTES_HPP

#include <chrono>
#include <cstddef>
#include <system_error>

#include "system/socket.hpp"

namespace mxp::net {

/// The bytes of a connection of a blocking client to a peer and from it, in order and without loss.
/// One thread uses it, and nothing but `wait` waits. It is closed with its object.
class blocking_bytes {
   public:
    blocking_bytes() = default;
    blocking_bytes(const blocking_bytes&) = delete;
    blocking_bytes& operator=(const blocking_bytes&) = delete;
    virtual ~blocking_bytes() = default;

    /// Reads what is there, and returns how many bytes. 0 without an error is the end of the peer's
    /// writing; `operation_would_block` says that there are no bytes yet.
    [[nodiscard]] virtual std::size_t read(std::byte* output, std::size_t most,
                                           std::error_code& why) = 0;
    /// Writes some of the pieces, and returns how many bytes of them; `operation_would_block` says
    /// that there is no room.
    [[nodiscard]] virtual std::size_t write(const iovec* pieces, std::size_t n,
                                            std::error_code& why) = 0;
    /// Waits until there are bytes to read, or room to write, as asked for, or the connection has
    /// ended, but no longer than a time: it may return sooner. Tells whether to read.
    [[nodiscard]] virtual bool wait(bool for_bytes, bool for_room,
                                    std::chrono::microseconds most) = 0;
};

/// The bytes of a system's socket that no call waits for.
class socket_bytes final : public blocking_bytes {
   public:
    explicit socket_bytes(socket_handle socket) noexcept : socket_(socket) {}
    ~socket_bytes() override { detail::close_socket(socket_); }

    [[nodiscard]] std::size_t read(std::byte* output, std::size_t most,
                                   std::error_code& why) override {
        return detail::read_socket(socket_, output, most, why);
    }
    [[nodiscard]] std::size_t write(const iovec* pieces, std::size_t n,
                                    std::error_code& why) override {
        return detail::write_socket(socket_, pieces, n, why);
    }
    [[nodiscard]] bool wait(bool for_bytes, bool for_room,
                            std::chrono::microseconds most) override {
        return detail::wait_for(socket_, for_bytes, for_room, most).has_bytes;
    }

   private:
    socket_handle socket_;
};

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_BYTES_HPP
