/// Calls by both kinds of clients, and the transports that they go over.
#ifndef MXP_TESTS_NET_SHM_FALLBACKS_HPP
#define MXP_TESTS_NET_SHM_FALLBACKS_HPP

#include <string>
#include <vector>

#include "parts.hpp"
#include "sharing.hpp"

namespace sharing {

using kinds = std::vector<std::string>;

inline const std::string shared = "shm";
inline const kinds both_shared{shared, shared};
inline const kinds both_plain{running::plain, running::plain};

/// A client on Asio and a blocking one, each of which calls once. They count as many fallbacks as
/// there were, and their logs have a text for each.
inline void expect_calls(const std::string& address, const net::shm_options& by,
                         std::size_t fallbacks, const std::string& text = {}) {
    const std::string value(1 << 20, 'v');
    asking one{address, by};
    EXPECT_FALSE(one.call(value));
    EXPECT_EQ(one.client().stats().shm_fallbacks, fallbacks);
    journal lines;
    net::blocking_options how;
    how.shm = by;
    how.logger = lines.logger();
    net::blocking_client other{address, how};
    EXPECT_FALSE(call(other, value));
    EXPECT_EQ(other.stats().shm_fallbacks, fallbacks);
    const std::string counted = "mxp_shm_fallbacks_total " + std::to_string(fallbacks) + "\n";
    EXPECT_NE(other.stats().prometheus().find(counted), std::string::npos);
    EXPECT_EQ(one.log().count("goes over its socket: "), fallbacks);
    EXPECT_EQ(lines.count("goes over its socket: "), fallbacks);
    if (!text.empty()) {
        EXPECT_EQ(one.log().count(text), fallbacks) << one.log().text();
        EXPECT_EQ(lines.count(text), fallbacks) << lines.text();
    }
}

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_FALLBACKS_HPP
