/// Hosts and origins of which the log was told that they are refused.
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_REFUSAL_LOG_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_REFUSAL_LOG_HPP

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "../../logger.hpp"

namespace mxp::net::detail::ws {

/// Tells the log of each once, and of so many that hostile ones cost little.
class refusal_log {
   public:
    explicit refusal_log(logger log) : log_(std::move(log)) {}

    /// The option is that which would let it in.
    void tell(std::string_view kind, std::string_view name, std::string_view option) {
        const std::string line = "WebSockets of the " + std::string{kind} + " \"" +
                                 std::string{name.substr(0, bytes_most)} +
                                 "\" are refused, unless " + std::string{option} + " has it";
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            if (told_.size() >= told_most || !told_.insert(line).second) {
                return;
            }
        }
        if (log_) {
            log_(severity::warning, line);
        }
    }

   private:
    static constexpr std::size_t told_most = 64;
    static constexpr std::size_t bytes_most = 256;

    std::mutex mutex_{};
    std::set<std::string> told_{};
    const logger log_;
};

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_REFUSAL_LOG_HPP
