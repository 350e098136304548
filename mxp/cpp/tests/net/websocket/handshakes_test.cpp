// Handshakes of both sides, and the clients that they let in.
#if defined(MXP_TLS)
#include <openssl/evp.h>
#endif

#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../running.hpp"
#include "peer.hpp"

using running::text_of;
using running::until;

namespace websocket_tests {

namespace {

/// The headers of a handshake: a dot leaves one out, and a dash has it empty.
std::string headers(const std::string& host, const std::string& origin,
                    const std::string& subprotocols) {
    std::string made;
    const auto add = [&](const std::string& name, const std::string& value) {
        if (value != ".") {
            made.append(name).append(": ").append(value == "-" ? "" : value).append("\r\n");
        }
    };
    add("Host", host);
    add("Origin", origin);
    add("Sec-WebSocket-Protocol", subprotocols);
    return made;
}

/// Holds a server against the lines of the table that have its name.
void expect_answers(const net::server_options& how, const std::string& name) {
    const served all{how};
    const std::string here = __FILE__;
    std::ifstream table{here.substr(0, here.rfind('/')) + "/../../../../testdata/handshakes.txt"};
    std::string line;
    int cases = 0;
    while (std::getline(table, line)) {
        std::istringstream words{line};
        std::string server;
        std::string host;
        std::string origin;
        std::string subprotocols;
        int status = 0;
        if (!(words >> server >> host >> origin >> subprotocols >> status) || server != name) {
            continue;
        }
        ++cases;
        peer one{all.at};
        const std::string of = headers(host, origin, subprotocols);
        EXPECT_EQ(one.handshake("/", of), status) << of << one.head;
        const bool is_open =
            one.head.find("\r\nSec-WebSocket-Protocol: mxp.1\r\n") != std::string::npos;
        EXPECT_EQ(is_open, status == 101) << of << one.head;
        EXPECT_EQ(one.head.find("Extensions"), std::string::npos) << of << one.head;
    }
    EXPECT_GT(cases, 10);
}

// [MXP-19.2] [MXP-19.5]
TEST(websocket_handshakes, of_others_are_refused) {
    expect_answers({}, "usual");
    net::websocket_options by;
    by.hosts = {"studio.example"};
    by.origins = {"https://studio.example"};
    by.token = "abc-1";
    expect_answers(doors(by), "listed");
}

// A header that is there twice, or a host elsewhere than in one, is looked at, too. [MXP-19.5]
TEST(websocket_handshakes, that_mean_two_things_are_refused) {
    const served all;
    const auto answer = [&](const std::string& path, const std::string& of) {
        return peer{all.at}.handshake(path, of);
    };
    const std::string good = headers("127.0.0.1", ".", "mxp.1");
    const std::string here = headers(".", "http://127.0.0.1", ".");
    EXPECT_EQ(answer("/", good), 101);
    EXPECT_EQ(answer("/?query", good), 101);
    EXPECT_EQ(answer("/", good + headers("evil.example", ".", ".")), 403);
    EXPECT_EQ(answer("/", good + here), 101);
    EXPECT_EQ(answer("/", good + here + headers(".", "http://evil.example", ".")), 403);
    EXPECT_EQ(answer("/", good + headers(".", ".", "mxp.0")), 101);
    EXPECT_EQ(answer("/other", good), 404);
    EXPECT_EQ(answer("http://127.0.0.1/", good), 101);
    EXPECT_EQ(answer("http://evil.example/", good), 403);
}

// [MXP-19.2]
TEST(websocket_handshakes, that_are_none_are_refused) {
    const served all;
    const std::string good = headers("127.0.0.1", ".", "mxp.1");
    const std::string usual = usual_key;
    const auto key = [](const std::string& of) { return "Sec-WebSocket-Key: " + of + "\r\n"; };
    const std::vector<std::pair<std::string, int>> cases{
        {usual, 101},
        {usual + "Content-Length: 0\r\n", 101},
        {usual + "Content-Length: 10\r\n", 400},
        {usual + "Transfer-Encoding: chunked\r\n", 400},
        {"", 400},
        {usual + usual, 400},
        {key("dGhlIHNhbXBsZSBub25jZQ!!"), 400},
        {key("dGhlIHNhbXBsZSBub25j"), 400},
        {key("dGhlIHNhbXBsZSBub25jZQ"), 400},
        {key("dGhlIHNhbXBsZSBub25jZR=="), 400},
    };
    for (const auto& [lines, status] : cases) {
        peer one{all.at};
        EXPECT_EQ(one.handshake("/", good, lines), status) << lines;
    }
}

// The log is told the first time of each origin, and how it is let in.
TEST(websocket_handshakes, that_are_refused_are_logged_once) {
    std::mutex mutex;
    std::vector<std::string> lines;
    net::server_options how;
    how.logger = [&](net::severity, std::string_view line) {
        const std::lock_guard<std::mutex> lock{mutex};
        lines.emplace_back(line);
    };
    const served all{how};
    for (int i = 0; i < 3; ++i) {
        for (const char* const origin : {"https://studio.example", "https://other.example"}) {
            EXPECT_EQ(peer{all.at}.handshake("/", headers("127.0.0.1", origin, "mxp.1")), 403);
        }
    }
    const std::lock_guard<std::mutex> lock{mutex};
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "WebSockets of the origin \"https://studio.example\" are refused, unless "
                        "websocket_options::origins has it");
}

TEST(websocket_handshakes, know_hosts_without_ports) {
    for (const char* const bad : {"studio.example:443", "[::1]", ""}) {
        net::websocket_options by;
        by.hosts = {bad};
        asio::io_context on{1};
        net::server made{on, running::echo(std::make_shared<running::seen>()), doors(by)};
        EXPECT_FALSE(made.listen("mxp+ws://127.0.0.1:0/")) << bad;
    }
}

// [MXP-19.6]
TEST(websocket_handshakes, of_an_origin_have_few_connections) {
    net::websocket_options by;
    by.origin_connections = 2;
    const served all{doors(by)};
    const std::string page = headers("127.0.0.1", "http://127.0.0.1", "mxp.1");
    const auto answer = [&](const std::string& of) { return peer{all.at}.handshake("/", of); };
    auto first = std::make_unique<peer>(all.at);
    peer second{all.at};
    EXPECT_EQ(first->handshake("/", page), 101);
    EXPECT_EQ(second.handshake("/", page), 101);
    EXPECT_EQ(answer(page), 429);
    EXPECT_EQ(answer(headers("127.0.0.1", "http://127.0.0.1:1", "mxp.1")), 101);
    std::vector<std::unique_ptr<peer>> programs;
    for (int i = 0; i < 3; ++i) {
        programs.push_back(std::make_unique<peer>(all.at));
        EXPECT_EQ(programs.back()->handshake("/", headers("127.0.0.1", ".", "mxp.1")), 101);
    }
    first.reset();
    int last = 0;
    for (int i = 0; i < 2'000 && last != 101; ++i) {
        std::this_thread::sleep_for(5ms);
        last = answer(page);
    }
    EXPECT_EQ(last, 101) << "its place is never free again";
}

/// How a call of a client ended. A failure that no later attempt can mend comes at once.
net::failure failed(const std::string& at, const net::client_options& options = {},
                    std::chrono::microseconds most = 1h) {
    asio::io_context on{1};
    net::client_options how = options;
    how.connect_timeout = most;
    std::optional<net::answer> ended;
    net::client client{on, at, how};
    client.call("demo.Echo", 1, std::string_view{"x"}, {},
                [&](const net::answer& came) { ended = came; });
    EXPECT_TRUE(until(on, [&] { return ended.has_value(); }));
    net::failure none;
    none.status = ms::status::Ok;
    return ended ? ended->failed.value_or(none) : net::failure{};
}

// A listener has one path, of any characters, and no other.
TEST(websocket_handshakes, take_paths_as_they_are) {
    for (const std::string path : {"", "/", "/a/", "/{a}", "/a/../b", "/%7Ba", "/\xC3\xA4"}) {
        const served all{{}, path};
        const std::string end = path.empty() ? "/" : path;
        EXPECT_EQ(all.at.substr(all.at.size() - end.size()), end);
        EXPECT_EQ(failed(all.at).status, ms::status::Ok) << path;
        const net::failure why = failed(all.at + "x");
        EXPECT_EQ(why.status, ms::status::FailedPrecondition) << path;
        EXPECT_EQ(why.text, "the server answers 404 Not Found: nothing is served here");
    }
}

// A client shows the token, and says why it is not let in. [MXP-19.2] [MXP-19.5]
TEST(websocket_handshakes, show_tokens) {
    net::websocket_options by;
    by.token = "s-3_cret";
    const served all{doors(by), "/a"};
    EXPECT_EQ(failed(all.at, showing("s-3_cret")).status, ms::status::Ok);
    const net::failure why = failed(all.at);
    EXPECT_EQ(why.status, ms::status::Unauthenticated);
    EXPECT_EQ(why.name, "not_connected");
    EXPECT_EQ(why.text, "the server answers 401 Unauthorized: the token is missing, or another");
    for (const std::string& bad :
         {std::string{"a b"}, std::string{"\xC3\xA4"}, std::string{","}, std::string(257, 'a')}) {
        EXPECT_EQ(failed(all.at, showing(bad)).text,
                  "the token is not 1 to 256 letters, digits, - and _");
        asio::io_context on{1};
        by.token = bad;
        net::server server{on, {}, doors(by)};
        EXPECT_FALSE(server.listen("mxp+ws://127.0.0.1:0/"));
    }
}

/// A server that gives each request an answer.
class answering {
   public:
    explicit answering(std::function<std::string(const std::string&)> answer)
        : acceptor_(on_, {asio::ip::make_address_v4("127.0.0.1"), 0}),
          at("mxp+ws://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port())),
          answer_(std::move(answer)) {
        next();
        thread_ = std::thread([this] { on_.run(); });
    }
    explicit answering(const std::string& answer)
        : answering([answer](const std::string&) { return answer; }) {}
    answering(const answering&) = delete;
    answering& operator=(const answering&) = delete;
    ~answering() {
        on_.stop();
        thread_.join();
    }

   private:
    void next() {
        acceptor_.async_accept([this](const std::error_code& wrong, asio::ip::tcp::socket came) {
            if (wrong) {
                return;
            }
            std::string request(4'096, '\0');
            std::error_code ignored;
            request.resize(came.read_some(asio::buffer(request), ignored));
            asio::write(came, asio::buffer(answer_(request)), ignored);
            kept_.push_back(std::move(came));
            if (!is_open) {
                kept_.clear();
            }
            next();
        });
    }

    asio::io_context on_{1};
    asio::ip::tcp::acceptor acceptor_;
    std::vector<asio::ip::tcp::socket> kept_{};

   public:
    std::string at;
    /// Whether what was answered stays connected.
    std::atomic<bool> is_open{false};

   private:
    std::function<std::string(const std::string&)> answer_;
    std::thread thread_{};
};

// [MXP-14.2] [MXP-19.2]
TEST(websocket_handshakes, that_are_answered_otherwise_find_no_server) {
    constexpr auto wrong = ms::status::FailedPrecondition;
    struct one {
        std::string answer;
        ms::status status;
        std::string text;
    };
    for (const one& of : std::vector<one>{
             {"401 Unauthorized\r\n\r\n", ms::status::Unauthenticated, "the server answers 401"},
             {"403 Forbidden\r\n\r\n", ms::status::PermissionDenied, "the server answers 403"},
             {"404 Not Found\r\nContent-Type: text/plain\r\n\r\nno such thing\n", wrong,
              "404 Not Found: no such thing"},
             {"404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>", wrong, "404 Not Found"},
             {"404 Not Found\r\nContent-Length: 99999\r\n\r\n" + std::string(40'000, '<'), wrong,
              "404 Not Found"},
             {"302 Found\r\nLocation: /other\r\n\r\n", wrong, "the server answers 302"},
             {"200 OK\r\n\r\n", wrong, "the server answers 200"},
             {"101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", wrong,
              "Sec-WebSocket-Accept"},
             {"429 Too Many Requests\r\n\r\n", ms::status::Unavailable, "the server answers 429"},
             {"503 Service Unavailable\r\n\r\n", ms::status::Unavailable, "the server answers 503"},
             {"101 X\r\nA: " + std::string(40'000, 'a'), ms::status::Unavailable, ""},
         }) {
        const answering all{"HTTP/1.1 " + of.answer};
        const bool may_heal = of.status == ms::status::Unavailable;
        const net::failure why = failed(all.at, {}, may_heal ? 200ms : 1h);
        const std::string head = of.answer.substr(0, 60);
        EXPECT_EQ(why.status, of.status) << head << why.text;
        EXPECT_EQ(why.name, "not_connected") << head;
        EXPECT_NE(why.text.find(of.text), std::string::npos) << head << why.text;
        EXPECT_EQ(why.text.find('<'), std::string::npos) << why.text;
        EXPECT_FALSE(why.acted) << head;
    }
}

#if defined(MXP_TLS)

// A server that opens a WebSocket, and says that it is for something else.
TEST(websocket_handshakes, have_to_name_the_subprotocol) {
    const auto accepting = [](const std::string& line) {
        return [line](const std::string& request) {
            const std::string name = "Sec-WebSocket-Key: ";
            const std::size_t from = request.find(name) + name.size();
            const std::string key = request.substr(from, request.find("\r\n", from) - from) +
                                    "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
            unsigned char hash[EVP_MAX_MD_SIZE];
            unsigned int n = 0;
            EVP_Digest(key.data(), key.size(), hash, &n, EVP_sha1(), nullptr);
            unsigned char text[64];
            EVP_EncodeBlock(text, hash, static_cast<int>(n));
            return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                   "Upgrade: websocket\r\nSec-WebSocket-Accept: " +
                   std::string{reinterpret_cast<const char*>(text)} + "\r\n" + line + "\r\n";
        };
    };
    const std::string other = "the server does not speak mxp.1 there";
    for (const auto& [line, text] : std::vector<std::pair<std::string, std::string>>{
             {"", other},
             {"Sec-WebSocket-Protocol: chat\r\n", other},
             {"Sec-WebSocket-Protocol: mxp.token.t\r\n", other},
             {"Sec-WebSocket-Protocol: mxp.1\r\nSec-WebSocket-Extensions: permessage-deflate\r\n",
              "the server uses an extension that it was not asked for"},
         }) {
        answering all{accepting(line)};
        all.is_open = true;
        const net::failure why = failed(all.at, showing("t"));
        EXPECT_EQ(why.status, ms::status::FailedPrecondition) << line;
        EXPECT_EQ(why.text, text) << line;
    }
}

#endif

TEST(websocket_handshakes, are_registered_once) {
    EXPECT_THROW(net::register_websocket(), std::invalid_argument);
}

// [MXP-16.1] [MXP-19.1]
TEST(websocket_handshakes, have_places) {
    for (const std::string good :
         {"mxp+ws://[::1]:7000/a", "mxp+wss://h:65535/a/{b}/%7Bc", "mxp+ws://h:1/\xC3\xA4"}) {
        const auto at = net::parse_address(good);
        ASSERT_TRUE(at) << good;
        EXPECT_EQ(net::to_string(*at), good);
    }
    EXPECT_EQ(net::to_string(*net::parse_address("mxp+ws://h:1")), "mxp+ws://h:1/");
    for (const std::string bad :
         {"mxp+ws://", "mxp+ws://h", "mxp+ws://h:", "mxp+ws:///path", "mxp+wss://h:port",
          "mxp+ws://h:65536", "mxp+ws://h:1/a?token=x", "mxp+ws://h:1/a#b", "mxp+ws://h:1/%zz",
          "mxp+ws://h:1/%7", "mxp+ws://h:1/a\n", "mxp+ws://h:1/a b", "mxp+ws://h x:1",
          "mxp+ws://h:1?a"}) {
        EXPECT_FALSE(net::parse_address(bad)) << bad;
        const net::failure why = failed(bad);
        EXPECT_EQ(why.name, "address_invalid") << bad;
        EXPECT_NE(why.text.find("mxp+ws://host:port/path"), std::string::npos) << why.text;
    }
}

TEST(websocket_handshakes, of_wss_need_a_certificate) {
    asio::io_context on{1};
    net::server server{on, {}};
    EXPECT_EQ(server.listen("mxp+wss://127.0.0.1:0").error().text, "there is no TLS");
}

// A peer that asks for nothing, or for too much, is not waited for longer than for a Hello.
// [MXP-14.2] [MXP-16.5]
TEST(websocket_handshakes, have_a_time_and_a_size) {
    net::server_options how;
    how.limits.hello_us = 200'000;
    const served all{how};
    peer silent{all.at};
    silent.raw(bytes_of("GET / HTTP/1.1\r\n"));
    EXPECT_EQ(silent.answer(), 0);
    EXPECT_EQ(silent.head, "");
    peer long_winded{all.at};
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_NE(long_winded.handshake("/", "A: " + std::string(1 << 20, 'a') + "\r\n"), 101);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
    // A client's time is as long.
    answering deaf{std::string{"HTTP/1.1 101 Switch"}};
    deaf.is_open = true;
    net::client_options patient;
    patient.limits.hello_us = 100'000;
    const net::failure why = failed(deaf.at, patient, 500ms);
    EXPECT_EQ(why.status, ms::status::Unavailable);
    EXPECT_EQ(why.text, "nobody answers");
}

}  // namespace

}  // namespace websocket_tests
