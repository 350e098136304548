// A system that doesn't tell the peer's user, where servers say so.
#define MXP_HAS_UCRED 0
#define MXP_HAS_GETPEEREID 0
#include <gtest/gtest.h>

#include "mxp/net/peer_user.hpp"

namespace {

TEST(no_peer_user, is_nobody) {
    static_assert(!mxp::net::tells_peer_user);
    EXPECT_FALSE(mxp::net::is_same_user(0));
}

}  // namespace
