/// The subject of a failure: the request that it is of.
#ifndef MXP_ENGINE_SUBJECT_HPP
#define MXP_ENGINE_SUBJECT_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "failure.hpp"

namespace mxp::engine {

/// The request of a failure, as far as it is known.
struct subject {
    using clock = std::chrono::steady_clock;

    std::string service{};
    std::uint16_t number = 0;
    /// Empty where nobody has named the method.
    std::string name{};
    /// The address of the other side, where it is known.
    std::shared_ptr<const std::string> peer{};
    /// How long there is, and since when; 0 where nobody looks at the time.
    std::chrono::microseconds most{0};
    clock::time_point begun{};

    /// The full name of the service, a slash and the method's name or number.
    [[nodiscard]] std::string method() const;

    /// Adds to a failure what is known of the request, unless it is of another.
    void explain(failure& why, clock::time_point now) const;
    [[nodiscard]] failure explained(failure why, clock::time_point now) const;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_SUBJECT_HPP
