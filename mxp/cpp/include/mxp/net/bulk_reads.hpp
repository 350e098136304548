/// The order in which connections are read whose peers send much.
#ifndef MXP_NET_BULK_READS_HPP
#define MXP_NET_BULK_READS_HPP

#if !defined(ASIO_STANDALONE)
#define ASIO_STANDALONE
#endif

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace mxp::net::detail {

/// A read of so much leaves the next one to others that wait.
inline constexpr std::size_t bulky_bytes = 16384;

/// Begins reads of connections that read much at once: one in each round of the context, so that
/// what has come for the others is read between them. A few read as all others do.
class bulk_reads : public std::enable_shared_from_this<bulk_reads> {
   public:
    /// A connection that waits for its turn.
    class member {
       public:
        virtual ~member() = default;
        /// Told from any connection's turn; it reads in one of its own.
        virtual void on_turn() = 0;
    };

    explicit bulk_reads(asio::io_context& io) : context_(io) {}

    /// Whether a connection that reads much is one of the few. It gives its place back then.
    [[nodiscard]] bool take_place() {
        const std::lock_guard<std::mutex> lock{mutex_};
        if (taken_ == places) {
            return false;
        }
        ++taken_;
        return true;
    }
    void give_place_back() {
        const std::lock_guard<std::mutex> lock{mutex_};
        --taken_;
    }

    /// Lets a connection wait for its turn.
    void wait(std::weak_ptr<member> holder) {
        const std::lock_guard<std::mutex> lock{mutex_};
        waiting_.push_back(std::move(holder));
        if (!std::exchange(is_posted_, true)) {
            post();
        }
    }

   private:
    static constexpr std::size_t places = 4;

    /// With the lock held.
    void post() {
        asio::post(context_, [self = shared_from_this()] { self->next(); });
    }
    void next() {
        std::shared_ptr<member> first;
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            while (first == nullptr && !waiting_.empty()) {
                first = waiting_.front().lock();
                waiting_.pop_front();
            }
            is_posted_ = !waiting_.empty();
            if (is_posted_) {
                post();
            }
        }
        if (first != nullptr) {
            first->on_turn();
        }
    }

    asio::io_context& context_;
    std::mutex mutex_;
    std::size_t taken_ = 0;
    std::deque<std::weak_ptr<member>> waiting_;
    bool is_posted_ = false;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_BULK_READS_HPP
