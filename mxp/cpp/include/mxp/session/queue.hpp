/// Frames that wait to be sent [MXP-9].
#ifndef MXP_SESSION_QUEUE_HPP
#define MXP_SESSION_QUEUE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../encode.hpp"
#include "counter.hpp"
#include "output.hpp"
#include "records.hpp"
#include "spec_gen.hpp"
#include "values.hpp"

namespace mxp::session {

/// The facts of a frame that waits.
struct mark {
    frame_type type{};
    /// The exchange of this side's that it belongs to, or 0.
    std::uint64_t exchange = 0;
    /// Whether the session made it for the peer's sake [MXP-9.4].
    bool is_reply = false;
    /// Whether it is an Event that may be dropped [MXP-9.5].
    bool is_spare = false;
    /// Whether others may join it [MXP-17.6].
    bool is_open = false;
};

/// Whether a frame does no more than show that its sender lives [MXP-10.7], [MXP-11.1].
[[nodiscard]] inline bool is_pulse(frame_type type) noexcept {
    return type == frame_type::ping || type == frame_type::pong;
}

/// The frames in the order in which they were made. Heads and small frames lie side by side, so
/// that many can be written at once.
class queue {
   public:
    /// Room for a frame's header, the start of its payload, and the bytes behind that. Bytes that
    /// are written there become a frame by `push`, or are forgotten.
    [[nodiscard]] std::byte* room(std::size_t n) {
        if (frames_.empty()) {
            buffer_.clear();
            start_ = 0;
        } else if (start_ >= large_bytes && start_ > buffer_.size() / 2) {
            buffer_.drop_front(std::exchange(start_, 0));
        }
        return buffer_.room(header_bytes + n + trailer_bytes);
    }

    /// Adds a frame. The first `start_size` bytes of its payload were written into the room, which
    /// has place for the rest if that is not large. A frame that others may join has no large rest.
    void push(const header& head, std::size_t start_size, value&& rest, checksum mode, mark label) {
        seal();
        std::byte* const from = buffer_.data() + buffer_.size();
        std::byte* const behind = from + header_bytes + start_size;
        const std::size_t n = start_size + rest.size();
        frame_entry one;
        static_cast<mark&>(one) = label;
        one.number = ++numbered_;
        wire::store_header(from, head, n);
        if (rest.is_large()) {
            one.value_at = header_bytes + start_size;
            one.in_buffer = one.value_at + trailer_bytes;
            one.value = std::move(rest).shared();
            const bytes_view pieces[] = {{from + header_bytes, start_size}, *one.value};
            wire::store_number(behind, mode == checksum::on ? wire::hash(from, pieces, n) : 0);
        } else {
            if (rest.size() > 0) {
                std::memcpy(behind, rest.bytes().data(), rest.size());
            }
            one.in_buffer = header_bytes + n + trailer_bytes;
            one.value_at = one.in_buffer;
            if (one.is_open) {
                open_start_ = start_size;
                open_mode_ = mode;
            } else {
                store_trailer(from, n, mode);
            }
        }
        buffer_.add(one.in_buffer);
        count(one, true);
        frames_.push_back(std::move(one));
    }

    /// Puts a value into the frame that was made last, if that waits, others may join it, its
    /// payload has the same start, which was written into the room, and is no longer than `most`
    /// then [MXP-17.6]. It is a batch from then on, with the flags of `head`. Returns its id, or 0.
    [[nodiscard]] std::uint64_t join(const header& head, std::size_t start_size, bytes_view value,
                                     mark mark, std::size_t most) {
        if (frames_.empty() || !frames_.back().is_open ||
            frames_.back().is_spare != mark.is_spare) {
            return 0;
        }
        const std::byte* const made = buffer_.data() + buffer_.size() + header_bytes;
        const bool is_same = mark.is_spare
                                 ? start_size == open_start_ &&
                                       std::memcmp(open() + header_bytes, made, start_size) == 0
                                 : open_id() == head.message_id;
        return is_same && grow(head.flags, value, most) ? open_id() : 0;
    }
    /// Puts the value of an event into the last frame, if that has this id, and is of the same
    /// request.
    [[nodiscard]] bool join(std::uint64_t id, bytes_view value, std::size_t most) {
        if (frames_.empty() || !frames_.back().is_open || !frames_.back().is_spare ||
            open_id() != id) {
            return false;
        }
        static_cast<void>(room(value.size()));
        return grow(flags::none, value, most);
    }
    /// How many bytes the payload of that frame has before its values.
    [[nodiscard]] std::size_t open_start() const noexcept { return open_start_; }

    /// The next frame, which then counts as sent.
    [[nodiscard]] std::optional<outgoing> take(frame_type& type) {
        while (first_ < frames_.size() && frames_[first_].is_gone) {
            skip();
        }
        if (first_ == frames_.size()) {
            return std::nullopt;
        }
        frame_entry& next = frames_[first_];
        if (next.is_open) {
            seal();
        }
        count(next, false);
        given_ = next.number;
        type = next.type;
        const std::byte* const from = buffer_.data() + start_;
        taken_ = std::move(next.value);
        const bytes_view value = taken_ == nullptr ? bytes_view{} : bytes_view{*taken_};
        const outgoing made{
            {from, next.value_at}, value, {from + next.value_at, next.in_buffer - next.value_at}};
        skip();
        return made;
    }

    /// All frames, each of which is told by its type and size.
    template <class Function>
    void take_all(batch& batch, Function function) {
        seal();
        tidy();
        batch.clear();
        std::size_t at = 0;
        for (std::size_t i = first_; i < frames_.size(); ++i) {
            frame_entry& one = frames_[i];
            function(one.type, one.size());
            if (one.value != nullptr) {
                batch.large_ += one.value->size();
                batch.cuts_.push_back({at + one.value_at, std::move(one.value)});
            }
            at += one.in_buffer;
        }
        std::swap(batch.buffer_, buffer_);
        given_ = numbered_;
        forget_all();
    }

    /// The first frames, until they have so many bytes.
    template <class Function>
    void take_some(batch& batch, std::size_t most, Function function) {
        batch.clear();
        while (batch.buffer_.size() + batch.large_ < most) {
            frame_type type{};
            const auto one = take(type);
            if (!one) {
                return;
            }
            function(type, one->size());
            batch.copy(one->head);
            if (taken_ != nullptr) {
                batch.large_ += taken_->size();
                batch.cuts_.push_back({batch.buffer_.size(), std::move(taken_)});
                batch.copy(one->trailer);
            }
        }
    }

    /// Makes all frames of an exchange leave the queue.
    void drop_exchange(std::uint64_t id, std::uint64_t first_frame) {
        const auto found = std::lower_bound(
            frames_.begin() + static_cast<std::ptrdiff_t>(first_), frames_.end(), first_frame,
            [](const frame_entry& waiter, std::uint64_t number) { return waiter.number < number; });
        for (auto one = found; one != frames_.end(); ++one) {
            if (!one->is_gone && one->exchange == id) {
                drop(*one);
            }
        }
        tidy_later();
    }

    /// Drops the oldest Events until less than a limit waits or none is left, and returns how
    /// many it dropped: with a batch, all that it has.
    std::uint64_t drop_events(std::size_t limit) {
        std::uint64_t dropped = 0;
        for (std::size_t i = first_; i < frames_.size() && bytes_ >= limit; ++i) {
            if (frames_[i].is_spare && !frames_[i].is_gone) {
                dropped += frames_[i].values;
                drop(frames_[i]);
            }
        }
        tidy_later();
        return dropped;
    }

    /// Gives back memory, if nothing waits. The frames that were taken last are gone.
    void shrink() noexcept {
        taken_ = {};
        if (empty()) {
            forget_all();
            buffer_.clear(idle_bytes);
        }
    }

    /// Empties the queue, or leaves Hello frames alone in it.
    void clear(bool keeps_hello) {
        for (std::size_t i = first_; i < frames_.size(); ++i) {
            frame_entry& one = frames_[i];
            if (!one.is_gone && !(keeps_hello && one.type == frame_type::hello)) {
                drop(one);
            }
        }
        tidy();
    }

    /// How much memory there is beside what waits.
    [[nodiscard]] std::size_t spare_bytes() const noexcept {
        return buffer_.capacity() - buffer_.size();
    }
    [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }
    /// Whether nothing waits but Pings and Pongs.
    [[nodiscard]] bool is_quiet() const noexcept { return frames_there_ == pulses_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(bytes_); }
    [[nodiscard]] std::size_t replies() const noexcept { return replies_; }
    [[nodiscard]] std::size_t frames() const noexcept {
        return static_cast<std::size_t>(frames_there_);
    }
    /// The number of the frame that was added last.
    [[nodiscard]] std::uint64_t last() const noexcept { return numbered_; }
    /// Whether the frame of a number was given out, which can't be one that was dropped.
    [[nodiscard]] bool is_given(std::uint64_t number) const noexcept { return number <= given_; }

   private:
    struct frame_entry : mark {
        /// How many frames there were, with this one.
        std::uint64_t number = 0;
        /// How many of its bytes lie in the buffer, and at which of them `value` belongs.
        std::size_t in_buffer = 0;
        std::size_t value_at = 0;
        /// A value that was not copied.
        std::shared_ptr<const std::vector<std::byte>> value{};
        /// How many values it has: more than one in a batch.
        std::uint32_t values = 1;
        bool is_gone = false;

        [[nodiscard]] std::size_t size() const noexcept {
            return in_buffer + (value == nullptr ? 0 : value->size());
        }
    };

    /// The frame that others may join, and its id.
    [[nodiscard]] std::byte* open() noexcept {
        return buffer_.data() + buffer_.size() - frames_.back().in_buffer;
    }
    [[nodiscard]] std::uint64_t open_id() noexcept {
        return wire::load_number<std::uint64_t>(open() + wire::message_id_at);
    }

    /// Puts a value into that frame, for which there is room in the buffer; false if the frame
    /// would be too long.
    [[nodiscard]] bool grow(flags mask, bytes_view value, std::size_t most) {
        frame_entry& last = frames_.back();
        std::byte* const from = open();
        const bool is_first = last.values == 1;
        const std::size_t grown = (is_first ? 2 : 1) * record_bytes + value.size();
        const std::size_t n = last.in_buffer - header_bytes - trailer_bytes;
        if (n + grown > std::min(most, last.is_spare ? batched_bytes : batch_bytes)) {
            return false;
        }
        std::byte* const values = from + header_bytes + open_start_;
        std::byte* behind = from + header_bytes + n;
        if (is_first) {
            const std::size_t alone = n - open_start_;
            std::memmove(values + record_bytes, values, alone);
            wire::store_number(values, static_cast<std::uint16_t>(alone));
            behind += record_bytes;
            last.type = last.is_spare ? frame_type::events : frame_type::stream_chunks;
        }
        wire::store_number(behind, static_cast<std::uint16_t>(value.size()));
        if (!value.empty()) {
            std::memcpy(behind + record_bytes, value.data(), value.size());
        }
        wire::store_header(from,
                           {last.type, mask, open_id(),
                            wire::load_number<std::uint64_t>(from + wire::trace_id_at)},
                           n + grown);
        ++last.values;
        last.in_buffer += grown;
        last.value_at = last.in_buffer;
        buffer_.add(grown);
        bytes_ += grown;
        if (mask != flags::none) {
            seal();
        }
        return true;
    }

    void count(const frame_entry& waiter, bool is_added) noexcept {
        const std::size_t n = waiter.size();
        bytes_ = is_added ? bytes_ + n : bytes_ - n;
        frames_there_ = is_added ? frames_there_ + 1 : frames_there_ - 1;
        if (is_pulse(waiter.type)) {
            pulses_ = is_added ? pulses_ + 1 : pulses_ - 1;
        }
        if (waiter.is_reply) {
            replies_ = is_added ? replies_ + n : replies_ - n;
        }
    }

    /// Passes over the first frame, whose bytes stay until more are added.
    void skip() {
        start_ += frames_[first_].in_buffer;
        ++first_;
        if (first_ == frames_.size()) {
            frames_.clear();
            first_ = 0;
        } else if (first_ >= spare && first_ > frames_.size() / 2) {
            frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }

    /// Writes a trailer behind a payload of `n` bytes.
    static void store_trailer(std::byte* input, std::size_t n, checksum mode) noexcept {
        wire::store_number(input + header_bytes + n,
                           mode == checksum::on ? wire::hash(input, header_bytes + n) : 0);
    }

    /// Lets nothing join the frame that was made last any more.
    void seal() noexcept {
        if (frames_.empty() || !std::exchange(frames_.back().is_open, false)) {
            return;
        }
        const std::size_t all = frames_.back().in_buffer;
        store_trailer(buffer_.data() + buffer_.size() - all, all - header_bytes - trailer_bytes,
                      open_mode_);
    }

    void drop(frame_entry& waiter) {
        count(waiter, false);
        waiter.value = {};
        waiter.is_gone = true;
        waiter.is_open = false;
    }

    /// Removes dropped frames if they are more than the waiting ones.
    void tidy_later() {
        const std::size_t there = frames_.size() - first_;
        if (there - frames_there_ > frames_there_ + spare || frames_there_ == 0) {
            tidy();
        }
    }

    /// Moves what waits to the front of the buffer.
    void tidy() {
        std::size_t from = start_;
        std::size_t to = 0;
        std::size_t kept = 0;
        for (std::size_t i = first_; i < frames_.size(); ++i) {
            const std::size_t n = frames_[i].in_buffer;
            if (!frames_[i].is_gone) {
                if (from != to) {
                    std::memmove(buffer_.data() + to, buffer_.data() + from, n);
                }
                to += n;
                if (kept != i) {
                    frames_[kept] = std::move(frames_[i]);
                }
                ++kept;
            }
            from += n;
        }
        frames_.resize(kept);
        buffer_.truncate(to);
        first_ = 0;
        start_ = 0;
    }

    /// Forgets frames whose bytes were taken.
    void forget_all() noexcept {
        frames_.clear();
        first_ = 0;
        start_ = 0;
        bytes_ = 0;
        replies_ = 0;
        pulses_ = 0;
        frames_there_ = 0;
    }

    /// How many frames that are gone are kept in any case.
    static constexpr std::size_t spare = 64;

    out_buffer buffer_;
    /// Where the first frame's bytes begin.
    std::size_t start_ = 0;
    std::vector<frame_entry> frames_;
    std::size_t first_ = 0;
    /// Of the frame that others may join: how many bytes of its payload are before its values, and
    /// its trailer.
    std::size_t open_start_ = 0;
    checksum open_mode_ = checksum::on;
    /// The value of the frame that was taken last.
    std::shared_ptr<const std::vector<std::byte>> taken_;

    std::uint64_t numbered_ = 0;
    std::uint64_t given_ = 0;
    counter bytes_;
    std::size_t replies_ = 0;
    /// How many are Pings and Pongs.
    std::size_t pulses_ = 0;
    counter frames_there_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_QUEUE_HPP
