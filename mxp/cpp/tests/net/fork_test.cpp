// Processes that come from one.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "mxp/net/event_ids.hpp"

namespace net = mxp::net;

namespace fork_tests {

namespace {

// Processes that are one until a moment have no ids in common after it.
TEST(event_ids, do_not_repeat_in_a_fork) {
    const std::string before = net::detail::new_event_id();
    int ends[2]{};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string made = net::detail::new_event_id();
        ::_exit(::write(ends[1], made.data(), made.size()) == 32 ? 0 : 1);
    }
    const std::string own = net::detail::new_event_id();
    ::close(ends[1]);
    std::string theirs(33, '\0');
    const ssize_t n = ::read(ends[0], theirs.data(), theirs.size());
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(n == 32 && status == 0);
    theirs.resize(32);
    EXPECT_TRUE(own.size() == 32 && before != own && own != theirs && before != theirs);
}

}  // namespace

}  // namespace fork_tests
