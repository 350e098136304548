/// How a blocking client connects, reads and writes.
#ifndef MXP_NET_BLOCKING_SOCKET_HPP
#define MXP_NET_BLOCKING_SOCKET_HPP

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "blocking_state.hpp"

namespace mxp::net {

/// Begins an attempt, and the session if that has come to a connection.
inline outcome<void> blocking_caller::open(clock::time_point deadline) {
    const auto by = detail::transports::registered().find(at_->scheme);
    auto made = by->dial_blocking(*at_, options_, deadline);
    if (!made) {
        return failure_result{engine::not_dialed(made.error(), *place_)};
    }
    bytes_ = std::move(*made);
    session::config with;
    with.types = options_.types;
    with.payload_bytes = options_.payload_bytes;
    with.limits = options_.limits;
    with.observer = options_.observer;
    with.offers_checksum_off = by->protects().keeps_bytes();
    with.offers_batches = options_.batches;
    born_ = clock::now();
    number_ = ++links_;
    is_draining_ = false;
    was_ready_ = false;
    session_ = std::make_unique<session::session>(std::move(with), session::role::opener, 0);
    return {};
}

/// Writes what can be written without waiting; false if the connection was lost.
inline bool blocking_caller::write() {
    for (;;) {
        if (pieces_.empty()) {
            has_waited_ = false;
            session_->poll_batch(batch_, now(), write_bytes);
            batch_.each([this](bytes_view piece) {
                pieces_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
            });
            if (pieces_.empty()) {
                if (session_->finished()) {
                    lose({});
                    return false;
                }
                return true;
            }
            has_made_room_ = true;
        }
        std::error_code why;
        std::size_t n = bytes_->write(pieces_.data(), pieces_.size(), why);
        if (why == std::errc::operation_would_block) {
            has_waited_ = true;
            return true;
        }
        if (why) {
            lose(why);
            return false;
        }
        if (has_waited_) {
            session_->moved(now());
        }
        std::size_t gone = 0;
        while (gone < pieces_.size() && n >= pieces_[gone].iov_len) {
            n -= pieces_[gone++].iov_len;
        }
        pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(gone));
        if (pieces_.empty()) {
            batch_.clear();
        } else {
            pieces_.front().iov_base = static_cast<std::byte*>(pieces_.front().iov_base) + n;
            pieces_.front().iov_len -= n;
        }
    }
}

/// Reads what is there, unless the session takes no more for now [MXP-9.4].
inline void blocking_caller::read() {
    if (!unread_.empty()) {
        const std::vector<std::byte> again = std::exchange(unread_, {});
        tell(again);
        return;
    }
    const std::unique_ptr<std::byte[]> room{new std::byte[read_bytes]};
    std::error_code why;
    const std::size_t n = bytes_->read(room.get(), read_bytes, why);
    if (n > 0) {
        tell({room.get(), n});
    } else if (why != std::errc::operation_would_block) {
        lose(why);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_SOCKET_HPP
