/// The chunks of streams that come, until they are taken.
#ifndef MXP_NET_TAKING_HPP
#define MXP_NET_TAKING_HPP

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "connection.hpp"

namespace mxp::net {

/// Tells the chunks that wait, as far as the turn goes, and that no more come.
inline void connection::tell_chunks(const std::shared_ptr<stream::state>& of) {
    while (of->has_kept() && !turn_.is_spent()) {
        tell_kept(of);
    }
    if (of->has_kept()) {
        proceed_later(of);
    }
    if (of->has_peer_finished && of->chunks.empty() && !of->was_finish_told && !of->is_over &&
        !of->is_paused) {
        of->was_finish_told = true;
        of->is_finish_untold = of->on_finish == nullptr;
        if (of->on_finish) {
            turns_->shield([then = of->on_finish] { (*then)(); });
        }
    }
}

/// Tells the first of the chunks that wait, or several: they stay as long, though the stream may
/// end.
inline void connection::tell_kept(const std::shared_ptr<stream::state>& of) {
    std::array<bytes_view, engine::turn::most> values;
    const std::size_t most = of->on_chunks ? turn_.left() : 1;
    std::vector<engine::parcel> emptied;
    engine::parcel first = std::move(of->chunks.front());
    std::size_t n = 0;
    while (n < most && first.size() > 0) {
        values[n++] = first.next();
        if (first.size() == 0 && n < most && of->chunks.size() > 1) {
            hold_parcel(*of, first, false);
            of->chunks.pop_front();
            emptied.push_back(std::exchange(first, std::move(of->chunks.front())));
        }
    }
    if (first.size() > 0) {
        tell_several(of, {values.data(), n});
        if (!of->is_over) {
            of->chunks.front() = std::move(first);
        }
        return;
    }
    hold_parcel(*of, first, false);
    of->chunks.pop_front();
    tell_several(of, {values.data(), n});
}

/// Tells chunks that the reader takes now.
inline void connection::tell_several(const std::shared_ptr<stream::state>& of,
                                     sdp::span<const bytes_view> values) {
    std::size_t n = 0;
    for (const bytes_view one : values) {
        n += one.size();
    }
    turn_.spend(values.size());
    if (of->on_chunks) {
        turns_->shield([&, then = of->on_chunks] { (*then)(values); });
    } else {
        turns_->shield([&, then = of->on_chunk] { (*then)(values[0]); });
    }
    took(*of, values.size(), n);
}

/// Counts what was taken, and grants it anew when it is much.
inline void connection::took(stream::state& of, std::size_t messages, std::size_t n) {
    of.taken += static_cast<std::uint32_t>(messages);
    of.taken_bytes += n;
    if (const std::uint64_t number = of.acks.took(messages); number > 0 && !of.is_over) {
        static_cast<void>(session_.ack(of.id, number, now()));
    }
    if (of.has_peer_finished || of.is_over) {
        return;
    }
    if (of.taken >= of.most / 2 || of.taken_bytes >= options_.window / 2) {
        static_cast<void>(session_.grant(
            of.id, {std::exchange(of.taken, 0U), std::exchange(of.taken_bytes, 0U)}, now()));
    }
}

/// Keeps chunks that have come together until the reader takes them.
inline void connection::keep(const std::shared_ptr<stream::state>& of, engine::parcel values) {
    of->chunks.emplace_back(std::move(values));
    hold_parcel(*of, of->chunks.back(), true);
}

inline void connection::handle(const session::in::chunk& of) {
    const auto found = find_stream(of.id);
    if (!found) {
        return;
    }
    found->has_moved = true;
    found->acks.came(of.number, of.requires_ack);
    if (of.is_final) {
        found->has_peer_finished = true;
    }
    if (found->is_read()) {
        tell_several(found, {&of.value, 1});
    } else {
        turn_.spend(1);
        keep(found, engine::parcel{of.value});
    }
    proceed(found);
}

/// As `chunk` for each, as far as the turn goes. The others are kept together.
inline void connection::handle(const session::in::chunks& of) {
    const auto found = find_stream(of.id);
    if (!found) {
        return;
    }
    found->has_moved = true;
    found->acks.came(of.first + of.values.size() - 1, of.requires_ack);
    found->has_peer_finished = of.is_final;
    std::array<bytes_view, engine::turn::most> some;
    // The next values are found before these are told: the session may end then.
    auto at = of.values.begin();
    std::size_t left = of.values.size();
    while (left > 0 && found->is_read() && !turn_.is_spent()) {
        const std::size_t n = found->on_chunks ? std::min(turn_.left(), left) : 1;
        for (std::size_t i = 0; i < n; ++i) {
            some[i] = *at++;
        }
        left -= n;
        tell_several(found, {some.data(), n});
        if (found->is_over || session_.has_ended()) {
            return;
        }
    }
    if (left > 0) {
        turn_.spend(1);
        keep(found, {{}, of.values.from(at), left});
    }
    proceed(found);
}

}  // namespace mxp::net

#endif  // MXP_NET_TAKING_HPP
