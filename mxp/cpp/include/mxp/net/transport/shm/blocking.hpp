/// Connections by shared memory of blocking clients.
#ifndef MXP_NET_TRANSPORT_SHM_BLOCKING_HPP
#define MXP_NET_TRANSPORT_SHM_BLOCKING_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <system_error>
#include <utility>

#include "../../blocking_bytes.hpp"
#include "error.hpp"
#include "handover.hpp"
#include "spin.hpp"

namespace mxp::net::detail::shm {

/// A connection, as one thread has it, which sleeps on the peer's bell.
class blocking_connection final : public blocking_bytes {
   public:
    blocking_connection(local_socket socket, memory_pair transfer, std::chrono::microseconds limit)
        : to_(std::move(transfer), socket.get()), socket_(std::move(socket)), spin_(limit) {}
    /// As of a socket that is closed, all that was written is read, and then the end.
    ~blocking_connection() override { to_.out.end(to_.wakes); }

    [[nodiscard]] std::size_t read(std::byte* output, std::size_t most,
                                   std::error_code& why) override {
        std::size_t n = 0;
        const read_outcome came = to_.in.read(output, most, n, to_.wakes);
        if (came == read_outcome::nothing) {
            why = std::make_error_code(std::errc::operation_would_block);
            return 0;
        }
        spin_.came();
        seen_ = clock::now();
        why = ending(came);
        return n;
    }

    [[nodiscard]] std::size_t write(const iovec* pieces, std::size_t n,
                                    std::error_code& why) override {
        if (is_alone_) {
            why = std::make_error_code(std::errc::broken_pipe);
            return 0;
        }
        const auto wrote = to_.out.write(
            span{pieces, pieces + n},
            [](const iovec& piece) {
                return std::pair{piece.iov_base, piece.iov_len};
            },
            to_.wakes);
        why = !wrote ? ending(read_outcome::wrong) : std::error_code{};
        if (wrote == std::size_t{0}) {
            why = std::make_error_code(std::errc::operation_would_block);
        }
        spin_.renew();  // mostly an answer comes
        return wrote.value_or(0);
    }

    [[nodiscard]] bool wait(bool for_bytes, bool for_room,
                            std::chrono::microseconds most) override {
        const auto begun = clock::now();
        if (has_news(for_bytes, for_room)) {
            return for_bytes;
        }
        if (most <= most.zero()) {
            return begun - seen_ >= glance && !looks_after_socket(begun);
        }
        while (!spin_.is_over()) {
            for (int i = 0; i < looks; ++i) {
                if (has_news(for_bytes, for_room)) {
                    return for_bytes;
                }
                relax();
            }
        }
        sleep_until(begun + std::min(most, longest), for_bytes, for_room);
        return for_bytes || is_alone_;
    }

   private:
    using clock = std::chrono::steady_clock;
    struct span {
        const iovec* first;
        const iovec* last;
        [[nodiscard]] const iovec* begin() const noexcept { return first; }
        [[nodiscard]] const iovec* end() const noexcept { return last; }
    };

    static constexpr std::chrono::microseconds longest = std::chrono::minutes{1};
    /// Looks between two looks at the time.
    static constexpr int looks = 16;
    /// The time that it sleeps before it looks after the socket [MXP-18.10].
    static constexpr std::chrono::milliseconds slice{100};
    /// The time for which a caller that does not wait trusts its last look after the peer.
    static constexpr std::chrono::milliseconds glance{1};

    [[nodiscard]] bool has_news(bool for_bytes, bool for_room) const noexcept {
        return (for_bytes && to_.in.has_news()) || (for_room && (is_alone_ || to_.out.has_news()));
    }
    /// Tells whether the peer is still there.
    bool looks_after_socket(clock::time_point now) noexcept {
        seen_ = now;
        if (hear(socket_.get()) == socket_news::end) {
            is_alone_ = true;
            to_.in.close();
        }
        return !is_alone_;
    }
    /// Sleeps until there is something to do, or to find out.
    void sleep_until(clock::time_point late, bool for_bytes, bool for_room) noexcept {
        auto check = clock::now() + slice;
        for (;;) {
            const std::uint32_t rung = to_.memory.peer.rung();
            if (for_bytes) {
                to_.in.announce(wakes::bell);
            }
            if (for_room) {
                to_.out.announce(wakes::bell);
            }
            auto now = clock::now();
            if (has_news(for_bytes, for_room) || now >= late) {
                break;
            }
            sleep(to_.memory.own, to_.memory.peer, rung, for_bytes, for_room,
                  std::min(late, check) - now);
            now = clock::now();
            if (now >= check) {
                check = now + slice;
                if (!looks_after_socket(now)) {
                    break;
                }
            }
        }
        to_.in.go_on();
        to_.out.go_on();
    }

    ring_connection to_;
    /// The socket ends before the memory behind it does.
    local_socket socket_;
    spin spin_;
    /// When the peer was seen to be there.
    clock::time_point seen_ = clock::now();
    /// The socket has ended: the peer is gone.
    bool is_alone_ = false;
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_BLOCKING_HPP
