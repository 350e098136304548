// Functions of users that throw: what they throw comes out of the context, and nothing else
// changes.
#include "running.hpp"

namespace throwing {

namespace {

namespace net = mxp::net;
using mxp::bytes_view;
using running::text_of;

using texts = std::vector<std::string>;
using several = sdp::span<const bytes_view>;

constexpr net::method ask{"demo.Odd", 1, "ask"};
constexpr net::method take{"demo.Odd", 2, "take"};
constexpr net::method give{"demo.Odd", 3, "give"};
constexpr net::method tell{"demo.Odd", 4, "tell"};
constexpr net::method tell_several{"demo.Odd", 5, "tell_several"};

struct odd final : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "odd"; }
};

/// Notes a value, and throws if that is odd.
void note(texts& in, bytes_view value) {
    in.push_back(text_of(value));
    if ((in.back().back() - '0') % 2 != 0) {
        throw odd{};
    }
}

[[nodiscard]] texts numbered(std::size_t n) {
    texts made;
    for (std::size_t i = 0; i < n; ++i) {
        made.push_back("message " + std::to_string(i));
    }
    return made;
}

/// A service of either side, whose handlers throw at odd values: 1 answers, 2 takes chunks, 3 gives
/// as many as it is asked for, 4 and 5 are events, of which 5 takes several.
void serve(net::services& to, texts& came) {
    to.service("demo.Odd")
        .call(ask,
              [&came](const net::request& asked, const net::responder& by) {
                  if (asked.value.size() == 1) {
                      by.respond(asked.value);
                  }
                  note(came, asked.value);
                  by.respond(asked.value);
              })
        .stream(take,
                [&came](const net::request&, const net::stream& end) {
                    end.on_chunk([&came](bytes_view chunk) { note(came, chunk); });
                    end.on_finish([end] {
                        end.finish();
                        throw odd{};
                    });
                    end.on_end([](const net::failure*) { throw odd{}; });
                })
        .stream(give,
                [](const net::request& asked, const net::stream& end) {
                    for (const std::string& one : numbered(std::stoul(text_of(asked.value)))) {
                        end.send(bytes_view{one});
                    }
                    end.finish();
                })
        .event(tell, [&came](const net::request& asked) { note(came, asked.value); })
        .events(tell_several,
                [&came](const net::request&, several values) -> std::optional<net::failure> {
                    for (const bytes_view one : values) {
                        came.push_back(text_of(one));
                    }
                    throw odd{};
                });
}

/// A server and a client on one thread, with batches and without.
class throwing : public testing::TestWithParam<bool> {
   protected:
    throwing() {
        net::services all;
        serve(all, came);
        all.service("demo.Front").call(1, [this](const net::request& of, const net::responder& to) {
            asker = of.client();
            to.respond(of.value);
        });
        server_how.batches = GetParam();
        server_how.on_failure = [this](const net::failure& why) { told.push_back(to_string(why)); };
        server.emplace(context, std::move(all), server_how);
        net::client_options how;
        how.batches = GetParam();
        serve(how.services, came);
        client.emplace(context, server->listen(folder.at("s")).value(), how);
    }
    ~throwing() override {
        EXPECT_EQ(server->connections(), 1U);
        EXPECT_TRUE(client->is_connected());
        EXPECT_EQ(lost, 0U);
    }
    /// Runs until something holds, and counts the exceptions of the context.
    bool until(const std::function<bool()>& holds) {
        for (;;) {
            try {
                return running::until(context, holds);
            } catch (const odd&) {
                ++thrown;
            }
        }
    }
    /// Runs until so many have come out of the context, and no more do.
    bool until_thrown(std::size_t n) {
        return until([&] { return thrown >= n; }) && thrown == n;
    }
    /// How a call ends.
    [[nodiscard]] std::string asked(net::client& by, std::string_view value) {
        std::optional<std::string> end;
        by.call(ask, value, {}, [&](const net::answer& of) {
            end = of.failed ? of.failed->name + ": " + of.failed->text : text_of(of.value);
            lost += of.failed && of.failed->name == "session_lost" ? 1U : 0U;
        });
        EXPECT_TRUE(until([&] { return end.has_value(); }));
        return end.value_or("");
    }
    /// The client that asks the client.
    [[nodiscard]] net::client& back() {
        client->call("demo.Front", 1, std::string_view{}, {}, {});
        EXPECT_TRUE(until([&] { return asker != nullptr; }));
        return *asker;
    }

    running::folder folder;
    asio::io_context context{1};
    texts came;
    texts told;
    std::size_t thrown = 0;
    std::size_t lost = 0;
    net::server_options server_how;
    std::optional<net::server> server;
    std::shared_ptr<net::client> asker;
    std::optional<net::client> client;
};

INSTANTIATE_TEST_SUITE_P(batches, throwing, testing::Bool());

TEST_P(throwing, handlers_of_events_are_told_all_that_follow) {
    const texts all = numbered(500);
    for (net::client* const by : {&*client, &back()}) {
        came.clear();
        thrown = 0;
        for (const std::string& one : all) {
            by->event(tell, bytes_view{one}, {}, {});
        }
        EXPECT_TRUE(until([&] { return came.size() == all.size(); }));
        EXPECT_EQ(came, all);
        EXPECT_TRUE(until_thrown(250));
    }
    EXPECT_EQ(told.size(), 250U);
    EXPECT_NE(told[0].find("the handler threw: odd"), std::string::npos) << told[0];
}

TEST_P(throwing, handlers_of_several_events_are_told_all_that_follow) {
    const texts all = numbered(2'000);
    for (net::client* const by : {&*client, &back()}) {
        came.clear();
        for (const std::string& one : all) {
            by->event(tell_several, bytes_view{one}, {}, {});
        }
        EXPECT_TRUE(until([&] { return came.size() == all.size(); }));
        EXPECT_EQ(came, all);
    }
}

TEST_P(throwing, handlers_of_events_with_an_ack_have_failed) {
    net::event_options acked;
    acked.requires_ack = true;
    texts ends;
    for (const char* const one : {"1", "2"}) {
        client->event(tell, std::string_view{one}, acked, [&](const net::answer& of) {
            ends.push_back(of.failed ? of.failed->name + ": " + of.failed->text : "taken");
        });
    }
    EXPECT_TRUE(until([&] { return ends.size() == 2; }));
    EXPECT_EQ(ends, (texts{"internal: the handler threw", "taken"}));
    EXPECT_TRUE(until_thrown(1));
}

TEST_P(throwing, handlers_of_calls_answer_internal) {
    for (net::client* const by : {&*client, &back()}) {
        thrown = 0;
        EXPECT_EQ(asked(*by, "no 1"), "internal: the handler threw");
        EXPECT_TRUE(until_thrown(1));
        EXPECT_EQ(asked(*by, "no 2"), "no 2");
        // An answer that was given before stays.
        EXPECT_EQ(asked(*by, "3"), "3");
        EXPECT_TRUE(until_thrown(2));
    }
    EXPECT_EQ(told.size(), 2U);
}

TEST_P(throwing, readers_of_streams_are_told_all_that_follows) {
    const texts all = numbered(1'000);
    for (net::client* const by : {&*client, &back()}) {
        came.clear();
        thrown = 0;
        std::optional<std::string> end;
        const net::stream stream = by->open(take, std::string_view{}, {});
        std::size_t sent = 0;
        stream.on_sent([&] {
            ++sent;
            throw odd{};
        });
        stream.on_end([&](const net::failure* why) { end = why == nullptr ? "" : why->name; });
        for (const std::string& one : all) {
            stream.send(bytes_view{one});
        }
        stream.finish();
        EXPECT_TRUE(until([&] { return end.has_value(); }));
        EXPECT_EQ(end, "");
        EXPECT_EQ(came, all);
        // Each odd chunk, that no more come, and that it has ended.
        EXPECT_GT(sent, 0U);
        EXPECT_TRUE(until_thrown(500 + 2 + sent));
    }
}

TEST_P(throwing, clients_that_read_streams_are_told_all_that_follows) {
    const texts all = numbered(1'000);
    for (net::client* const by : {&*client, &back()}) {
        for (const bool has_several : {false, true}) {
            texts back_here;
            thrown = 0;
            std::optional<std::string> end;
            const net::stream stream = by->open(give, std::string_view{"1000"}, {});
            std::size_t calls = 0;
            if (has_several) {
                stream.on_chunks([&](several chunks) {
                    for (const bytes_view one : chunks) {
                        back_here.push_back(text_of(one));
                    }
                    ++calls;
                    throw odd{};
                });
            } else {
                stream.on_chunk([&](bytes_view chunk) { note(back_here, chunk); });
            }
            stream.on_end([&](const net::failure* why) { end = why == nullptr ? "" : why->name; });
            stream.finish();
            EXPECT_TRUE(until([&] { return end.has_value(); }));
            EXPECT_EQ(end, "");
            EXPECT_EQ(back_here, all);
            EXPECT_TRUE(until_thrown(has_several ? calls : 500U));
        }
    }
}

TEST_P(throwing, who_asks_is_told_every_answer) {
    for (net::client* const by : {&*client, &back()}) {
        thrown = 0;
        std::size_t answers = 0;
        for (std::size_t i = 0; i < 300; ++i) {
            by->call(ask, std::string_view{"even 0"}, {}, [&](const net::answer& of) {
                EXPECT_FALSE(of.failed);
                ++answers;
                throw odd{};
            });
        }
        EXPECT_TRUE(until([&] { return answers == 300; }));
        EXPECT_TRUE(until_thrown(300));
    }
}

TEST_P(throwing, what_is_asked_for_chunks_ends_its_stream) {
    std::string end;
    const net::stream stream = client->open(take, std::string_view{}, {});
    stream.on_end([&](const net::failure* why) { end = why == nullptr ? "fine" : why->name; });
    stream.send_all([n = 0]() mutable -> std::optional<mxp::session::value> {
        if (++n == 3) {
            throw odd{};
        }
        return mxp::session::value{bytes_view{std::string_view{"even 0"}}};
    });
    EXPECT_TRUE(until([&] { return !end.empty(); }));
    EXPECT_EQ(end, "internal");
    EXPECT_EQ(asked(*client, "no 2"), "no 2");
}

TEST_P(throwing, a_handler_that_opens_a_stream_answers_internal) {
    net::services all;
    all.service("demo.Front")
        .stream(2, [](const net::request&, const net::stream&) { throw odd{}; })
        .call(3, [](const net::request& of, const net::responder& to) { to.respond(of.value); });
    texts seen;
    all.intercept([&](net::incoming_request& of) {
        of.on_end([&](net::answer_end& how) {
            seen.push_back(how.failed ? how.failed->name : "fine");
            throw odd{};
        });
        if (of.request.value.size() == 1) {
            throw odd{};
        }
    });
    net::server other{context, std::move(all)};
    net::client user{context, other.listen(folder.at("other")).value()};
    texts ends;
    for (const char* const value : {"", "x"}) {
        user.open("demo.Front", 2, std::string_view{value}, {})
            .on_end([&](const net::failure* why) { ends.push_back(why ? why->name : "fine"); });
        user.call("demo.Front", 3, std::string_view{value}, {}, [&](const net::answer& of) {
            ends.push_back(of.failed ? of.failed->name : "fine");
        });
    }
    EXPECT_TRUE(until([&] { return ends.size() == 4; }));
    EXPECT_EQ(ends, (texts{"internal", "fine", "internal", "internal"}));
    EXPECT_EQ(seen, ends);
    // Two of handlers and interceptors before them, and one of each end; three handlers were not
    // left.
    EXPECT_TRUE(until_thrown(3 + 4));
    EXPECT_EQ(asked(*client, "no 2"), "no 2");
}

TEST_P(throwing, many_requests_that_are_given_up_are_all_told) {
    net::client nowhere{context, folder.at("nobody")};
    std::size_t failed = 0;
    for (int i = 0; i < 10; ++i) {
        nowhere.call(ask, std::string_view{}, {}, [&](const net::answer& of) {
            failed += of.failed ? 1U : 0U;
            throw odd{};
        });
    }
    nowhere.close();
    EXPECT_TRUE(until([&] { return failed == 10; }));
    EXPECT_TRUE(until_thrown(10));
    EXPECT_EQ(asked(*client, "no 2"), "no 2");
}

}  // namespace

}  // namespace throwing
