// Directories of agents [MXP-12].
#include <gtest/gtest.h>

#include "pair.hpp"

using pair::said;
namespace ms = mxp::session;

namespace {

// [MXP-12.3]
TEST(directory, refuses_by_the_first_reason) {
    ms::directory_limits limits;
    limits.agents = 2;
    limits.agent_capabilities = 2;
    ms::directory all{limits};
    EXPECT_EQ(said(all.register_agent(1, "", {}, 1, 0)), "agent_invalid");
    EXPECT_EQ(said(all.register_agent(1, "a", {"x", ""}, 1, 0)), "agent_invalid");
    EXPECT_EQ(said(all.register_agent(1, "a", {"x", "x"}, 1, 0)), "agent_invalid");
    EXPECT_EQ(said(all.register_agent(1, "a", {"x", "y", "z"}, 1, 0)), "agent_invalid");
    EXPECT_EQ(*all.register_agent(1, "a", {"x"}, 0, 0), ms::lease_min_us);
    EXPECT_EQ(said(all.register_agent(2, "a", {}, 1, 0)), "agent_taken");
    EXPECT_EQ(*all.register_agent(2, "b", {}, ms::never, 0), ms::lease_max_us);
    EXPECT_EQ(said(all.register_agent(2, "c", {}, 1, 0)), "limit_agents");
    EXPECT_EQ(all.next_timeout(), ms::lease_min_us);
    EXPECT_EQ(said(all.register_agent(2, "a", {}, 1, ms::lease_min_us)), "fine");
}

// [MXP-12.4] [MXP-12.5] [MXP-12.6]
TEST(directory, keeps_leases_that_are_live) {
    ms::directory all;
    ASSERT_TRUE(all.register_agent(1, "b", {"x"}, 2'000'000, 0));
    ASSERT_TRUE(all.register_agent(1, "a", {"x", "y"}, 3'000'000, 0));
    EXPECT_EQ(said(all.heartbeat(2, "b", 1)), "agent_unknown");
    EXPECT_EQ(*all.heartbeat(1, "b", 1'000'000), 2'000'000U);
    const auto found = all.discover("x", 1'500'000).agents;
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "a");
    EXPECT_EQ(found[1].lease, 1'500'000U);
    EXPECT_EQ(all.discover("y", 1'500'000).agents.size(), 1U);
    EXPECT_EQ(said(all.heartbeat(1, "b", 3'000'000)), "agent_unknown");
    EXPECT_FALSE(all.next_timeout());
    ASSERT_TRUE(all.register_agent(3, "c", {}, 1, 3'000'000));
    all.release(3);
    EXPECT_TRUE(all.discover("", 3'000'000).agents.empty());
}

}  // namespace
