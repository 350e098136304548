/// The callback of an audio device, and the exchange with a plug-in in it.
#ifndef CALLBACK_HPP
#define CALLBACK_HPP

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "mxp/net/channel.hpp"
#include "processor_service.hpp"

namespace plug {

using link = mxp::net::channel<processor::Block, processor::Block>;

/// The counts of a callback, which any thread may read.
struct counts {
    std::atomic<std::uint64_t> blocks{0};
    /// Blocks that the plug-in had processed in time.
    std::atomic<std::uint64_t> processed{0};
    /// Blocks that were played as they were, since the plug-in was late.
    std::atomic<std::uint64_t> missed{0};
    /// Blocks without a plug-in.
    std::atomic<std::uint64_t> alone{0};
    /// Processed blocks with other samples than they must have.
    std::atomic<std::uint64_t> wrong{0};
};

/// Plays through a plug-in, a block late. `play` neither allocates nor waits;
/// it makes one system call, and that only where the plug-in sleeps: to wake
/// it.
class callback {
   public:
    /// Hands over a channel, for the next block, in place of an earlier one that
    /// was not taken.
    void connect(std::unique_ptr<link> opened) noexcept {
        delete next_.exchange(opened.release(), std::memory_order_acq_rel);
    }
    /// Frees a channel that is over. Called by a thread that may wait.
    void collect() noexcept { delete gone_.exchange(nullptr, std::memory_order_acq_rel); }

    callback() = default;
    callback(const callback&) = delete;
    callback& operator=(const callback&) = delete;
    ~callback() { close(); }

    /// Ends what there is. Called when nothing is played any more.
    void close() noexcept {
        connect(nullptr);
        collect();
        delete std::exchange(current_, nullptr);
    }

    /// Replaces a block of the device by the processed one before it. The numbers
    /// of blocks follow each other.
    void play(processor::Block& block) noexcept {
        take_over();
        add(all_.blocks);
        if (current_ == nullptr) {
            add(all_.alone);
            return;
        }
        const bool is_first = before_.number == 0;
        const bool has_come = receive();
        static_cast<void>(current_->sender.send(block));
        current_->sender.wake();
        std::swap(before_, block);
        if (has_come) {
            block.left = came_.left;
            block.right = came_.right;
        }
        add(has_come ? all_.processed : is_first ? all_.alone : all_.missed);
    }

    [[nodiscard]] const counts& counted() const noexcept { return all_; }
    /// Says by which gain samples come back from now on. Until it has changed in
    /// the plug-in, the gain before is right, too.
    void expect(float gain) noexcept {
        gain_before_.store(gain_.exchange(gain, std::memory_order_relaxed),
                           std::memory_order_relaxed);
    }

   private:
    static void add(std::atomic<std::uint64_t>& count) noexcept {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    /// Gives a channel back that is over, and takes the next one.
    void take_over() noexcept {
        if (current_ != nullptr && current_->receiver.closed() != mxp::net::channel_end::none &&
            gone_.load(std::memory_order_acquire) == nullptr) {
            gone_.store(std::exchange(current_, nullptr), std::memory_order_release);
        }
        if (current_ == nullptr) {
            current_ = next_.exchange(nullptr, std::memory_order_acq_rel);
            before_.number = 0;
        }
    }

    /// Takes the block before this one, as the plug-in has processed it. Older
    /// ones are passed over.
    bool receive() noexcept {
        while (current_->receiver.receive(came_) == mxp::net::receive_status::received) {
            if (came_.number == before_.number) {
                check();
                return true;
            }
        }
        return false;
    }

    /// Counts a block whose samples are not the sent ones, times a gain.
    void check() noexcept {
        if (!is_by(gain_.load(std::memory_order_relaxed)) &&
            !is_by(gain_before_.load(std::memory_order_relaxed))) {
            add(all_.wrong);
        }
    }
    [[nodiscard]] bool is_by(float gain) const noexcept {
        for (std::size_t at = 0; at < came_.left.size(); ++at) {
            if (came_.left[at] != before_.left[at] * gain ||
                came_.right[at] != before_.right[at] * gain) {
                return false;
            }
        }
        return true;
    }

    std::atomic<link*> next_{nullptr};
    std::atomic<link*> gone_{nullptr};
    link* current_ = nullptr;
    processor::Block before_{};
    processor::Block came_{};
    std::atomic<float> gain_{1};
    std::atomic<float> gain_before_{1};
    counts all_{};
};

}  // namespace plug

#endif  // CALLBACK_HPP
