/// The handshakes of both sides [MXP-19.2].
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_HANDSHAKE_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_HANDSHAKE_HPP

#include <algorithm>
#include <asio/io_context.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/stream_base.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "../../failure.hpp"
#include "admission.hpp"
#include "messages.hpp"
#include "protocol.hpp"

namespace mxp::net::detail::ws {

/// The side that asks for a WebSocket.
class client_socket final : public messages {
   public:
    client_socket(asio::io_context& io, std::unique_ptr<byte_stream> lower, std::string host,
                  std::string path, const std::string& token)
        : messages(io, std::move(lower)), host_(std::move(host)), path_(std::move(path)) {
        std::string asked{protocol};
        if (!token.empty()) {
            asked.append(", ").append(token_prefix).append(token);
        }
        socket().set_option(websocket::stream_base::decorator(
            [asked = std::move(asked)](websocket::request_type& request) {
                request.set(http::field::sec_websocket_protocol, asked);
            }));
    }

   private:
    void handshake() override {
        socket().async_handshake(answer_, host_, path_, [this](boost::system::error_code failed) {
            tell_opened(failed ? why(failed) : wrong());
            answer_ = {};
        });
    }

    /// The fault of an answer that opens a WebSocket, if it has one.
    [[nodiscard]] std::optional<failure> wrong() const {
        const auto name = answer_[http::field::sec_websocket_protocol];
        if (std::string_view{name.data(), name.size()} != protocol) {
            return unusable("the server does not speak mxp.1 there");
        }
        if (answer_.count(http::field::sec_websocket_extensions) > 0) {
            return unusable("the server uses an extension that it was not asked for");
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<failure> why(boost::system::error_code failed) {
        // The beginning of an answer that is too long, or does not end, says as much.
        http::response_parser<http::string_body> read;
        read.eager(true);
        boost::system::error_code ignored;
        read.put(boost::asio::buffer(below().head()), ignored);
        if (read.is_header_done() && read.get().result() != http::status::switching_protocols) {
            return answered(read.get());
        }
        if (failed.category() == make_error_code(websocket::error::closed).category()) {
            return unusable(failed.message());
        }
        const auto lost = below().lost();
        // TLS 1.3 refuses a client that has asked already.
        if (auto refused = lost ? below().below().refusal(*lost) : std::nullopt) {
            return *std::move(refused);
        }
        return unavailable(lost == asio::error::operation_aborted ? "nobody answers"
                           : lost                                 ? lost->message()
                                                                  : failed.message());
    }
    /// The failure of an answer that opens no WebSocket.
    [[nodiscard]] static failure answered(const websocket::response_type& answer) {
        const auto said = [](boost::beast::string_view name) {
            return std::string{name.data(), name.size()};
        };
        failure made = unusable("the server answers " + std::to_string(answer.result_int()) + " " +
                                said(answer.reason()));
        if (answer[http::field::content_type].starts_with("text/plain")) {
            std::string text = answer.body().substr(0, text_bytes);
            text.erase(text.find_last_not_of(" \t\r\n") + 1);
            made.text.append(text.empty() ? "" : ": ").append(text);
        }
        if (answer.result() == http::status::unauthorized) {
            made.status = session::status::Unauthenticated;
        } else if (answer.result() == http::status::forbidden) {
            made.status = session::status::PermissionDenied;
        } else if (answer.result() == http::status::too_many_requests ||
                   answer.result_int() >= 500) {
            made.status = session::status::Unavailable;
        }
        return made;
    }

    std::string host_;
    std::string path_;
    websocket::response_type answer_{};
};

/// The side that is asked for a WebSocket.
class server_socket final : public messages {
   public:
    server_socket(asio::io_context& io, std::unique_ptr<byte_stream> lower,
                  std::shared_ptr<const admission> admission)
        : messages(io, std::move(lower)), admission_(std::move(admission)) {
        socket().set_option(websocket::stream_base::decorator([](websocket::response_type& answer) {
            if (answer.result() == http::status::switching_protocols) {
                answer.set(http::field::sec_websocket_protocol,
                           boost::beast::string_view{protocol.data(), protocol.size()});
            }
        }));
    }

   private:
    /// A handshake that goes on.
    struct pending_handshake {
        boost::beast::flat_buffer read{head_bytes};
        http::request_parser<http::empty_body> request{};
        http::response<http::string_body> answer{};
    };

    void handshake() override {
        handshake_ = std::make_unique<pending_handshake>();
        handshake_->request.header_limit(head_bytes);
        http::async_read_header(socket().next_layer(), handshake_->read, handshake_->request,
                                [this](boost::system::error_code failed, std::size_t) {
                                    if (failed) {
                                        over(unavailable(failed.message()));
                                    } else {
                                        answer();
                                    }
                                });
    }
    void answer() {
        below().unread(handshake_->read.size());
        auto said = admission_->admit(handshake_->request.get());
        if (const auto* const refused = std::get_if<refusal>(&said)) {
            refuse(*refused);
            return;
        }
        admitted_ = std::get<origin_slot>(std::move(said));
        socket().async_accept(handshake_->request.get(), [this](boost::system::error_code failed) {
            over(failed ? std::optional{unusable(failed.message())} : std::nullopt);
        });
    }
    void refuse(const refusal& why) {
        auto& answer = handshake_->answer;
        answer.result(why.status);
        answer.set(http::field::connection, "close");
        answer.set(http::field::content_type, "text/plain; charset=utf-8");
        answer.body() = std::string{why.why} + "\n";
        answer.prepare_payload();
        http::async_write(
            socket().next_layer(), answer,
            [this, text = std::string{why.why}](boost::system::error_code, std::size_t) {
                below().finish();
                over(unusable(text));
            });
    }
    void over(std::optional<failure> why) {
        handshake_.reset();
        if (why) {
            leave();
        }
        tell_opened(std::move(why));
    }
    void leave() override { admitted_ = {}; }

    std::shared_ptr<const admission> admission_;
    std::unique_ptr<pending_handshake> handshake_{};
    origin_slot admitted_{};
};

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_HANDSHAKE_HPP
