/// The state of one end of a stream.
#ifndef MXP_NET_STREAM_STATE_HPP
#define MXP_NET_STREAM_STATE_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../engine/failure_text.hpp"
#include "../engine/fifo.hpp"
#include "../engine/inbox.hpp"
#include "meters.hpp"
#include "strand.hpp"
#include "stream.hpp"

namespace mxp::net {

namespace detail {

/// A function that can be held while it runs; nothing of one that is empty.
template <class Function>
[[nodiscard]] std::shared_ptr<const Function> shared_function(Function function) {
    return function ? std::make_shared<const Function>(std::move(function)) : nullptr;
}

}  // namespace detail

/// Shared by the copies of a stream, and used in the turns of its connection or client.
struct stream::state {
    /// The strand of its connection, or of its client, in whose turns it is used.
    std::shared_ptr<detail::strand> turns{};
    std::weak_ptr<connection> link{};
    std::uint64_t id = 0;
    bool is_own = false;
    /// No more is done with it.
    std::atomic<bool> is_over{false};
    /// Whether it is to proceed soon.
    bool is_called = false;

    // Shared, since a function may replace itself, or have the stream end, while it runs.
    std::shared_ptr<const std::function<void(bytes_view)>> on_chunk{};
    /// Told in place of `on_chunk`, if there is one.
    std::shared_ptr<const std::function<void(sdp::span<const bytes_view>)>> on_chunks{};
    std::shared_ptr<const std::function<void()>> on_finish{};
    std::shared_ptr<const std::function<void()>> on_sent{};
    std::function<void(const failure*)> on_end{};
    /// Told before `on_end`.
    std::function<void(const failure*)> on_over{};

    // The direction that comes.
    engine::inbox inbox{};

    // The direction that goes.
    engine::fifo<session::value> unsent{};
    std::atomic<std::size_t> unsent_bytes{0};
    /// The bytes that the connection counts for it.
    std::size_t unsent_held = 0;
    /// Asked for more, once nothing waits; there may be none.
    std::shared_ptr<const std::function<std::optional<session::value>()>> source{};
    bool is_finishing = false;
    bool has_finished = false;

    /// Whether anything was sent but its opening and its end, or has come.
    bool has_moved = false;
    /// Opens it again if it can be; there may be none.
    std::function<bool(const failure&)> again{};

    /// The method and the address, for messages about its failure.
    engine::subject subject{};
    /// Counts it, until it has ended.
    detail::request_meter measured{};

    /// How it has ended, until somebody is told.
    std::unique_ptr<std::optional<failure>> untold{};
    bool is_finish_untold = false;

    /// Whether chunks that come are told at once.
    [[nodiscard]] bool is_read() const noexcept {
        return (on_chunk != nullptr || on_chunks != nullptr) && !inbox.is_paused && inbox.empty();
    }
    /// Whether the chunks that were kept are told.
    [[nodiscard]] bool has_kept() const noexcept {
        return !inbox.empty() && (on_chunk || on_chunks) && !inbox.is_paused && !is_over;
    }
    /// The bytes that its chunks count as in memory, of both directions.
    [[nodiscard]] std::size_t held() const noexcept { return inbox.held() + unsent_held; }
    void end(const failure* why);
};

}  // namespace mxp::net

#endif  // MXP_NET_STREAM_STATE_HPP
