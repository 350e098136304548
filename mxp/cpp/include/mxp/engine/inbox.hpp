/// The chunks of a stream that have come, until they are taken.
#ifndef MXP_ENGINE_INBOX_HPP
#define MXP_ENGINE_INBOX_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../session.hpp"
#include "fifo.hpp"
#include "order.hpp"
#include "parcel.hpp"
#include "window.hpp"

namespace mxp::engine {

/// Chunks that come and are taken: which ask for an Ack, until a reader has taken them [MXP-8.5],
/// and how many are granted anew.
class credit {
   public:
    /// Chunks that may be on their way.
    std::uint32_t most = window_messages;

    /// Notes that a chunk has come that asks for an Ack, or not.
    void came(std::uint64_t number, bool asks) {
        if (asks) {
            asking_.emplace_back(number);
        }
    }
    /// Counts chunks as taken. Acknowledges them where that is asked for, and grants as many anew
    /// when they are much of the window, if more may come. Returns whether there is anything to
    /// write.
    template <class Clock>
    bool took(session::session& session, std::uint64_t id, std::size_t chunks, std::size_t bytes,
              std::size_t window, bool may_more_come, Clock now) {
        taken_ += chunks;
        ungranted_ += static_cast<std::uint32_t>(chunks);
        ungranted_bytes_ += bytes;
        std::uint64_t last = 0;
        while (!asking_.empty() && asking_.front() <= taken_) {
            last = asking_.front();
            asking_.pop_front();
        }
        if (last > 0) {
            static_cast<void>(session.ack(id, last, now()));
        }
        const bool is_much = ungranted_ >= most / 2 || ungranted_bytes_ >= window / 2;
        if (is_much && may_more_come) {
            static_cast<void>(session.grant(
                id,
                {std::exchange(ungranted_, 0U), std::exchange(ungranted_bytes_, std::uint64_t{0})},
                now()));
        }
        return last > 0 || (is_much && may_more_come);
    }

   private:
    /// The numbers of chunks that ask for an Ack, and how many were taken.
    fifo<std::uint64_t> asking_{};
    std::uint64_t taken_ = 0;
    /// Taken since the last grant.
    std::uint32_t ungranted_ = 0;
    std::uint64_t ungranted_bytes_ = 0;
};

/// The direction of a stream that comes, and what its reader was told of that.
class inbox {
   public:
    /// Values that were taken, as long as this is there, though the inbox may not be.
    struct batch {
        views values;
        std::vector<parcel> emptied;
        parcel rest;
    };

    engine::credit credit{};
    bool is_paused = false;
    /// Whether no more comes, and the reader knows.
    bool has_finished = false;
    bool was_finish_told = false;

    [[nodiscard]] bool empty() const noexcept { return parcels_.empty(); }
    /// The bytes that the chunks count in memory.
    [[nodiscard]] std::size_t held() const noexcept { return bytes_; }
    /// Whether the reader may be told that no more comes.
    [[nodiscard]] bool is_finish_due() const noexcept {
        return has_finished && empty() && !was_finish_told && !is_paused;
    }

    void came(const session::in::chunk& chunk) {
        credit.came(chunk.number, chunk.requires_ack);
        has_finished = has_finished || chunk.is_final;
    }
    void came(const session::in::chunks& chunks) {
        credit.came(chunks.first + chunks.values.size() - 1, chunks.requires_ack);
        has_finished = chunks.is_final;
    }
    /// Keeps chunks that have come together.
    void keep(parcel values) {
        bytes_ += values.held();
        parcels_.emplace_back(std::move(values));
    }
    /// Takes the first chunks that lie next to each other, so many at most.
    void take(std::size_t most, batch& output) {
        output.rest = std::move(parcels_.front());
        while (output.values.size() < most && output.rest.size() > 0) {
            output.values.push_back(output.rest.next());
            if (output.rest.size() == 0 && output.values.size() < most && parcels_.size() > 1) {
                drop_first(output.rest);
                output.emptied.push_back(std::exchange(output.rest, std::move(parcels_.front())));
            }
        }
        if (output.rest.size() == 0) {
            drop_first(output.rest);
        }
    }
    /// Puts back what was not taken of the last parcel.
    void put_back(batch& rest) {
        if (rest.rest.size() > 0) {
            parcels_.front() = std::move(rest.rest);
        }
    }
    void clear() {
        parcels_.clear();
        bytes_ = 0;
    }

   private:
    void drop_first(const parcel& first) {
        bytes_ -= first.held();
        parcels_.pop_front();
    }

    fifo<parcel> parcels_{};
    std::size_t bytes_ = 0;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_INBOX_HPP
