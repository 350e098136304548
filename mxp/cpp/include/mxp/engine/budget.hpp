/// How much memory connections hold together [MXP-15.4].
#ifndef MXP_ENGINE_BUDGET_HPP
#define MXP_ENGINE_BUDGET_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace mxp::engine {

/// The bytes that a connection let go of in the last second at least, and in the last two
/// at most, but for the times in which it was not read.
class movement {
   public:
    using time_point = std::chrono::steady_clock::time_point;

    void add(std::size_t n, time_point now) {
        turn(now);
        now_ += n;
    }
    [[nodiscard]] std::size_t bytes(time_point now) {
        turn(now);
        return now_ + before_;
    }
    /// Says that the connection is not read any more, or is again.
    void pause(time_point now) { paused_ = now; }
    void resume(time_point now) {
        passed_ += skipped(now);
        paused_.reset();
    }

   private:
    /// The longest time without reads that counts: the connection can't let go of memory that waits
    /// for unread bytes.
    static constexpr std::chrono::milliseconds pause_counts{100};

    [[nodiscard]] time_point::duration skipped(time_point now) const {
        const time_point::duration none{};
        return paused_ ? std::max(now - *paused_ - pause_counts, none) : none;
    }
    void turn(time_point now) {
        now -= passed_ + skipped(now);
        const auto past = now - began_;
        if (past < std::chrono::seconds{1}) {
            return;
        }
        const bool is_next = past < std::chrono::seconds{2};
        before_ = is_next ? now_ : 0;
        now_ = 0;
        began_ = is_next ? began_ + std::chrono::seconds{1} : now;
    }

    time_point began_{};
    std::size_t now_ = 0;
    std::size_t before_ = 0;
    std::optional<time_point> paused_;
    /// How much of pauses does not count.
    time_point::duration passed_{};
};

/// Counts what connections hold, and says which may not be read, or has to end.
class budget {
   public:
    using time_point = std::chrono::steady_clock::time_point;

    /// A connection, as its budget knows it. Both are told from any connection's turn, and act in
    /// one of their own.
    class member {
       public:
        virtual ~member() = default;
        /// Others hold less now. It is to be read after a pause, and answers with awoke() then.
        virtual void on_budget(std::chrono::milliseconds pause) = 0;
        /// It holds most, and all together too much.
        virtual void on_overrun() = 0;
        /// Its peer has hung up, and of what such peers have left, which is too much, it has most:
        /// it drops the events that wait.
        virtual void on_crowded() = 0;
    };

    /// The bytes that a connection holds.
    struct load {
        std::size_t held = 0;
        /// Of that, what waits for the peer's grants.
        std::size_t unsent = 0;
        /// The bytes of waiting events, and of their connection, where the peer has hung up
        /// [MXP-15.5].
        std::size_t orphaned = 0;
    };

    /// The bytes that a connection takes that holds nothing.
    static constexpr std::size_t connection_bytes = 7168;

    /// A third is left for uncounted memory: the allocator, and values during a copy.
    explicit budget(std::size_t bytes) : bytes_(bytes - bytes / 3) {}

    void join(member& holder) { members_.emplace(&holder, share{}); }
    void leave(member& holder, time_point now) {
        const auto found = members_.find(&holder);
        if (found == members_.end()) {
            return;
        }
        let_go(found->second.held);
        unsent_ -= found->second.unsent;
        orphaned_ -= found->second.orphaned;
        ending_ -= found->second.is_ending ? found->second.held : 0;
        stop_waiting(found->second, now);
        forget_woken(holder);
        members_.erase(found);
        wake(now);
    }
    /// Says that a connection that was told that others hold less has begun to read.
    void awoke(member& holder, time_point now) {
        if (forget_woken(holder)) {
            wake(now);
        }
    }

    /// Says how much a connection holds, and returns whether it may be read. Chunks that await
    /// grants count for its end, and for no pause: grants are read too, and nothing else makes it
    /// less. Where none have come lately, that holds for a little of it.
    [[nodiscard]] bool weigh(member& holder, const load& usage, time_point now) {
        const auto found = members_.find(&holder);
        if (found == members_.end()) {
            return true;
        }
        share& part = found->second;
        const std::size_t held = usage.held;
        if (held < part.held) {
            let_go(part.held - held);
            part.moved.add(part.held - held, now);
        } else {
            held_ += held - part.held;
        }
        if (part.is_ending) {
            ending_ = ending_ - part.held + held;
        }
        part.held = held;
        std::size_t unsent = usage.unsent;
        if (part.moved.bytes(now) == 0) {
            unsent = std::min(unsent, little);
        }
        unsent_ = unsent_ - part.unsent + unsent;
        part.unsent = unsent;
        bound_orphaned(part, usage.orphaned);
        while (held_ - ending_ > bytes_) {
            member* const largest = find_largest(now);
            if (largest == nullptr) {
                break;
            }
            share& its = members_[largest];
            its.is_ending = true;
            ending_ += its.held;
            largest->on_overrun();
        }
        const bool waits = is_scarce() && held - unsent > fair();
        if (waits) {
            start_waiting(part, holder, now);
        } else {
            stop_waiting(part, now);
        }
        wake(now);
        return !waits;
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t held() const noexcept { return held_; }

    /// When memory is to be given back to the system; nothing if none is.
    [[nodiscard]] bool is_trim_due(time_point now) {
        if (let_go_ <= worth_trimming() || now - trimmed_ < trim_pause) {
            return false;
        }
        let_go_ = 0;
        trimmed_ = now;
        return true;
    }
    /// Whether memory was let go that the system has not got back.
    [[nodiscard]] bool has_let_go() const { return let_go_ > worth_trimming(); }
    /// The least time between two returns of memory.
    static constexpr std::chrono::seconds trim_pause{3};

   private:
    struct share {
        std::size_t held = 0;
        std::size_t unsent = 0;
        std::size_t orphaned = 0;
        movement moved;
        /// Its line and its place among the connections that are not read, where it is one of them.
        std::size_t line = 0;
        std::optional<std::list<member*>::iterator> waits;
        bool is_ending = false;
        /// It was told to drop the events that wait.
        bool is_crowded = false;
    };

    /// The bytes for which no connection is ended or left unread.
    static constexpr std::size_t little = 65536;
    /// The budget divided by this is for the events of peers that have hung up.
    static constexpr std::size_t orphaned_part = 16;
    /// How many times as much as it holds a connection lets go of in a second that moves bytes.
    static constexpr std::size_t moving_times = 4;
    /// The pauses before a woken connection of each line reads, where more than half is held: the
    /// others need time of their own.
    using pauses = std::array<std::chrono::milliseconds, 2>;
    static constexpr pauses wake_pauses{std::chrono::milliseconds{10},
                                        std::chrono::milliseconds{10}};
    /// The same where memory is scarce: what they hold may wait for grants of their peers, or for
    /// the rest of a frame, without which nothing makes it less.
    static constexpr pauses turn_pauses{std::chrono::milliseconds{100},
                                        std::chrono::milliseconds{40}};
    /// How much has to be let go before the system gets it back, at most.
    static constexpr std::size_t trim_bytes = 64 << 20;
    [[nodiscard]] std::size_t worth_trimming() const noexcept {
        return std::min(trim_bytes, bytes_ / 64);
    }

    void let_go(std::size_t n) {
        held_ -= n;
        let_go_ += n;
    }
    /// Whether reading less helps.
    [[nodiscard]] bool is_scarce() const noexcept { return held_ - unsent_ > bytes_ / 4 * 3; }
    /// The bytes that each may hold where memory is scarce: together a quarter, since each reads
    /// some more before it looks again.
    [[nodiscard]] std::size_t fair() const {
        return std::max(little, bytes_ / 4 / std::max<std::size_t>(members_.size(), 1));
    }
    /// Says what is left of a peer that has hung up. Where all of these peers have too much, the
    /// largest drop their events, and count no more.
    void bound_orphaned(share& part, std::size_t bytes) {
        bytes = part.is_crowded ? 0 : bytes;
        orphaned_ = orphaned_ - std::exchange(part.orphaned, bytes) + bytes;
        while (orphaned_ > bytes_ / orphaned_part) {
            const auto most = std::max_element(members_.begin(), members_.end(),
                                               [](const auto& a, const auto& right) {
                                                   return a.second.orphaned < right.second.orphaned;
                                               });
            orphaned_ -= std::exchange(most->second.orphaned, std::size_t{0});
            most->second.is_crowded = true;
            most->first->on_crowded();
        }
    }
    /// The bytes from which on a connection may be ended: there may be so many that all have
    /// little.
    [[nodiscard]] std::size_t least() const noexcept {
        return std::clamp<std::size_t>(bytes_ / std::max<std::size_t>(members_.size(), 1), 1,
                                       little);
    }
    /// The connection that holds most; connections that have let go of as much lately come last.
    [[nodiscard]] member* find_largest(time_point now) {
        member* found = nullptr;
        std::pair<bool, std::size_t> most{false, least() - 1};
        for (auto& [one, part] : members_) {
            const std::pair weight{!is_moving(part, now), part.held};
            if (!part.is_ending && part.held >= least() && weight > most) {
                most = weight;
                found = one;
            }
        }
        return found;
    }
    /// Whether a connection has let go of several times as much as it holds lately.
    static bool is_moving(share& part, time_point now) {
        return part.moved.bytes(now) / moving_times >= part.held;
    }
    /// Puts a connection at the end of its line, or lets a connection that has let go of memory
    /// change to the line of moving connections.
    void start_waiting(share& part, member& holder, time_point now) {
        const std::size_t line = is_moving(part, now) ? 1 : 0;
        if (part.waits && line > part.line) {
            stop_waiting(part, now);
        }
        if (!part.waits) {
            part.line = line;
            part.waits = waiting_[line].insert(waiting_[line].end(), &holder);
            part.moved.pause(now);
        }
    }
    void stop_waiting(share& part, time_point now) {
        if (part.waits) {
            waiting_[part.line].erase(*std::exchange(part.waits, std::nullopt));
            part.moved.resume(now);
        }
    }
    /// Whether a connection was the last of its line to be woken, and had not begun to read.
    bool forget_woken(const member& holder) {
        const auto found = std::find(woken_.begin(), woken_.end(), &holder);
        if (found == woken_.end()) {
            return false;
        }
        *found = nullptr;
        return true;
    }
    /// Lets the connections of each line read that have waited longest. The next one's turn comes
    /// when that has begun, so that together they take no more than there is, and later where more
    /// than half is held. Where memory is scarce, they read a little now and then.
    void wake(time_point now) {
        const bool has_room = held_ - unsent_ <= bytes_ / 2;
        const pauses after = is_scarce() ? turn_pauses : has_room ? pauses{} : wake_pauses;
        for (std::size_t line = 0; line < waiting_.size(); ++line) {
            if (woken_[line] == nullptr && !waiting_[line].empty()) {
                woken_[line] = waiting_[line].front();
                stop_waiting(members_[woken_[line]], now);
                woken_[line]->on_budget(after[line]);
            }
        }
    }

    std::size_t bytes_;
    std::size_t held_ = 0;
    /// Of that, what waits for grants of peers.
    std::size_t unsent_ = 0;
    std::size_t orphaned_ = 0;
    /// Bytes held by connections that are ending.
    std::size_t ending_ = 0;
    /// The connections that are not read, in the order in which they are woken. Connections that
    /// move bytes wait apart in the second line, however many others there are.
    std::array<std::list<member*>, 2> waiting_;
    /// That of each which was told last, and has not begun to read.
    std::array<member*, 2> woken_{};
    /// Since memory was given back.
    std::size_t let_go_ = 0;
    time_point trimmed_{};
    std::unordered_map<member*, share> members_;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_BUDGET_HPP
