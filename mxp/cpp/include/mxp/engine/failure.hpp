/// The reason that a request ended without an answer, and its text.
#ifndef MXP_ENGINE_FAILURE_HPP
#define MXP_ENGINE_FAILURE_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "../session/parts.hpp"
#include "../session/result.hpp"

namespace mxp::engine {

struct subject;

/// Why a request ended without an answer.
struct failure {
    session::status status = session::status::Unknown;
    /// The name of a refusal or a limit, or the name that the peer's handler chose.
    std::string name{};
    std::string text{};
    std::vector<std::byte> details{};
    /// Whether somebody may have acted on the request. `refused` says that nobody has.
    bool acted = true;
    /// The request, as "service/method", and its address, where they are known. No peer is told.
    std::string method{};
    std::string peer{};
};

/// A failure in one line, in the words that all languages have for it.
[[nodiscard]] std::string to_string(const failure& why);

[[nodiscard]] failure failure_of(const session::failure& why);

/// A value, or why there is none.
template <class T>
using outcome = mxp::result<T, failure>;
using failed_outcome = mxp::unexpected_of<failure>;

/// The failure that a refusal is. Nobody has acted.
[[nodiscard]] failure failure_of(session::kind refusal, std::string text = {});

/// A failure by which nobody has acted on the request, so that it may be made again.
[[nodiscard]] inline failure refused(failure why) {
    why.acted = false;
    return why;
}

/// Why there is no connection to an address [MXP-14.2], where a later attempt may succeed.
[[nodiscard]] failure unavailable(std::string why, std::string address = {});
/// Why there is none, where none will.
[[nodiscard]] failure unusable(std::string why, std::string address = {});

}  // namespace mxp::engine

#endif  // MXP_ENGINE_FAILURE_HPP
