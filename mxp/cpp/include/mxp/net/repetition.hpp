/// How interceptors of a client make a request again.
#ifndef MXP_NET_REPETITION_HPP
#define MXP_NET_REPETITION_HPP

#include <memory>
#include <utility>

#include "request.hpp"

namespace mxp::net {

namespace detail {
class held_request;
}

/// A request that has failed, and may be made again, on any thread. When the last copy is gone
/// before it was, the request ends with its failure.
class repetition {
   public:
    explicit repetition(std::shared_ptr<detail::held_request> request) : of_(std::move(request)) {}

    /// Makes it once more, as it was made, with some metadata besides: of a key that it has, only
    /// the new are sent. Interceptors further in don't see it again, and are told its end.
    void ask(metadata more = {}) const;

   private:
    std::shared_ptr<detail::held_request> of_;
};

}  // namespace mxp::net

#endif  // MXP_NET_REPETITION_HPP
