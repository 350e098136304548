/// The chunks of streams that come, until they are taken.
#ifndef MXP_NET_CHUNK_QUEUE_HPP
#define MXP_NET_CHUNK_QUEUE_HPP

#include <algorithm>
#include <utility>

#include "connection.hpp"

namespace mxp::net {

/// Tells the chunks that wait, as far as the turn goes, and that no more come.
inline void connection::tell_chunks(const std::shared_ptr<stream::state>& stream) {
    while (stream->has_kept() && !turn_.is_spent()) {
        tell_kept(stream);
    }
    if (stream->has_kept()) {
        proceed_later(stream);
    }
    if (stream->inbox.is_finish_due() && !stream->is_over) {
        stream->inbox.was_finish_told = true;
        stream->is_finish_untold = stream->on_finish == nullptr;
        if (stream->on_finish) {
            turns_->shield([then = stream->on_finish] { (*then)(); });
        }
    }
}

/// Tells the first of the chunks that wait, or several: they stay as long, though the stream may
/// end.
inline void connection::tell_kept(const std::shared_ptr<stream::state>& stream) {
    const std::size_t before = stream->inbox.held();
    engine::inbox::batch taken;
    stream->inbox.take(stream->on_chunks ? turn_.left() : 1, taken);
    load_.chunks -= before - stream->inbox.held();
    tell_several(stream, taken.values.all());
    if (!stream->is_over) {
        stream->inbox.put_back(taken);
    }
}

/// Tells chunks that the reader takes now.
inline void connection::tell_several(const std::shared_ptr<stream::state>& stream,
                                     sdp::span<const bytes_view> values) {
    std::size_t n = 0;
    for (const bytes_view one : values) {
        n += one.size();
    }
    turn_.spend(values.size());
    if (stream->on_chunks) {
        turns_->shield([&, then = stream->on_chunks] { (*then)(values); });
    } else {
        turns_->shield([&, then = stream->on_chunk] { (*then)(values[0]); });
    }
    took(*stream, values.size(), n);
}

/// Counts what was taken.
inline void connection::took(stream::state& stream, std::size_t messages, std::size_t n) {
    if (!stream.is_over) {
        stream.inbox.credit.took(session_, stream.id, messages, n, options_.window,
                                 !stream.inbox.has_finished, [this] { return now(); });
    }
}

/// Keeps chunks that have come together until the reader takes them.
inline void connection::keep(const std::shared_ptr<stream::state>& stream, engine::parcel values) {
    load_.chunks += values.held();
    stream->inbox.keep(std::move(values));
}

inline void connection::handle(const session::in::chunk& event) {
    const auto found = find_stream(event.id);
    if (!found) {
        return;
    }
    found->has_moved = true;
    found->inbox.came(event);
    if (found->is_read()) {
        tell_several(found, {&event.value, 1});
    } else {
        turn_.spend(1);
        keep(found, engine::parcel{event.value});
    }
    proceed(found);
}

/// As `chunk` for each, as far as the turn goes. The others are kept together.
inline void connection::handle(const session::in::chunks& event) {
    const auto found = find_stream(event.id);
    if (!found) {
        return;
    }
    found->has_moved = true;
    found->inbox.came(event);
    engine::views some;
    // The next values are found before these are told: the session may end then.
    auto at = event.values.begin();
    std::size_t left = event.values.size();
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
        keep(found, {{}, event.values.from(at), left});
    }
    proceed(found);
}

}  // namespace mxp::net

#endif  // MXP_NET_CHUNK_QUEUE_HPP
