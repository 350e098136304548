// Clients that can't connect, and servers that come late.
#include <array>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <fstream>
#include <map>

#include "certificates.hpp"
#include "mxp/net/transports.hpp"
#include "running.hpp"

using running::until;
#if defined(MXP_TLS)
using running::certificate;
#endif
namespace net = mxp::net;
namespace ms = mxp::session;
using namespace std::chrono_literals;

namespace connect_tests {

namespace {

using status = ms::status;

/// The connect timeout for failures that may heal, and do not.
constexpr auto brief = 100ms;

/// Where nobody answers as a client would like it.
class places {
   public:
    places() {
        std::ofstream{folder_.in("file")} << "x";
        ms::type theirs{"demo.A", {1}, "0 struct demo.A\n x u8\n"};
        net::server_options how;
        how.types = {theirs};
        other_.emplace(how);
        asio::ip::tcp::acceptor nobody{context_, local()};
        refusing_ = port_of(nobody);
        thread_ = std::thread{[this] { context_.run(); }};
    }
    places(const places&) = delete;
    places& operator=(const places&) = delete;
    ~places() {
        context_.stop();
        thread_.join();
    }

    [[nodiscard]] std::string in(const std::string& name) const { return folder_.at(name); }
    [[nodiscard]] std::string refusing() const { return "mxp+tcp://127.0.0.1:" + refusing_; }
    [[nodiscard]] std::string other() const { return other_->address; }

    /// A port that does what it likes with each connection.
    template <class Serve>
    std::string port(Serve serve) {
        auto& one =
            *acceptors_.emplace_back(std::make_unique<asio::ip::tcp::acceptor>(context_, local()));
        accept(one, serve);
        return "127.0.0.1:" + port_of(one);
    }

   private:
    using socket = asio::ip::tcp::socket;

    [[nodiscard]] static asio::ip::tcp::endpoint local() {
        return {asio::ip::make_address("127.0.0.1"), 0};
    }
    [[nodiscard]] static std::string port_of(const asio::ip::tcp::acceptor& of) {
        return std::to_string(of.local_endpoint().port());
    }
    template <class Serve>
    void accept(asio::ip::tcp::acceptor& by, Serve serve) {
        by.async_accept([this, &by, serve](const std::error_code& failed, socket came) {
            if (!failed) {
                sockets_.push_back(std::make_unique<socket>(std::move(came)));
                serve(*sockets_.back());
                accept(by, serve);
            }
        });
    }

    running::folder folder_;
    std::optional<running::in_thread> other_;
    std::string refusing_;
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> works_{context_.get_executor()};
    std::vector<std::unique_ptr<asio::ip::tcp::acceptor>> acceptors_;
    std::vector<std::unique_ptr<socket>> sockets_;
    std::thread thread_;
};

struct expected {
    std::string at;
    status how;
    std::string name;
    std::string text;
    std::vector<ms::type> types{};
};

/// The same cases for both clients.
std::map<std::string, expected> cases(places& of) {
    const auto silent = [](asio::ip::tcp::socket&) {};
    const auto hasty = [](asio::ip::tcp::socket& came) { came.close(); };
    const auto http = [](asio::ip::tcp::socket& came) {
        const std::string text = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
        std::error_code ignored;
        asio::write(came, asio::buffer(text), ignored);
    };
    // And no more for a while.
    const auto alert = [](asio::ip::tcp::socket& came) {
        const std::array<unsigned char, 7> bytes{21, 3, 1, 0, 2, 2, 70};
        std::error_code ignored;
        asio::write(came, asio::buffer(bytes), ignored);
    };
    constexpr auto final_failure = status::FailedPrecondition;
    const ms::type mine{"demo.A", {2}, "0 struct demo.A\n x u16\n"};
    std::map<std::string, expected> made{
        {"no address", {"mxp+udp://x:1", status::InvalidArgument, "address_invalid", "mxp+udp"}},
        {"refused port", {of.refusing(), status::Unavailable, "not_connected", "refused"}},
        {"unknown host", {"mxp+tcp://a..b:9000", final_failure, "not_connected", "ot"}},
        {"other schema",
         {of.other(), final_failure, "session_schema", "demo.A.x: here u16, there u8", {mine}}},
        {"silent peer",
         {"mxp+tcp://" + of.port(silent), status::Unavailable, "not_connected",
          "has not sent its Hello"}},
        {"peer that closes",
         {"mxp+tcp://" + of.port(hasty), status::Unavailable, "not_connected", "before its Hello"}},
        {"another protocol",
         {"mxp+tcp://" + of.port(http), final_failure, "frame_magic", "another protocol"}},
        {"an alert of TLS",
         {"mxp+tcp://" + of.port(alert), final_failure, "frame_magic", "another protocol"}},
        {"no TLS", {"mxp+tls://" + of.port(http), final_failure, "not_connected", "TLS"}},
    };
#if MXP_HAS_UNIX_SOCKETS
    made.merge(std::map<std::string, expected>{
        {"missing path", {of.in("none"), status::Unavailable, "not_connected", "No such file"}},
        {"no socket", {of.in("file"), final_failure, "not_connected", "no socket"}},
        {"below a file", {of.in("file/s"), final_failure, "not_connected", "Not a directory"}},
        {"path too long",
         {"mxp+unix:///" + std::string(200, 'x'), status::InvalidArgument, "address_invalid",
          "too long"}},
    });
#else
    made["missing pipe"] = {of.in("none"), status::Unavailable, "not_connected",
                            "nobody serves a pipe of this name"};
    made["no name"] = {"mxp+shm:///x", status::InvalidArgument, "address_invalid",
                       "\"mxp+shm:///x\" is not mxp+pipe://name, "};
    for (const std::string at : {"mxp+unix:///run/x.sock", "mxp+unix://C:/x"}) {
        made[at] = {
            at, status::InvalidArgument, "address_invalid",
            "\"" + at +
                "\" is not available on Windows: mxp+pipe, mxp+shm, mxp+tcp and mxp+tls are"};
    }
#endif
    return made;
}

void expect_failed(const std::string& name, const expected& want, const net::failure& why) {
    EXPECT_EQ(why.status, want.how) << name << ": " << why.text;
    EXPECT_EQ(why.name, want.name) << name << ": " << why.text;
    EXPECT_NE(why.text.find(want.text), std::string::npos) << name << ": " << why.text;
    EXPECT_TRUE(why.peer == want.at || why.text.find(want.at) != std::string::npos) << name;
    EXPECT_FALSE(why.acted) << name;
}

/// The connect timeout of a case: a final failure has to end at once, or the test does not end.
std::chrono::microseconds timeout_of(const expected& want) {
    return want.how == status::Unavailable ? std::chrono::microseconds{brief} : 1h;
}

TEST(connect, calls_without_a_connection_end) {
    places all;
    for (const auto& [name, want] : cases(all)) {
        asio::io_context context{1};
        net::client_options how;
        how.types = want.types;
        how.connect_timeout = timeout_of(want);
        net::client client{context, want.at, how};
        // The second is asked when it is known that there is no connection.
        for (int i = 0; i < 2; ++i) {
            std::optional<net::failure> failed;
            const auto begun = std::chrono::steady_clock::now();
            client.call("demo.Echo", 1, std::string_view{}, {},
                        [&](const net::answer& came) { failed = came.failed; });
            ASSERT_TRUE(until(context, [&] { return failed.has_value(); })) << name;
            expect_failed(name, want, *failed);
            if (want.how == status::Unavailable) {
                EXPECT_GE(std::chrono::steady_clock::now() - begun, brief) << name;
            }
        }
        std::optional<net::failure> failed;
        const auto stream = client.open("demo.Echo", 3, std::string_view{}, {});
        stream.on_end([&](const net::failure* why) { failed = *why; });
        ASSERT_TRUE(until(context, [&] { return failed.has_value(); })) << name;
        expect_failed(name, want, *failed);
    }
}

TEST(connect, blocking_calls_without_a_connection_end) {
    places all;
    for (const auto& [name, want] : cases(all)) {
        net::blocking_options how;
        how.types = want.types;
        how.connect_timeout = timeout_of(want);
        how.patience = 1h;
        net::blocking_client client{want.at, how};
        for (int i = 0; i < 2; ++i) {
            const auto begun = std::chrono::steady_clock::now();
            const auto came = client.call("demo.Echo", 1, std::string_view{});
            ASSERT_FALSE(came) << name;
            expect_failed(name, want, came.error());
            if (want.how == status::Unavailable) {
                EXPECT_GE(std::chrono::steady_clock::now() - begun, brief) << name;
            }
        }
    }
}

TEST(connect, deadlines_end_the_wait_for_a_connection) {
    running::folder folder;
    const std::string at = folder.at("none");
    net::call_options soon;
    soon.deadline = 50ms;
    asio::io_context context{1};
    net::client_options how;
    how.connect_timeout = 1h;
    net::client client{context, at, how};
    std::optional<net::failure> failed;
    client.call("demo.Echo", 1, std::string_view{}, soon,
                [&](const net::answer& came) { failed = came.failed; });
    ASSERT_TRUE(until(context, [&] { return failed.has_value(); }));
    const expected want{at, status::Unavailable, "not_connected", running::absent};
    expect_failed("async", want, *failed);
    net::blocking_options with;
    with.connect_timeout = 1h;
    net::blocking_client waiting{at, with};
    const auto came = waiting.call("demo.Echo", 1, std::string_view{}, soon);
    ASSERT_FALSE(came);
    expect_failed("blocking", want, came.error());
}

/// The number of logged lines that have these words.
std::size_t count(const std::vector<std::string>& lines, std::string_view words) {
    std::size_t n = 0;
    for (const std::string& line : lines) {
        n += line.find(words) != std::string::npos ? 1U : 0U;
    }
    return n;
}

TEST(connect, late_servers_are_waited_for_and_each_loss_is_logged_once) {
    running::folder folder;
    const std::string at = folder.at("s");
    std::vector<std::string> lines;
    asio::io_context context{1};
    net::client_options how;
    how.connect_timeout = 1min;
    how.logger = [&](net::severity, std::string_view line) { lines.emplace_back(line); };
    net::client client{context, at, how};
    const auto seen = std::make_shared<running::seen>();
    const auto pass = [&](std::chrono::milliseconds time) {
        static_cast<void>(until(
            context, [] { return false; }, time));
    };
    for (std::size_t i = 0; i < 3; ++i) {
        pass(30ms);  // for some attempts
        std::optional<net::answer> answered;
        client.call("demo.Echo", 1, std::string_view{}, {},
                    [&](const net::answer& came) { answered = came; });
        net::server server{context, running::echo(seen)};
        ASSERT_TRUE(server.listen(at));
        ASSERT_TRUE(until(context, [&] { return answered.has_value(); }));
        EXPECT_FALSE(answered->failed);
        server.close();
        EXPECT_TRUE(until(context, [&] { return count(lines, "connection ended") == i + 1; }));
    }
    pass(30ms);
    EXPECT_EQ(count(lines, at + ": connected"), 3U);
    EXPECT_EQ(count(lines, at + ": connection ended"), 3U);
    EXPECT_EQ(count(lines, at + ": not connected"), 1U);
    EXPECT_EQ(lines.size(), 7U);
#if MXP_HAS_UNIX_SOCKETS
    // A failure that turns out to be final is told once more.
    std::ofstream{folder.in("s")} << "x";
    EXPECT_TRUE(until(context, [&] { return count(lines, "no socket") == 1; }));
    pass(30ms);
    EXPECT_EQ(lines.size(), 8U);
#endif
}

// Both sides mean another type by the requests of two methods; other methods work. [MXP-6.8]
TEST(connect, methods_that_are_refused_are_one_line_of_the_log) {
    const auto of = [](std::uint64_t fingerprint, const std::string& field) {
        const std::string layout = "0 struct demo.A\n x " + field + "\n";
        const std::vector<ms::method_name> methods{{"demo.Echo", 1, "echo"},
                                                   {"demo.Echo", 77, "other"}};
        return std::vector<ms::type>{{"demo.A", {fingerprint}, layout, methods, {}},
                                     // As a release before 0.4 has it.
                                     {"demo.B", {1}, "", methods, {}}};
    };
    const std::string uncompared = ": types compared by fingerprints alone: 1, the first is demo.B";
    net::server_options serving;
    serving.types = of(1, "u8");
    std::mutex told;
    std::vector<std::string> there;
    serving.logger = [&](net::severity, std::string_view line) {
        const std::lock_guard<std::mutex> lock{told};
        there.emplace_back(line);
    };
    const running::in_thread server{serving};
    const std::string said = server.address + ": methods refused: 2, the first is demo.Echo/echo: "
                                              "demo.A.x: here u16, there u8";
    std::vector<std::string> lines;
    const auto log = [&](net::severity, std::string_view line) { lines.emplace_back(line); };
    net::blocking_options blocking;
    blocking.types = of(2, "u16");
    blocking.logger = log;
    net::blocking_client waits{server.address, blocking};
    const auto refused = waits.call("demo.Echo", 1, std::string_view{});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().name, "session_schema");
    const auto other = waits.call("demo.Echo", 2, std::string_view{});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().name, "refused");
    EXPECT_EQ(count(lines, said), 1U);
    EXPECT_EQ(count(lines, server.address + uncompared), 1U);
    {
        const std::lock_guard<std::mutex> lock{told};
        EXPECT_EQ(count(there, ": methods refused: 2, the first is demo.Echo/echo: "
                               "demo.A.x: here u8, there u16"),
                  1U);
        EXPECT_EQ(count(there, uncompared), 1U);
    }

    lines.clear();
    asio::io_context context{1};
    net::client_options how;
    how.types = of(2, "u16");
    how.logger = log;
    net::client client{context, server.address, how};
    std::optional<net::answer> answered;
    client.call("demo.Echo", 2, std::string_view{}, {},
                [&](const net::answer& came) { answered = came; });
    ASSERT_TRUE(until(context, [&] { return answered.has_value(); }));
    EXPECT_EQ(count(lines, said), 1U);
    EXPECT_EQ(count(lines, server.address + uncompared), 1U);
    EXPECT_EQ(lines.size(), 3U);
}

TEST(connect, blocking_clients_wait_for_late_servers) {
    running::folder folder;
    const std::string at = folder.at("s");
    std::vector<std::string> lines;
    net::blocking_options how;
    how.connect_timeout = 1min;
    how.logger = [&](net::severity, std::string_view line) { lines.emplace_back(line); };
    net::blocking_client client{at, how};
    for (std::size_t i = 0; i < 3; ++i) {
        asio::io_context context{1};
        std::thread later{[&] {
            std::this_thread::sleep_for(30ms);
            net::server server{context, running::echo(std::make_shared<running::seen>())};
            ASSERT_TRUE(server.listen(at));
            const auto works = asio::make_work_guard(context);
            context.run();
        }};
        EXPECT_TRUE(client.call("demo.Echo", 1, std::string_view{}));
        context.stop();
        later.join();
    }
    EXPECT_EQ(count(lines, at + ": connected"), 3U);
    // The last one is not looked at any more.
    EXPECT_EQ(count(lines, at + ": connection ended"), 2U);
    EXPECT_EQ(count(lines, at + ": not connected"), 1U);
}

#if defined(MXP_TLS)

TEST(connect, tls_that_does_not_fit_ends_calls_at_once) {
    const certificate ours{"DNS:localhost"};
    const certificate other{"DNS:elsewhere"};
    const auto client_of = [](const certificate* trusted) {
        auto made = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
        if (trusted != nullptr) {
            trusted->vouch(*made);
        }
        return made;
    };
    struct one {
        std::string name;
        /// The server's, or none where it speaks no TLS.
        const certificate* server;
        const certificate* trusted;
        bool demands;
        std::string text;
    };
    for (const one& each : {one{"no TLS there", nullptr, &ours, false, "TLS: "},
                            one{"untrusted", &ours, nullptr, false, "self"},
                            one{"another name", &other, &other, false, "TLS: "},
                            one{"certificate demanded", &ours, &ours, true, "certificate"}}) {
        asio::io_context context{1};
        asio::ssl::context with{asio::ssl::context::tls_server};
        net::server_options serving;
        std::string at = "mxp+tcp://localhost:0";
        if (each.server != nullptr) {
            each.server->identify(with);
            if (each.demands) {
                ours.vouch(with);
                with.set_verify_mode(asio::ssl::verify_peer |
                                     asio::ssl::verify_fail_if_no_peer_cert);
            }
            serving.tls = &with;
            at = "mxp+tls://localhost:0";
        }
        net::server server{context, running::echo(std::make_shared<running::seen>()), serving};
        at = server.listen(at).value();
        at.replace(0, 7, "mxp+tls");
        const auto tls = client_of(each.trusted);
        net::client_options how;
        how.connect_timeout = 1h;
        how.tls = tls.get();
        net::client client{context, at, how};
        std::optional<net::failure> failed;
        client.call("demo.Echo", 1, std::string_view{}, {},
                    [&](const net::answer& came) { failed = came.failed; });
        ASSERT_TRUE(until(context, [&] { return failed.has_value(); })) << each.name;
        expect_failed(each.name, {at, status::FailedPrecondition, "not_connected", each.text},
                      *failed);
    }
}

// A peer that speaks TLS answers a client that does not with an alert, which is no frame.
TEST(connect, a_plain_client_of_a_tls_server_ends) {
    const certificate ours{"DNS:localhost"};
    asio::io_context context{1};
    asio::ssl::context with{asio::ssl::context::tls_server};
    ours.identify(with);
    net::server_options serving;
    serving.tls = &with;
    net::server server{context, running::echo(std::make_shared<running::seen>()), serving};
    std::string at = server.listen("mxp+tls://localhost:0").value();
    at.replace(0, 7, "mxp+tcp");
    net::client_options how;
    how.connect_timeout = 1h;
    net::client client{context, at, how};
    std::optional<net::failure> failed;
    client.call("demo.Echo", 1, std::string_view{}, {},
                [&](const net::answer& came) { failed = came.failed; });
    ASSERT_TRUE(until(context, [&] { return failed.has_value(); }));
    EXPECT_EQ(failed->peer, at);
    EXPECT_EQ(failed->status, status::FailedPrecondition) << failed->text;
    EXPECT_EQ(failed->name, "frame_magic") << failed->text;
}

#endif

#if !MXP_HAS_PIPES

// [MXP-21.1]
TEST(connect, pipes_belong_to_windows) {
    const std::string at = "mxp+pipe://x";
    const auto came = net::blocking_client{at}.call("demo.Echo", 1, std::string_view{});
    ASSERT_FALSE(came);
    EXPECT_EQ(came.error().name, "address_invalid");
    EXPECT_EQ(net::no_address_text(at), "\"" + at + "\" is not available on " +
                                            net::detail::system_name +
                                            ": named pipes belong to Windows");
}

#endif

TEST(connect, addresses_are_texts_again) {
    for (const std::string& text :
         {running::folder{}.at("x.sock"), std::string{"mxp+tcp://localhost:9000"},
          std::string{"mxp+tls://[::1]:9000"}}) {
        EXPECT_EQ(net::to_string(net::parse_address(text).value()), text);
    }
}

// A system that refuses this user refuses it next time, too.
TEST(connect, errors_of_the_system_have_the_status_of_the_specification) {
    const auto of_tcp = [](int number) {
        return net::detail::tcp_failure({number, std::generic_category()}).status;
    };
    for (const int number : {EACCES, EPERM}) {
        EXPECT_EQ(of_tcp(number), status::FailedPrecondition);
    }
    for (const int number : {ENOENT, ECONNREFUSED, EAGAIN, EMFILE}) {
        EXPECT_EQ(of_tcp(number), status::Unavailable);
    }
#if defined(_WIN32)
    const std::error_code forbidden{WSAEACCES, asio::error::get_system_category()};
    EXPECT_EQ(net::detail::tcp_failure(forbidden).status, status::FailedPrecondition);
#endif
}

}  // namespace

}  // namespace connect_tests
