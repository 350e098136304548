/// The lines of the log on types that differ from the peer's.
#ifndef MXP_NET_DIFFERENCES_HPP
#define MXP_NET_DIFFERENCES_HPP

#include <string>
#include <vector>

#include "../session.hpp"
#include "logger.hpp"

namespace mxp::net::detail {

/// Methods and types of a connection that differ from the peer's, or may differ unseen.
struct differences {
    const std::vector<session::difference>& refused;
    const std::vector<std::string>& uncompared;

    /// Writes a line for the methods that are refused [MXP-6.8], and one for the types that were
    /// not compared [MXP-6.5].
    void log(const logger& logger, const std::string& peer) const {
        if (!logger) {
            return;
        }
        if (!refused.empty()) {
            const session::difference& first = refused.front();
            logger(severity::warning, peer +
                                          ": methods refused: " + std::to_string(refused.size()) +
                                          ", the first is " + first.method.service + "/" +
                                          first.method.name + ": " + first.text);
        }
        if (!uncompared.empty()) {
            logger(severity::warning, peer + ": types compared by fingerprints alone: " +
                                          std::to_string(uncompared.size()) + ", the first is " +
                                          uncompared.front());
        }
    }
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_DIFFERENCES_HPP
