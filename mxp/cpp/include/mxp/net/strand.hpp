/// Runs functions one at a time, on any threads.
#ifndef MXP_NET_STRAND_HPP
#define MXP_NET_STRAND_HPP

#if !defined(ASIO_STANDALONE)
#define ASIO_STANDALONE
#endif

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "../session.hpp"
#include "sdp/span.hpp"

namespace mxp::net::detail {

/// A strand, which one thread at a time may use. A function runs at once where no other thread's
/// runs. Else it is queued, and a thread of the context runs it, so that no thread waits. Functions
/// of one thread run in its order. A program with one thread pays two atomic operations for each
/// function.
class strand : public std::enable_shared_from_this<strand> {
   public:
    explicit strand(asio::io_context& io) : context_(io) {}
    strand(const strand&) = delete;
    strand& operator=(const strand&) = delete;

    /// Runs a function, now or later.
    template <class Function>
    void run(Function then) {
        if (const turn now{*this}) {
            then();
        } else {
            later(std::make_shared<Function>(std::move(then)));
        }
    }

    /// Runs a function of a value, which gets memory of its own if that has to wait.
    template <class Function>
    void run_with(session::value body, Function then) {
        if (const turn now{*this}) {
            then(std::move(body));
            return;
        }
        run_later([body = std::make_shared<session::value>(std::move(body).own()),
                   then = std::move(then)]() mutable { then(std::move(*body)); });
    }

    /// Runs a function of several values, which get memory of their own if that has to wait.
    template <class Function>
    void run_with_all(sdp::span<const bytes_view> bodies, Function then) {
        if (const turn now{*this}) {
            then(bodies);
            return;
        }
        std::vector<std::vector<std::byte>> kept;
        kept.reserve(bodies.size());
        for (const bytes_view one : bodies) {
            kept.emplace_back(one.begin(), one.end());
        }
        run_later([kept = std::move(kept), then = std::move(then)]() mutable {
            const std::vector<bytes_view> shown(kept.begin(), kept.end());
            then(sdp::span<const bytes_view>{shown.data(), shown.size()});
        });
    }

    /// Runs a function in a turn of its own.
    template <class Function>
    void post(Function then) {
        asio::post(context_,
                   [self = shared_from_this(), then = std::make_shared<Function>(std::move(then))] {
                       self->run([then] { (*then)(); });
                   });
    }

    /// Calls a function of a user's, behind which there is more to be done: what it throws comes
    /// out of the context by itself.
    template <class Function>
    void shield(Function call) {
        try {
            call();
        } catch (...) {
            throw_later();
        }
    }
    /// Has the exception that is being handled come out of the context, in a turn of its own.
    void throw_later() {
        asio::post(context_, [what = std::current_exception()] { std::rethrow_exception(what); });
    }

   private:
    enum state : int { is_free, is_held, is_held_and_awaited, is_posted, is_over };

    /// A handler that the context is given for the functions that wait. If the context is gone
    /// before it comes to it, so are they: they may be what keeps the strand.
    class drain_task {
       public:
        explicit drain_task(std::shared_ptr<strand> strand) : of_(std::move(strand)) {}
        drain_task(drain_task&&) noexcept = default;
        drain_task& operator=(drain_task&&) = delete;
        ~drain_task() {
            if (of_ != nullptr) {
                of_->forget();
            }
        }
        void operator()() { std::exchange(of_, nullptr)->drain(); }

       private:
        std::shared_ptr<strand> of_;
    };

    /// While it is there, its thread has the strand; it may be that it has not.
    class turn {
       public:
        explicit turn(strand& strand) : of_(strand), is_mine_(strand.enter()) {}
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() {
            if (is_mine_) {
                of_.leave();
            }
        }
        explicit operator bool() const noexcept { return is_mine_; }

       private:
        strand& of_;
        bool is_mine_;
    };

    [[nodiscard]] bool enter() noexcept {
        const std::thread::id me = std::this_thread::get_id();
        if (holder_.load(std::memory_order_relaxed) == me) {
            ++depth_;
            return true;
        }
        int expected = is_free;
        if (!state_.compare_exchange_strong(expected, is_held, std::memory_order_acquire)) {
            return false;
        }
        hold(me);
        return true;
    }
    void hold(std::thread::id thread) noexcept {
        holder_.store(thread, std::memory_order_relaxed);
        depth_ = 1;
    }

    void leave() {
        if (--depth_ > 0) {
            return;
        }
        holder_.store(std::thread::id{}, std::memory_order_relaxed);
        int expected = is_held;
        if (!state_.compare_exchange_strong(expected, is_free, std::memory_order_acq_rel)) {
            state_.store(is_posted, std::memory_order_release);
            post_drain();
        }
    }

    template <class Function>
    void run_later(Function then) {
        later(std::make_shared<Function>(std::move(then)));
    }
    template <class Function>
    void later(std::shared_ptr<Function> then) {
        const std::lock_guard<std::mutex> lock{mutex_};
        if (state_ == is_over) {
            return;
        }
        waiting_.emplace_back([then] { (*then)(); });
        for (int seen = state_.load();;) {
            if (seen >= is_held_and_awaited) {
                return;
            }
            const int next = seen == is_free ? is_posted : is_held_and_awaited;
            if (state_.compare_exchange_weak(seen, next)) {
                if (next == is_posted) {
                    post_drain();
                }
                return;
            }
        }
    }

    void post_drain() { asio::post(context_, drain_task{shared_from_this()}); }
    /// Runs nothing any more.
    void forget() {
        std::deque<std::function<void()>> forgotten;
        const std::lock_guard<std::mutex> lock{mutex_};
        state_ = is_over;
        forgotten.swap(waiting_);
    }
    /// Runs what waits. If a function throws, the others are run later.
    void drain() {
        state_.store(is_held_and_awaited, std::memory_order_relaxed);
        hold(std::this_thread::get_id());
        struct leave_scope {
            strand& of;
            ~leave_scope() { of.leave(); }
        } const now{*this};
        std::atomic_thread_fence(std::memory_order_acquire);
        for (;;) {
            std::function<void()> next;
            {
                const std::lock_guard<std::mutex> lock{mutex_};
                if (waiting_.empty()) {
                    state_.store(is_held, std::memory_order_relaxed);
                    return;
                }
                next = std::move(waiting_.front());
                waiting_.pop_front();
            }
            next();
        }
    }

    asio::io_context& context_;
    std::atomic<int> state_{is_free};
    /// The thread that has it, and how often within itself.
    std::atomic<std::thread::id> holder_{};
    int depth_ = 0;
    std::mutex mutex_;
    std::deque<std::function<void()>> waiting_;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_STRAND_HPP
