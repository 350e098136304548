/// The account of a client, or a server, of its connections by shared memory.
#ifndef MXP_NET_TRANSPORT_SHM_ACCOUNT_HPP
#define MXP_NET_TRANSPORT_SHM_ACCOUNT_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "../../logger.hpp"
#include "../../shm_options.hpp"
#include "spin.hpp"

namespace mxp::net::detail {

/// The options of those connections, how many bytes their rings have [MXP-18.11], and how many of
/// them went over the socket instead. It is used on any thread.
class shm_account {
   public:
    shm_account(const shm_options& options, logger log)
        : ring_(options.ring_bytes),
          most_(options.bytes),
          spin_(shm::chosen(options.spin)),
          log_(std::move(log)) {}

    /// How many bytes this side's ring of a connection has.
    [[nodiscard]] std::size_t ring() const noexcept { return ring_; }
    [[nodiscard]] std::chrono::microseconds spin() const noexcept { return spin_; }

    /// Takes so many bytes of rings, if there are as many left.
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        std::size_t used = used_.load(std::memory_order_relaxed);
        do {
            if (bytes > most_ - used) {
                return false;
            }
        } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
        return true;
    }
    void give_back(std::size_t bytes) noexcept {
        used_.fetch_sub(bytes, std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t used() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }

    /// Counts a connection that goes over the socket, and tells the log why.
    void goes_over_socket(const std::string& place, const std::string& why) {
        fallbacks_.fetch_add(1, std::memory_order_relaxed);
        tell(place, "no shared memory, the connection goes over its socket: " + why);
    }
    [[nodiscard]] std::uint64_t fallbacks() const noexcept {
        return fallbacks_.load(std::memory_order_relaxed);
    }

    void tell(const std::string& place, const std::string& text) const {
        if (log_) {
            log_(severity::warning, place + ": " + text);
        }
    }

   private:
    const std::size_t ring_;
    const std::size_t most_;
    const std::chrono::microseconds spin_;
    const logger log_;
    std::atomic<std::size_t> used_{0};
    std::atomic<std::uint64_t> fallbacks_{0};
};

namespace shm {

/// Bytes of an account, which others can have when this is gone.
class reservation {
   public:
    explicit reservation(std::shared_ptr<shm_account> account) noexcept : of_(std::move(account)) {}
    reservation(reservation&& source) noexcept
        : of_(std::move(source.of_)), bytes_(std::exchange(source.bytes_, 0)) {}
    reservation& operator=(reservation&&) = delete;
    ~reservation() {
        if (bytes_ > 0) {
            of_->give_back(bytes_);
        }
    }

    /// Takes so many more, if there are as many left.
    [[nodiscard]] bool add(std::size_t bytes) noexcept {
        const bool is_taken = of_->take(bytes);
        bytes_ += is_taken ? bytes : 0;
        return is_taken;
    }

   private:
    std::shared_ptr<shm_account> of_;
    std::size_t bytes_ = 0;
};

}  // namespace shm

}  // namespace mxp::net::detail

#endif  // MXP_NET_TRANSPORT_SHM_ACCOUNT_HPP
