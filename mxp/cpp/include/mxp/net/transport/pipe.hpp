/// Named pipes of Windows [MXP-21].
#ifndef MXP_NET_TRANSPORT_PIPE_HPP
#define MXP_NET_TRANSPORT_PIPE_HPP

#include "../system/features.hpp"
#if MXP_HAS_PIPES

#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "../server_options.hpp"
#include "../transport.hpp"
#include "accept_loop.hpp"
#include "pipe_stream.hpp"
#include "schemes.hpp"

namespace mxp::net {

namespace detail {

/// Serves a pipe: the next client's instance is there as long as it is open.
class pipe_acceptor {
   public:
    pipe_acceptor(asio::any_io_executor on, std::string path, access_list access)
        : next_(std::move(on)), path_(std::move(path)), access_(std::move(access)) {}

    /// Makes the first instance.
    [[nodiscard]] attempt<void> open() {
        std::error_code failed;
        system_handle first = first_instance(path_, access_, failed);
        if (failed == asio::error::access_denied || failed == windows_error(ERROR_PIPE_BUSY)) {
            return failed_attempt{
                {std::make_error_code(std::errc::address_in_use), "somebody listens on " + path_}};
        }
        if (failed) {
            return failed_attempt{{failed, path_}};
        }
        if (auto wrong = wrong_owner(first.get(), false)) {
            return failed_attempt{
                {std::make_error_code(std::errc::permission_denied), std::move(*wrong)}};
        }
        failed = adopt_pipe(next_, std::move(first));
        is_open_ = !failed;
        return failed ? attempt<void>{failed_attempt{{failed, path_}}} : attempt<void>{};
    }
    [[nodiscard]] asio::any_io_executor get_executor() { return next_.get_executor(); }
    [[nodiscard]] bool is_open() const noexcept { return is_open_; }
    void close(std::error_code& failed) {
        is_open_ = false;
        next_.close(failed);
    }
    /// Tells a function that a client has connected, or why none does.
    template <class Then>
    void await(Then then) {
        if (!next_.is_open()) {
            if (const std::error_code failed = make_next()) {
                asio::post(get_executor(), [failed, then = std::move(then)] { then(failed); });
                return;
            }
        }
        begin_operation(
            get_executor(),
            [this](OVERLAPPED* operation) {
                return ::ConnectNamedPipe(next_.native_handle(), operation) != 0;
            },
            [then = std::move(then)](const std::error_code& failed, std::size_t /*n*/) {
                const bool is_there = failed == windows_error(ERROR_PIPE_CONNECTED);
                then(is_there ? std::error_code{} : failed);
            });
    }
    /// Gives away the instance that has a client. The next is made before, so that the name always
    /// has one.
    [[nodiscard]] pipe_handle take() {
        pipe_handle taken = std::exchange(next_, pipe_handle{get_executor()});
        static_cast<void>(make_next());
        return taken;
    }

   private:
    [[nodiscard]] std::error_code make_next() {
        system_handle made = make_instance(path_, access_, 0);
        return made ? adopt_pipe(next_, std::move(made)) : windows_error(::GetLastError());
    }

    pipe_handle next_;
    std::string path_;
    access_list access_;
    bool is_open_ = false;
};

/// Named pipes, as an accept loop has them.
struct pipe_protocol {
    using socket = pipe_handle;
    using acceptor = pipe_acceptor;
};

/// The next connection of a pipe.
template <>
class arrival<pipe_protocol> {
   public:
    explicit arrival(const pipe_acceptor& /*from*/) {}

    template <class Then>
    void await(pipe_acceptor& from, Then then) {
        from.await(std::move(then));
    }
    [[nodiscard]] static bool has_left(const std::error_code& failed) {
        return is_end_of_pipe(failed);
    }
    [[nodiscard]] std::error_code take(pipe_acceptor& from, pipe_handle& output,
                                       const std::error_code& failed) {
        output = from.take();
        return failed;
    }
};

/// The pause between two looks for an instance that is not taken, and the failure without one.
inline constexpr std::chrono::milliseconds busy_pause{10};
inline constexpr const char* all_taken = "all instances of the pipe are taken";

/// A pipe that is open, which is none while all instances are taken; or why there is none.
[[nodiscard]] inline outcome<system_handle> try_pipe(const std::string& name) {
    system_handle made = open_pipe(pipe_path(name));
    if (made) {
        if (auto wrong = wrong_owner(made.get(), true)) {
            return failed_outcome{unusable(std::move(*wrong))};
        }
        return made;
    }
    const std::error_code why = windows_error(::GetLastError());
    if (why == windows_error(ERROR_PIPE_BUSY)) {
        return made;
    }
    if (why == windows_error(ERROR_FILE_NOT_FOUND)) {
        return failed_outcome{unavailable("nobody serves a pipe of this name")};
    }
    return failed_outcome{is_forbidden(why) ? unusable(why.message()) : unavailable(why.message())};
}

/// Waits for an instance that is not taken. A caller that has given up gets none.
class pipe_dialer : public std::enable_shared_from_this<pipe_dialer> {
   public:
    using dial_handler = std::function<void(outcome<pipe_handle>)>;

    pipe_dialer(asio::io_context& io, std::string name, dial_handler then)
        : strand_(asio::make_strand(io)),
          pause_(io),
          name_(std::move(name)),
          then_(std::move(then)) {}

    void start() {
        asio::post(strand_, [self = shared_from_this()] { self->look(); });
    }
    void give_up() {
        asio::dispatch(strand_, [self = shared_from_this()] {
            self->is_over_ = true;
            self->pause_.cancel();
        });
    }

   private:
    void look() {
        if (is_over_) {
            then_(failed_outcome{unavailable(all_taken)});
            return;
        }
        auto made = try_pipe(name_);
        if (!made) {
            then_(failed_outcome{made.error()});
        } else if (*made) {
            open(std::move(*made));
        } else {
            pause_.expires_after(busy_pause);
            pause_.async_wait(asio::bind_executor(
                strand_, [self = shared_from_this()](const std::error_code&) { self->look(); }));
        }
    }
    void open(system_handle pipe) {
        pipe_handle opened{pause_.get_executor()};
        if (const auto failed = adopt_pipe(opened, std::move(pipe))) {
            then_(failed_outcome{unavailable(failed.message())});
            return;
        }
        then_(std::move(opened));
    }

    asio::strand<asio::io_context::executor_type> strand_;
    asio::steady_timer pause_;
    std::string name_;
    dial_handler then_;
    bool is_over_ = false;
};

/// Connects to a pipe. The returned function gives that up.
[[nodiscard]] inline std::function<void()> dial_pipe(asio::io_context& io, const address& address,
                                                     pipe_dialer::dial_handler then) {
    const auto made = std::make_shared<pipe_dialer>(io, address.path, std::move(then));
    made->start();
    // A dialer holds its function, which may hold this.
    return [weak = std::weak_ptr<pipe_dialer>{made}] {
        if (const auto there = weak.lock()) {
            there->give_up();
        }
    };
}

/// A pipe that is connected, in time.
[[nodiscard]] inline outcome<system_handle>
connect_pipe(const address& address, std::chrono::steady_clock::time_point deadline) {
    for (;;) {
        auto made = try_pipe(address.path);
        if (!made || *made) {
            return made;
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            return failed_outcome{unavailable(all_taken)};
        }
        std::this_thread::sleep_for(busy_pause);
    }
}

/// Takes the clients of a pipe.
[[nodiscard]] inline attempt<listener> listen_pipe(asio::io_context& io, const address& address,
                                                   const server_options& options,
                                                   std::function<void(pipe_handle)> then) {
    const auto own = own_user();
    access_list access{pipe_access(own.value_or(""), options.any_user)};
    if (!own || !access) {
        return failed_attempt{{std::make_error_code(std::errc::operation_not_supported),
                               "the system does not tell this program's user"}};
    }
    pipe_acceptor acceptor{io.get_executor(), pipe_path(address.path), std::move(access)};
    if (const auto done = acceptor.open(); !done) {
        return failed_attempt{done.error()};
    }
    const auto on =
        std::make_shared<accept_loop<pipe_protocol>>(io, std::move(acceptor), std::move(then));
    on->start();
    return listener{to_string(address), [on] { on->close(); }};
}

}  // namespace detail

/// Named pipes, at names of this machine.
class pipe_transport final : public transport {
   public:
    [[nodiscard]] address_form form() const override { return address_form::name; }
    [[nodiscard]] protection protects() const override { return {true, false}; }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& /*options*/,
                                             dial_handler then) override {
        return detail::dial_pipe(
            io, address, [text = to_string(address), then = std::move(then)](auto connected) {
                if (!connected) {
                    then(failed_outcome{connected.error()});
                    return;
                }
                net::peer who{text, std::string{detail::pipe_scheme}, {}, {}};
                then(std::make_unique<pipe_stream>(std::move(*connected), std::move(who)));
            });
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& options,
                                           accept_handler then) override {
        return detail::listen_pipe(
            io, address, options,
            [text = to_string(address), then = std::move(then)](detail::pipe_handle pipe) {
                // One whose user is not known is let in where anybody is.
                auto program = detail::client_of_pipe(pipe.native_handle());
                net::peer who{text, std::string{detail::pipe_scheme}, std::move(program), {}};
                then(std::make_unique<pipe_stream>(std::move(pipe), std::move(who)));
            });
    }

    [[nodiscard]] outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& address, const blocking_options& /*options*/,
                  std::chrono::steady_clock::time_point deadline) override {
        auto made = detail::connect_pipe(address, deadline);
        if (!made) {
            return failed_outcome{made.error()};
        }
        return std::make_unique<detail::pipe_bytes>(std::move(*made));
    }
};

}  // namespace mxp::net

#endif

#endif  // MXP_NET_TRANSPORT_PIPE_HPP
