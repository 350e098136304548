// How a server learns the peer's user, as each system tells it. No system has both ways.
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

/// The answer of the system.
uid_t said_user = 0;
int said_result = 0;

}  // namespace

extern "C" int getpeereid(int /*socket*/, uid_t* user, gid_t* group) {
    *user = said_user;
    *group = 0;
    return said_result;
}

#define MXP_HAS_GETPEEREID 1
#include <gtest/gtest.h>

#include "mxp/net/peer_user.hpp"

namespace {

TEST(peer_user, is_what_getpeereid_says) {
    static_assert(mxp::net::tells_peer_user);
    said_user = ::geteuid();
    EXPECT_EQ(mxp::net::peer_user(0), ::geteuid());
    EXPECT_TRUE(mxp::net::is_same_user(0));
    said_user = ::geteuid() + 1;
    EXPECT_FALSE(mxp::net::is_same_user(0));
    said_user = ::geteuid();
    said_result = -1;
    EXPECT_FALSE(mxp::net::is_same_user(0));
}

}  // namespace
