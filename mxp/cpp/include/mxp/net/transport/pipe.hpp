/// Named pipes of Windows [MXP-21].
#ifndef MXP_NET_TRANSPORT_PIPE_HPP
#define MXP_NET_TRANSPORT_PIPE_HPP

#include "../system/features.hpp"
#if MXP_HAS_PIPES

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/windows/overlapped_ptr.hpp>
#include <asio/windows/stream_handle.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../server_options.hpp"
#include "../system/windows/pipe.hpp"
#include "../transport.hpp"
#include "accept_loop.hpp"
#include "schemes.hpp"
#include "socket_stream.hpp"

namespace mxp::net {

namespace detail {

using pipe_handle = asio::windows::stream_handle;

/// Begins an operation of the system, whose end a handler is told.
template <class Begin, class Then>
void begin_operation(const asio::any_io_executor& on, Begin begin, Then then) {
    asio::windows::overlapped_ptr operation{on, std::move(then)};
    if (begin(operation.get()) || ::GetLastError() == ERROR_IO_PENDING) {
        operation.release();
    } else {
        operation.complete(windows_error(::GetLastError()), 0);
    }
}

/// Hands a pipe to a context.
[[nodiscard]] inline std::error_code adopt_pipe(pipe_handle& output, system_handle pipe) {
    std::error_code failed;
    output.assign(pipe.get(), failed);
    if (!failed) {
        static_cast<void>(pipe.release());
    }
    return failed;
}

/// Copies pieces behind each other, up to the most bytes of a write.
template <class Each>
[[nodiscard]] std::vector<std::byte> joined(Each each) {
    std::vector<std::byte> made;
    each([&made](const void* from, std::size_t n) {
        const auto* const first = static_cast<const std::byte*>(from);
        n = std::min<std::size_t>(n, pipe_bytes_most - made.size());
        made.insert(made.end(), first, first + n);
    });
    return made;
}

}  // namespace detail

/// An end of a pipe. Neither direction ends by itself: both do, once all is written [MXP-21.4].
class pipe_stream final : public byte_stream {
   public:
    pipe_stream(detail::pipe_handle pipe, net::peer peer)
        : pipe_(std::move(pipe)), peer_(std::move(peer)) {}

    [[nodiscard]] net::peer peer() const override { return peer_; }

    void read(std::shared_ptr<handler> owner) override {
        detail::begin_operation(
            pipe_.get_executor(),
            [this](OVERLAPPED* operation) {
                return detail::await_bytes(pipe_.native_handle(), operation);
            },
            [this, owner = std::move(owner)](const std::error_code& failed,
                                             std::size_t /*n*/) mutable {
                const auto turns = owner->turns();
                turns->run([this, owner = std::move(owner), failed]() mutable {
                    take(std::move(owner), failed);
                });
            });
    }

    /// The system tells of no end by itself.
    void watch(std::weak_ptr<handler> /*owner*/) override {}
    void look(std::weak_ptr<handler> owner) override {
        const auto kept = owner.lock();
        if (kept != nullptr && pipe_.is_open() && detail::is_pipe_over(pipe_.native_handle())) {
            kept->on_hang_up();
        }
    }

    std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) override {
        const asio::const_buffer& first = *pieces.begin();
        const void* from = first.data();
        std::size_t n = std::min<std::size_t>(first.size(), detail::pipe_bytes_most);
        if (pieces.end() - pieces.begin() > 1 && n < detail::pipe_bytes_most) {
            joined_ = detail::joined([&pieces](auto add) {
                for (const asio::const_buffer& piece : pieces) {
                    add(piece.data(), piece.size());
                }
            });
            from = joined_.data();
            n = joined_.size();
        }
        detail::begin_operation(
            pipe_.get_executor(),
            [&](OVERLAPPED* operation) {
                // The handler has its turn after this one.
                has_waited_ = ::WriteFile(pipe_.native_handle(), from, static_cast<DWORD>(n),
                                          nullptr, operation) == 0;
                return !has_waited_;
            },
            [this, owner = std::move(owner)](const std::error_code& failed,
                                             std::size_t written) mutable {
                const auto turns = owner->turns();
                turns->run([this, owner = std::move(owner), failed, written] {
                    joined_ = {};
                    if (failed) {
                        owner->on_unwritten(known(failed));
                    } else {
                        owner->on_written(written, has_waited_);
                    }
                });
            });
        return 0;
    }

    void finish(std::shared_ptr<handler> /*owner*/) override { close(); }

    void close() override {
        std::error_code ignored;
        pipe_.close(ignored);
    }

   private:
    [[nodiscard]] static std::error_code known(const std::error_code& why) {
        return detail::is_end_of_pipe(why) ? std::make_error_code(std::errc::broken_pipe) : why;
    }

    /// Reads what is there.
    void take(std::shared_ptr<handler> owner, std::error_code failed) {
        if (!pipe_.is_open() || detail::is_end_of_pipe(failed)) {
            owner->on_lost(asio::error::eof);
            return;
        }
        std::byte* const room = detail::read_room();
        const std::size_t n =
            failed ? 0 : detail::read_pipe(pipe_.native_handle(), room, detail::read_bytes, failed);
        if (n > 0) {
            owner->on_bytes({room, n});
        } else if (failed == std::errc::operation_would_block) {
            read(std::move(owner));
        } else {
            owner->on_lost(failed ? failed : asio::error::eof);
        }
    }

    detail::pipe_handle pipe_;
    net::peer peer_;
    /// Pieces that are written as one.
    std::vector<std::byte> joined_{};
    bool has_waited_ = false;
};

namespace detail {

/// The bytes of a blocking client's pipe.
class pipe_bytes final : public blocking_bytes {
   public:
    explicit pipe_bytes(system_handle pipe)
        : pipe_(std::move(pipe)), arrival_(pipe_.get()), departure_(pipe_.get()) {}

    [[nodiscard]] std::size_t read(std::byte* output, std::size_t most,
                                   std::error_code& why) override {
        return read_pipe(pipe_.get(), output, most, why);
    }
    [[nodiscard]] std::size_t write(const iovec* pieces, std::size_t n,
                                    std::error_code& why) override {
        // The pieces of a write that has waited are the same again.
        if (!departure_.is_begun()) {
            joined_ = joined([pieces, n](auto add) {
                for (const iovec* piece = pieces; piece != pieces + n; ++piece) {
                    add(piece->iov_base, piece->iov_len);
                }
            });
            departure_.begin([this](OVERLAPPED* operation) {
                return ::WriteFile(pipe_.get(), joined_.data(), static_cast<DWORD>(joined_.size()),
                                   nullptr, operation) != 0;
            });
        }
        const std::size_t written = departure_.end(why);
        if (is_end_of_pipe(why)) {
            why = std::make_error_code(std::errc::broken_pipe);
        }
        return written;
    }
    [[nodiscard]] bool wait(bool for_bytes, bool for_room,
                            std::chrono::microseconds most) override {
        HANDLE events[2]{};
        DWORD n = 0;
        if (for_bytes) {
            if (!arrival_.is_begun()) {
                arrival_.begin(
                    [this](OVERLAPPED* operation) { return await_bytes(pipe_.get(), operation); });
            }
            events[n++] = arrival_.event();
        }
        if (for_room && departure_.is_begun()) {
            events[n++] = departure_.event();
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(most);
        const auto time =
            static_cast<DWORD>(std::clamp<decltype(left.count())>(left.count(), 0, 60'000));
        if (n == 0) {
            ::Sleep(for_room ? 0 : time);
            return false;
        }
        ::WaitForMultipleObjects(n, events, FALSE, time);
        if (!for_bytes) {
            return false;
        }
        std::error_code why;
        arrival_.end(why);
        return !arrival_.is_begun();
    }

   private:
    system_handle pipe_;
    std::vector<std::byte> joined_{};
    event_operation arrival_;
    event_operation departure_;
};

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
[[nodiscard]] inline outcome<system_handle> dial_pipe(const std::string& name) {
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
    pipe_dialer(asio::io_context& io, address to, transport::dial_handler then)
        : strand_(asio::make_strand(io)), pause_(io), to_(std::move(to)), then_(std::move(then)) {}

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
        auto made = dial_pipe(to_.path);
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
        net::peer who{to_string(to_), std::string{pipe_scheme}, {}, {}};
        then_(std::make_unique<pipe_stream>(std::move(opened), std::move(who)));
    }

    asio::strand<asio::io_context::executor_type> strand_;
    asio::steady_timer pause_;
    address to_;
    transport::dial_handler then_;
    bool is_over_ = false;
};

}  // namespace detail

/// Named pipes, at names of this machine.
class pipe_transport final : public transport {
   public:
    [[nodiscard]] address_form form() const override { return address_form::name; }
    [[nodiscard]] protection protects() const override { return {true, false}; }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& /*options*/,
                                             dial_handler then) override {
        const auto made = std::make_shared<detail::pipe_dialer>(io, address, std::move(then));
        made->start();
        return [made] { made->give_up(); };
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& options,
                                           accept_handler then) override {
        const auto own = detail::own_user();
        detail::access_list access{detail::pipe_access(own.value_or(""), options.any_user)};
        if (!own || !access) {
            return failed_attempt{{std::make_error_code(std::errc::operation_not_supported),
                                   "the system does not tell this program's user"}};
        }
        const std::string path = detail::pipe_path(address.path);
        detail::pipe_acceptor acceptor{io.get_executor(), path, std::move(access)};
        if (const auto done = acceptor.open(); !done) {
            return failed_attempt{done.error()};
        }
        const std::string text = to_string(address);
        const auto on = std::make_shared<detail::accept_loop<detail::pipe_protocol>>(
            io, std::move(acceptor), [text, then = std::move(then)](detail::pipe_handle pipe) {
                // One whose user is not known is let in where anybody is.
                auto program = detail::client_of_pipe(pipe.native_handle());
                net::peer who{text, std::string{detail::pipe_scheme}, std::move(program), {}};
                then(std::make_unique<pipe_stream>(std::move(pipe), std::move(who)));
            });
        on->start();
        return listener{text, [on] { on->close(); }};
    }

    [[nodiscard]] outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& address, const blocking_options& /*options*/,
                  std::chrono::steady_clock::time_point deadline) override {
        for (;;) {
            auto made = detail::dial_pipe(address.path);
            if (!made) {
                return failed_outcome{made.error()};
            }
            if (*made) {
                return std::make_unique<detail::pipe_bytes>(std::move(*made));
            }
            if (std::chrono::steady_clock::now() >= deadline) {
                return failed_outcome{unavailable(detail::all_taken)};
            }
            std::this_thread::sleep_for(detail::busy_pause);
        }
    }
};

}  // namespace mxp::net

#endif

#endif  // MXP_NET_TRANSPORT_PIPE_HPP
