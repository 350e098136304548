// The peers that TLS lets clients and servers talk to.
#include <algorithm>

#include "certificates.hpp"
#include "running.hpp"

#if defined(MXP_TLS)

using running::certificate;
using running::secured;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

namespace tls_tests {

namespace {

constexpr const char* service = "demo.Echo";

/// How a call ended.
using ended = std::optional<net::failure>;

/// How a call of a client ended that connects with a context.
ended asked(asio::io_context& on, const std::string& at, asio::ssl::context* with,
            std::chrono::microseconds most, bool is_anybody = false) {
    net::client_options how;
    how.tls = with;
    how.dangerously_accept_any_certificate = is_anybody;
    net::client client{on, *net::parse_address(at), how};
    net::call_options soon;
    soon.deadline = most;
    std::optional<net::answer> came;
    client.call(service, 1, std::string_view{"x"}, soon,
                [&](const net::answer& answer) { came = answer; });
    EXPECT_TRUE(until(on, [&] { return came.has_value(); }));
    return came->failed;
}

/// A server with a certificate, and how a client fares that trusts an authority.
ended asked_of(const certificate& shown, const certificate* trusted, const std::string& host,
               bool is_anybody = false) {
    asio::io_context on{1};
    asio::ssl::context theirs{asio::ssl::context::tls_server};
    shown.identify(theirs);
    asio::ssl::context mine{asio::ssl::context::tls_client};
    if (trusted != nullptr) {
        trusted->vouch(mine);
    }
    net::server_options how;
    how.tls = &theirs;
    net::server server{on, running::echo(std::make_shared<running::seen>()), how};
    const std::string at = server.listen("mxp+tls://127.0.0.1:0").value();
    return asked(on, "mxp+tls://" + host + at.substr(at.rfind(':')),
                 trusted == nullptr ? nullptr : &mine, 60s, is_anybody);
}

void expect_refused(const ended& why, const std::string& text) {
    ASSERT_TRUE(why);
    EXPECT_EQ(why->status, mxp::session::status::FailedPrecondition) << to_string(*why);
    EXPECT_EQ(why->name, "not_connected");
    EXPECT_NE(why->text.find(text), std::string::npos) << why->text;
    EXPECT_FALSE(why->acted);
}

// No client here has set a verify mode.
TEST(tls, clients_look_at_chain_name_and_time_of_the_servers_certificate) {
    const certificate authority{"DNS:authority.example"};
    const certificate other{"DNS:authority.example"};
    const std::string both = "DNS:localhost,IP:127.0.0.1";
    const certificate good{both, &authority};
    EXPECT_EQ(asked_of(good, &authority, "localhost"), std::nullopt);
    EXPECT_EQ(asked_of(good, &authority, "127.0.0.1"), std::nullopt);
    expect_refused(asked_of(good, &other, "localhost"), "issuer");
    // Without a context the system's authorities are asked, who know nothing of it.
    expect_refused(asked_of(good, nullptr, "localhost"), "issuer");
    const certificate elsewhere{"DNS:elsewhere.example,IP:127.0.0.2", &authority};
    expect_refused(asked_of(elsewhere, &authority, "localhost"), "ostname mismatch");
    expect_refused(asked_of(elsewhere, &authority, "127.0.0.1"), "IP address mismatch");
    const certificate expired{both, &authority, -3600};
    expect_refused(asked_of(expired, &authority, "localhost"), "expired");
}

TEST(tls, dangerous_clients_talk_to_anybody) {
    const certificate authority{"DNS:authority.example"};
    const certificate expired{"DNS:elsewhere.example", &authority, -3600};
    EXPECT_EQ(asked_of(expired, nullptr, "localhost", true), std::nullopt);
    EXPECT_EQ(asked_of(expired, nullptr, "127.0.0.1", true), std::nullopt);
}

TEST(tls, a_client_without_a_certificate_is_refused_where_one_is_required) {
    asio::io_context on{1};
    secured mutual;
    mutual.server.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    mutual.shown.vouch(mutual.server);
    mutual.server.set_verify_callback(asio::ssl::host_name_verification{"localhost"});
    net::server_options how;
    how.tls = &mutual.server;
    net::server server{on, running::echo(std::make_shared<running::seen>()), how};
    const std::string at = server.listen("mxp+tls://localhost:0").value();
    const auto refused = asked(on, at, &mutual.client, 300ms);
    ASSERT_TRUE(refused);
    EXPECT_FALSE(refused->acted);
    mutual.shown.identify(mutual.client);
    EXPECT_FALSE(asked(on, at, &mutual.client, 60s));
}

/// How a client with a certificate fares at a server that asks for one of an authority, and lets
/// in whose certificate has a name.
ended asked_as(const certificate* shown, const certificate& authority,
               const certificate* revoked = nullptr) {
    asio::io_context on{1};
    secured mutual;
    mutual.server.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    authority.vouch(mutual.server);
    if (revoked != nullptr) {
        authority.revoke(*revoked, mutual.server);
    }
    if (shown != nullptr) {
        shown->identify(mutual.client);
    }
    net::server_options how;
    how.tls = &mutual.server;
    how.admit = [](const net::peer& who) {
        const auto& names = who.certificate.value().dns_names;
        const bool is_known = std::find(names.begin(), names.end(), "mixer.example") != names.end();
        return is_known ? std::nullopt : std::optional{net::failure{}};
    };
    net::server server{on, running::echo(std::make_shared<running::seen>()), how};
    const std::string at = server.listen("mxp+tls://localhost:0").value();
    return asked(on, at, &mutual.client, 60s);
}

TEST(tls, servers_look_at_chain_time_list_and_name_of_the_clients_certificate) {
    const certificate authority{"DNS:authority.example"};
    const certificate other{"DNS:authority.example"};
    const certificate good{"DNS:mixer.example", &authority};
    EXPECT_EQ(asked_as(&good, authority), std::nullopt);
    const certificate fellow{"DNS:mixer.example", &authority};
    EXPECT_EQ(asked_as(&good, authority, &fellow), std::nullopt);
    for (const auto& why : {asked_as(nullptr, authority), asked_as(&good, other),
                            asked_as(&good, authority, &good)}) {
        expect_refused(why, "TLS: ");
    }
    const certificate expired{"DNS:mixer.example", &authority, -3600};
    expect_refused(asked_as(&expired, authority), "TLS: ");
    const certificate elsewhere{"DNS:elsewhere.example", &authority};
    const auto refused = asked_as(&elsewhere, authority);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, mxp::session::status::PermissionDenied);
    EXPECT_EQ(refused->name, "not_admitted");
    EXPECT_FALSE(refused->acted);
}

TEST(tls, handlers_see_whose_certificate_it_is) {
    asio::io_context on{1};
    secured mutual;
    const certificate shown{
        "DNS:mixer.example,DNS:other.example,URI:spiffe://desk/mixer,email:mixer@example.org",
        &mutual.shown};
    mutual.server.set_verify_mode(asio::ssl::verify_peer);
    mutual.shown.vouch(mutual.server);
    std::vector<std::shared_ptr<const net::peer>> seen;
    net::services all;
    all.service(service).call(1, [&](const net::request& of, const net::responder& to) {
        seen.push_back(of.peer);
        to.respond(of.value);
    });
    net::server_options how;
    how.tls = &mutual.server;
    net::server server{on, std::move(all), how};
    const std::string at = server.listen("mxp+tls://localhost:0").value();
    EXPECT_FALSE(asked(on, at, &mutual.client, 60s));
    shown.identify(mutual.client);
    EXPECT_FALSE(asked(on, at, &mutual.client, 60s));
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0]->transport, "tls");
    EXPECT_EQ(seen[0]->address.find("mxp+tls://"), 0U);
    EXPECT_FALSE(seen[0]->certificate);
    ASSERT_TRUE(seen[1]->certificate);
    const net::certificate& whose = *seen[1]->certificate;
    using texts = std::vector<std::string>;
    EXPECT_EQ(whose.subject.find("CN=of the tests "), 0U) << whose.subject;
    EXPECT_EQ(whose.dns_names, (texts{"mixer.example", "other.example"}));
    EXPECT_EQ(whose.uris, texts{"spiffe://desk/mixer"});
    EXPECT_EQ(whose.emails, texts{"mixer@example.org"});
    EXPECT_EQ(whose.serial, shown.serial());
    EXPECT_EQ(whose.sha256.size(), 64U);
    EXPECT_EQ(whose.sha256.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(tls, a_certificate_that_is_replaced_is_shown_to_those_who_connect_later) {
    asio::io_context on{1};
    secured before;
    const secured after;
    net::server_options how;
    how.tls = &before.server;
    net::server server{on, running::echo(std::make_shared<running::seen>()), how};
    const std::string at = server.listen("mxp+tls://localhost:0").value();
    EXPECT_FALSE(asked(on, at, &before.client, 60s));
    after.shown.identify(before.server);
    EXPECT_TRUE(asked(on, at, &before.client, 300ms));
    asio::ssl::context later{asio::ssl::context::tls_client};
    after.shown.vouch(later);
    EXPECT_FALSE(asked(on, at, &later, 60s));
}

}  // namespace

}  // namespace tls_tests

#endif
