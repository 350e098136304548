/// A server and a client that have many values at once.
#ifndef MXP_TESTS_NET_MANY_HPP
#define MXP_TESTS_NET_MANY_HPP

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mxp/agents.hpp"
#include "running.hpp"

namespace many_values {

namespace net = mxp::net;
using mxp::bytes_view;
using mxp::registry::Lease;
using mxp::registry::Query;
using running::text_of;
using running::until;

inline constexpr const char* service = "demo.Many";
inline constexpr net::method take{service, 1, "take"};
inline constexpr net::method echo{service, 2, "echo"};
inline constexpr net::method hold{service, 3, "hold"};
inline constexpr net::method told{service, 4, "told"};
inline constexpr net::method sum{service, 5, "sum"};

using texts = std::vector<std::string>;
using several = sdp::span<const bytes_view>;

[[nodiscard]] inline texts numbered(std::size_t n) {
    texts made;
    for (std::size_t i = 0; i < n; ++i) {
        made.push_back("message " + std::to_string(i));
    }
    return made;
}

[[nodiscard]] inline std::vector<bytes_view> views_of(const texts& all) {
    return {all.begin(), all.end()};
}

/// Gives what a list has, one after the other, for `send_all`.
[[nodiscard]] inline std::function<std::optional<mxp::session::value>()> giving(texts all) {
    return [all = std::make_shared<texts>(std::move(all)),
            i = std::size_t{0}]() mutable -> std::optional<mxp::session::value> {
        if (i == all->size()) {
            return std::nullopt;
        }
        return mxp::session::value{bytes_view{(*all)[i++]}};
    };
}

/// A server and a client of it on one thread. Its methods: 1 takes chunks and gives back how many
/// came, 2 gives each back, several at a time, 3 takes nothing until it is resumed, 4 are events of
/// which several are told at once, 5 adds numbers, of which several are told at once.
class many : public testing::Test {
   protected:
    void begin() {
        services.service(service, net::types_of<Lease>())
            .stream(take, net::flowing_handler{[this](const net::request&, const net::stream& end) {
                        end.on_chunk([this](bytes_view chunk) { came.push_back(text_of(chunk)); });
                        end.on_finish([end] { end.finish(); });
                        end.on_end([this](const net::failure* why) { note(why); });
                    }})
            .stream(echo, net::flowing_handler{[](const net::request&, const net::stream& end) {
                        end.on_chunks([end](several chunks) { end.send_batch(chunks); });
                        end.on_finish([end] { end.finish(); });
                    }})
            .stream(hold, net::flowing_handler{[this](const net::request&, const net::stream& end) {
                        end.pause();
                        end.on_chunks([this](several chunks) {
                            for (const bytes_view one : chunks) {
                                came.push_back(text_of(one));
                            }
                            sizes.push_back(chunks.size());
                        });
                        end.on_finish([end] { end.finish(); });
                        held = end;
                    }})
            .events(
                told,
                [this](const net::request& asked, several values) -> std::optional<net::failure> {
                    EXPECT_EQ(asked.method, 4U);
                    sizes.push_back(values.size());
                    for (const bytes_view one : values) {
                        came.push_back(text_of(one));
                    }
                    return came.back() == "no" ? std::optional{named("unwanted")} : std::nullopt;
                })
            .stream(sum, net::flowing_handler{[this](const net::request&, const net::stream& end) {
                        const net::client_stream<Lease, Lease> of{end};
                        const auto all = std::make_shared<std::uint64_t>(0);
                        of.on_values([this, all](sdp::span<Lease> some) {
                            sizes.push_back(some.size());
                            for (const Lease& one : some) {
                                *all += one.lease;
                            }
                            added = *all;
                        });
                        of.on_finish([of, all] { of.respond({*all}); });
                        of.on_end([this](const net::failure* why) { note(why); });
                    }});
        server.emplace(context, std::move(services), server_how);
        address = server->listen(folder.at("s")).value();
        client.emplace(context, address, client_how);
    }
    [[nodiscard]] static net::failure named(const char* name) {
        net::failure why;
        why.name = name;
        return why;
    }
    void note(const net::failure* why) { ended = why == nullptr ? "fine" : why->name; }
    /// Opens a stream whose end is noted, and that collects what comes.
    [[nodiscard]] net::stream open(const net::method& of) {
        auto made = client->open(of, bytes_view{}, {});
        made.on_chunks([this](several chunks) {
            sizes.push_back(chunks.size());
            for (const bytes_view one : chunks) {
                back.push_back(text_of(one));
            }
        });
        made.on_end(
            [this](const net::failure* why) { here = why == nullptr ? "fine" : why->name; });
        return made;
    }
    [[nodiscard]] bool until_over() {
        return until(context, [&] { return !here.empty(); });
    }

    running::folder folder;
    asio::io_context context{1};
    net::services services;
    net::server_options server_how;
    net::client_options client_how;
    std::string address;
    std::optional<net::server> server;
    std::optional<net::client> client;
    std::optional<net::stream> held;
    texts came;
    texts back;
    std::vector<std::size_t> sizes;
    std::string here;
    std::string ended;
    std::uint64_t added = 0;
};

}  // namespace many_values

#endif  // MXP_TESTS_NET_MANY_HPP
