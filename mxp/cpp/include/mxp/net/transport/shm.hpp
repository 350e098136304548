/// Memory that two processes of one machine share, and the unix socket or named pipe by which they
/// come to have it, over which the bytes go where there is no such memory [MXP-18.1].
#ifndef MXP_NET_TRANSPORT_SHM_HPP
#define MXP_NET_TRANSPORT_SHM_HPP

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "../blocking.hpp"
#include "../client_options.hpp"
#include "../server_options.hpp"
#include "../transport.hpp"
#include "shm/blocking.hpp"
#include "shm/dialer.hpp"
#include "shm/local_stream.hpp"

namespace mxp::net {

/// Shared memory of two processes; the kernel tells each the other's identity.
class shm_transport final : public transport {
   public:
    [[nodiscard]] address_form form() const override { return detail::local_form; }
    [[nodiscard]] protection protects() const override { return {true, false}; }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& options,
                                             dial_handler then) override {
        const auto one =
            std::make_shared<detail::shm_dialer>(io, address, account_of(options), std::move(then));
        one->start();
        return [one] { one->close(); };
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& options,
                                           accept_handler then) override {
        return detail::listen_local(
            io, address, options,
            [account = account_of(options), text = to_string(address),
             then = std::move(then)](auto answer) {
                then(std::make_unique<detail::shm_arrival>(std::move(answer), text, account));
            });
    }

    [[nodiscard]] outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& address, const blocking_options& options,
                  std::chrono::steady_clock::time_point deadline) override {
        auto connected = detail::connect_local(address, deadline);
        if (!connected) {
            return failed_outcome{connected.error()};
        }
        detail::shm::local_socket socket = std::move(*connected);
        const auto account = account_of(options);
        detail::shm::opener opener{account};
        auto done = opener.lacks() ? detail::shm::fallback{*opener.lacks()}
                                   : exchange(opener, socket.get(), deadline);
        if (!done) {
            return failed_outcome{done.error()};
        }
        if (auto* const memory = std::get_if<detail::shm::memory_pair>(&*done)) {
            return std::make_unique<detail::shm::blocking_connection>(
                std::move(socket), std::move(*memory), account->spin());
        }
        const auto& over = std::get<detail::shm::fallback>(*done);
        account->goes_over_socket(to_string(address), over.why);
        if (over.is_anew) {
            auto again = detail::connect_local(address, deadline);
            if (!again) {
                return failed_outcome{again.error()};
            }
            socket = std::move(*again);
        }
        return detail::plain_bytes(std::move(socket));
    }

   private:
    /// The account of a client or a server, or one of its own where a program dials by itself.
    template <class Options>
    [[nodiscard]] static std::shared_ptr<detail::shm_account> account_of(const Options& options) {
        return options.shm.account != nullptr
                   ? options.shm.account
                   : std::make_shared<detail::shm_account>(options.shm, options.logger);
    }

    /// Offers memory, and waits for the answer.
    [[nodiscard]] static outcome<detail::shm::handover>
    exchange(detail::shm::opener& opener, detail::shm::local_handle socket,
             std::chrono::steady_clock::time_point deadline) {
        if (const auto sent = opener.propose(socket); !sent) {
            return failed_outcome{sent.error()};
        }
        detail::shm::incoming_offer came{false};
        if (const auto done = detail::shm::await(came, socket, deadline); !done) {
            return failed_outcome{done.error()};
        }
        return opener.answered(socket, came);
    }
};

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_SHM_HPP
