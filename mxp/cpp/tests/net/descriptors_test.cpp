// Descriptors that programs which this one starts do not get, and files of sockets.
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "mxp/net/foreign_loop.hpp"
#include "running.hpp"

// Not every system declares it.
extern "C" char** environ;

using running::in_thread;
using running::text_of;
using running::until;
namespace net = mxp::net;

namespace descriptors_tests {

namespace {

/// The descriptors that a program gets which is started now.
std::set<int> inherited() {
    std::set<int> made;
    DIR* const all = ::opendir("/dev/fd");
    while (const dirent* const one = ::readdir(all)) {
        const int number = std::atoi(one->d_name);
        const int flags = ::fcntl(number, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) {
            made.insert(number);
        }
    }
    ::closedir(all);
    return made;
}

/// The descriptors that a program has which is started now.
std::set<std::string> open_in_a_child() {
    const running::folder here;
    const std::string out = here.in("out");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
    std::string ls = "ls";
    std::string folder = "/dev/fd/";
    char* const words[] = {ls.data(), folder.data(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(::posix_spawnp(&child, "ls", &actions, nullptr, words, environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    ::waitpid(child, &status, 0);
    std::ifstream file{out};
    return {std::istream_iterator<std::string>{file}, {}};
}

/// Calls by a client of either kind.
void call_both(const std::string& at, const std::set<int>& before) {
    net::blocking_client blocking{at};
    EXPECT_TRUE(blocking.call("demo.Echo", 1, std::string_view{"x"}));
    asio::io_context on{1};
    net::client client{on, at};
    bool is_answered = false;
    client.call("demo.Echo", 1, std::string_view{"x"}, {},
                [&](const net::answer& of) { is_answered = !of.failed; });
    EXPECT_TRUE(until(on, [&] { return is_answered; }));
    EXPECT_EQ(inherited(), before) << at;
}

TEST(descriptors, stay_in_the_program) {
    const std::set<int> before = inherited();  // those that the test was started with
    const std::set<std::string> open_before = open_in_a_child();
    in_thread served;
    const std::string tcp = served.ask(
        [](net::server& of, running::seen&) { return of.listen("mxp+tcp://127.0.0.1:0").value(); });
    const net::foreign_loop loop;
    call_both(served.address, before);
    call_both(tcp, before);
#if defined(__linux__) && defined(__x86_64__)
    const running::folder here;
    const std::string shm = served.ask([&](net::server& of, running::seen&) {
        return of.listen("mxp+shm://" + here.in("s")).value();
    });
    call_both(shm, before);
#endif
    net::blocking_client connected{tcp};
    EXPECT_TRUE(connected.call("demo.Echo", 1, std::string_view{"x"}));
    EXPECT_EQ(open_in_a_child(), open_before);
}

// A server whose file another has replaced leaves that one's alone.
TEST(descriptors, files_of_successors_stay) {
    const running::folder here;
    const std::string path = here.in("s");
    asio::io_context on{1};
    const auto seen = std::make_shared<running::seen>();
    auto first = std::make_unique<net::server>(on, running::echo(seen));
    ASSERT_TRUE(first->listen("mxp+unix://" + path));
    ASSERT_EQ(::unlink(path.c_str()), 0);
    auto second = std::make_unique<net::server>(on, running::echo(seen));
    ASSERT_TRUE(second->listen("mxp+unix://" + path));
    first.reset();
    EXPECT_EQ(::access(path.c_str(), F_OK), 0);
    second.reset();
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

}  // namespace

}  // namespace descriptors_tests
