// Unix sockets: their paths, files and errors.
#include <sys/stat.h>
#include <unistd.h>

#include <asio/local/stream_protocol.hpp>

#include "mxp/net/transports.hpp"
#include "running.hpp"

using running::until;
namespace net = mxp::net;
using mxp::session::status;

namespace unix_tests {

namespace {

constexpr const char* service = "demo.Echo";

// Every path that the system takes, for servers and both clients.
TEST(unix_socket, has_a_path_of_up_to_107_bytes) {
    asio::io_context context{1};
    const running::folder folder;
    const auto seen = std::make_shared<running::seen>();
    const auto path_of = [&](std::size_t n) {
        return folder.in(std::string(n - folder.in("").size(), 'x'));
    };
    for (const std::size_t n : {50U, 100U, 105U, 106U, 107U}) {
        const std::string at = "mxp+unix://" + path_of(n);
        net::server server{context, running::echo(seen)};
        ASSERT_TRUE(server.listen(at)) << n;
        struct stat there {};
        ASSERT_EQ(::stat(path_of(n).c_str(), &there), 0);
        EXPECT_EQ(there.st_mode & 0777, 0600U);
        net::client client{context, at};
        std::optional<net::answer> came;
        client.call(service, 1, std::string_view{"x"}, {},
                    [&](const net::answer& answer) { came = answer; });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        EXPECT_FALSE(came->failed);
        std::thread running{[&] {
            context.restart();
            context.run();
        }};
        EXPECT_TRUE(net::blocking_client{at}.call(service, 1, std::string_view{"x"}));
        context.stop();
        running.join();
    }
    for (const std::size_t n : {108U, 120U, 4000U}) {
        const std::string at = "mxp+unix://" + path_of(n);
        net::server server{context, running::echo(seen)};
        const auto refused = server.listen(at);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().text.rfind("address_invalid: ", 0), 0U) << refused.error().text;
        EXPECT_EQ(net::blocking_client{at}.call(service, 1, std::string_view{}).error().name,
                  "address_invalid");
    }
}

TEST(unix_socket, is_for_its_user_and_replaced_if_nobody_listens) {
    running::folder folder;
    const std::string path = folder.in("s");
    asio::io_context context;
    {
        std::error_code ignored;
        asio::local::stream_protocol::acceptor stale{context};
        ASSERT_TRUE(net::listen_on(stale, path));
        struct stat there {};
        ASSERT_EQ(::stat(path.c_str(), &there), 0);
        EXPECT_EQ(there.st_mode & 0777, 0600U);
        net::server second{context, {}};
        EXPECT_FALSE(second.listen("mxp+unix://" + path));
        stale.close(ignored);
    }
    net::server third{context, {}};
    EXPECT_TRUE(third.listen("mxp+unix://" + path));
    third.close();
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
    ASSERT_EQ(std::system(("touch " + path).c_str()), 0);
    net::server fourth{context, {}};
    EXPECT_FALSE(fourth.listen("mxp+unix://" + path));
}

// A system that refuses this user refuses it next time, too.
TEST(unix_socket, errors_have_the_status_of_the_specification) {
    const running::folder folder;
    const auto of_unix = [&](int number) {
        const std::error_code why{number, std::generic_category()};
        return net::detail::unix_failure(why, folder.in("none")).status;
    };
    for (const int number : {EACCES, EPERM}) {
        EXPECT_EQ(of_unix(number), status::FailedPrecondition);
    }
    for (const int number : {ENOENT, ECONNREFUSED, EAGAIN, EMFILE}) {
        EXPECT_EQ(of_unix(number), status::Unavailable);
    }
}

}  // namespace

}  // namespace unix_tests
