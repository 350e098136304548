/// Requests that have failed, and are held back since they may be made again.
#ifndef MXP_NET_HELD_REQUEST_HPP
#define MXP_NET_HELD_REQUEST_HPP

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "repetition.hpp"

namespace mxp::net::detail {

/// A request whose end is held back. With metadata it is made again, without it ends.
class held_request {
   public:
    using decision = std::function<void(std::optional<metadata>)>;

    explicit held_request(decision then) : then_(std::move(then)) {}
    held_request(const held_request&) = delete;
    held_request& operator=(const held_request&) = delete;
    ~held_request() { decide(std::nullopt); }

    void decide(std::optional<metadata> metadata) {
        if (!is_decided_.exchange(true)) {
            then_(std::move(metadata));
        }
    }

   private:
    std::atomic<bool> is_decided_{false};
    decision then_;
};

/// Lets one ending of a request hold it back.
class holder {
   public:
    /// The function that is told the decision.
    explicit holder(const held_request::decision& then) : then_(then) {}
    [[nodiscard]] bool has_held() const noexcept { return has_held_; }
    [[nodiscard]] repetition hold() {
        has_held_ = true;
        return repetition{std::make_shared<held_request>(then_)};
    }

   private:
    const held_request::decision& then_;
    bool has_held_ = false;
};

/// Puts metadata in the place of entries with the same keys.
inline void replace(metadata& entries, metadata more) {
    for (const auto& fresh : more) {
        entries.erase(std::remove_if(entries.begin(), entries.end(),
                                     [&](const auto& item) { return item.first == fresh.first; }),
                      entries.end());
    }
    for (auto& fresh : more) {
        entries.push_back(std::move(fresh));
    }
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_HELD_REQUEST_HPP
