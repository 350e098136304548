/// How interceptors of a client make a request again.
#ifndef MXP_NET_REPEATING_HPP
#define MXP_NET_REPEATING_HPP

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "request.hpp"

namespace mxp::net {

namespace detail {

/// A request whose end is held back. With metadata it is made again, without it ends.
class held_request {
   public:
    using decision = std::function<void(std::optional<metadata>)>;

    explicit held_request(decision then) : then_(std::move(then)) {}
    held_request(const held_request&) = delete;
    held_request& operator=(const held_request&) = delete;
    ~held_request() { decide(std::nullopt); }

    void decide(std::optional<metadata> with) {
        if (!is_decided_.exchange(true)) {
            then_(std::move(with));
        }
    }

   private:
    std::atomic<bool> is_decided_{false};
    decision then_;
};

}  // namespace detail

/// A request that has failed, and may be made again, on any thread. When the last copy is gone
/// before it was, the request ends with its failure.
class repetition {
   public:
    explicit repetition(std::shared_ptr<detail::held_request> of) : of_(std::move(of)) {}

    /// Makes it once more, as it was made, with some metadata besides: of a key that it has, only
    /// the new are sent. Interceptors further in don't see it again, and are told its end.
    void ask(metadata more = {}) const { of_->decide(std::move(more)); }

   private:
    std::shared_ptr<detail::held_request> of_;
};

namespace detail {

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

/// Puts metadata in the place of those with the same keys.
inline void replace(metadata& in, metadata more) {
    for (const auto& fresh : more) {
        in.erase(std::remove_if(in.begin(), in.end(),
                                [&](const auto& one) { return one.first == fresh.first; }),
                 in.end());
    }
    for (auto& fresh : more) {
        in.push_back(std::move(fresh));
    }
}

}  // namespace detail

inline std::optional<repetition> answer::hold() {
    if (held_by == nullptr || !failed || held_by->has_held()) {
        return std::nullopt;
    }
    return held_by->hold();
}

}  // namespace mxp::net

#endif  // MXP_NET_REPEATING_HPP
