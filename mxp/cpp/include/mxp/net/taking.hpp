/// The chunks of streams that come, until they are taken.
#ifndef MXP_NET_TAKING_HPP
#define MXP_NET_TAKING_HPP

#include <algorithm>
#include <utility>

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
    if (of->inbox.is_finish_due() && !of->is_over) {
        of->inbox.was_finish_told = true;
        of->is_finish_untold = of->on_finish == nullptr;
        if (of->on_finish) {
            turns_->shield([then = of->on_finish] { (*then)(); });
        }
    }
}

/// Tells the first of the chunks that wait, or several: they stay as long, though the stream may
/// end.
inline void connection::tell_kept(const std::shared_ptr<stream::state>& of) {
    const std::size_t before = of->inbox.held();
    engine::inbox::batch taken;
    of->inbox.take(of->on_chunks ? turn_.left() : 1, taken);
    load_.chunks -= before - of->inbox.held();
    tell_several(of, taken.values.all());
    if (!of->is_over) {
        of->inbox.put_back(taken);
    }
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

/// Counts what was taken.
inline void connection::took(stream::state& of, std::size_t messages, std::size_t n) {
    if (!of.is_over) {
        of.inbox.credit.took(session_, of.id, messages, n, options_.window, !of.inbox.has_finished,
                             [this] { return now(); });
    }
}

/// Keeps chunks that have come together until the reader takes them.
inline void connection::keep(const std::shared_ptr<stream::state>& of, engine::parcel values) {
    load_.chunks += values.held();
    of->inbox.keep(std::move(values));
}

inline void connection::handle(const session::in::chunk& of) {
    const auto found = find_stream(of.id);
    if (!found) {
        return;
    }
    found->has_moved = true;
    found->inbox.came(of);
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
    found->inbox.came(of);
    engine::views some;
    // The next values are found before these are told: the session may end then.
    auto at = of.values.begin();
    std::size_t left = of.values.size();
    while (left > 0 && found->is_read() && !turn_.is_spent()) {
        const std::size_t n = found->on_chunks ? std::min(turn_.left(), left) : 1;
        for (some.clear(); some.size() < n;) {
            some.push_back(*at++);
        }
        left -= n;
        tell_several(found, some.all());
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
