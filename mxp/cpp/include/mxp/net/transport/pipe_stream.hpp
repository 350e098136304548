/// The bytes of named pipes of Windows [MXP-21].
#ifndef MXP_NET_TRANSPORT_PIPE_STREAM_HPP
#define MXP_NET_TRANSPORT_PIPE_STREAM_HPP

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/error.hpp>
#include <asio/windows/overlapped_ptr.hpp>
#include <asio/windows/stream_handle.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "../blocking_bytes.hpp"
#include "../byte_stream.hpp"
#include "../system/windows/pipe.hpp"
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

/// Tells a function that a pipe has bytes, or will have none.
template <class Then>
void await_pipe(pipe_handle& pipe, Then then) {
    begin_operation(
        pipe.get_executor(),
        [&pipe](OVERLAPPED* operation) { return await_bytes(pipe.native_handle(), operation); },
        std::move(then));
}

/// Tells a handler if the other end of a pipe is closed.
inline void look_at_pipe(pipe_handle& pipe, const std::weak_ptr<byte_stream::handler>& owner) {
    const auto kept = owner.lock();
    if (kept != nullptr && pipe.is_open() && is_pipe_over(pipe.native_handle())) {
        kept->on_hang_up();
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
        detail::await_pipe(pipe_, [this, owner = std::move(owner)](const std::error_code& failed,
                                                                   std::size_t /*n*/) mutable {
            const auto turns = owner->turns();
            turns->run([this, owner = std::move(owner), failed]() mutable {
                take(std::move(owner), failed);
            });
        });
    }

    /// The system tells of no end by itself.
    void watch(std::weak_ptr<handler> /*owner*/) override {}
    void look(std::weak_ptr<handler> owner) override { detail::look_at_pipe(pipe_, owner); }

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

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_PIPE_STREAM_HPP
