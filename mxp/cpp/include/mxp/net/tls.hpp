/// TLS, by OpenSSL.
#ifndef MXP_NET_TLS_HPP
#define MXP_NET_TLS_HPP

#include <array>
#include <asio/ssl.hpp>
#include <string>

#include "transport.hpp"

namespace mxp::net {

/// A TCP connection with TLS.
class tls_transport final : public transport {
   public:
    using stream = asio::ssl::stream<asio::generic::stream_protocol::socket>;

    explicit tls_transport(stream of) : stream_(std::move(of)) {}

    void read(std::shared_ptr<listener> by) override {
        stream_.async_read_some(
            asio::buffer(room_),
            [this, by = std::move(by)](const std::error_code& failed, std::size_t n) {
                if (failed == asio::ssl::error::stream_truncated) {
                    // Frames say where they end, so that TLS need not.
                    by->on_lost(asio::error::eof);
                } else if (failed) {
                    by->on_lost(failed);
                } else {
                    by->on_bytes({room_.data(), n});
                }
            });
    }

    void write(const pieces& of, std::shared_ptr<listener> by) override {
        stream_.async_write_some(
            of, [by = std::move(by)](const std::error_code& failed, std::size_t n) {
                if (failed) {
                    by->on_lost(failed);
                } else {
                    by->on_written(n);
                }
            });
    }

    void finish() override {
        std::error_code ignored;
        stream_.lowest_layer().shutdown(stream::lowest_layer_type::shutdown_send, ignored);
    }

    void close() override {
        std::error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

    [[nodiscard]] bool is_protected() const override { return true; }

   private:
    stream stream_;
    /// As much as a record of TLS can have.
    std::array<std::byte, 16384> room_;
};

}  // namespace mxp::net

#endif  // MXP_NET_TLS_HPP
