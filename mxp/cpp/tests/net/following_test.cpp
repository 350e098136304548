// The deadlines and traces that handlers pass on with requests, and the metadata of answers.
#include "mxp/agents.hpp"
#include "mxp/net/request_parts.hpp"
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;
using mxp::registry::Lease;

namespace following {

namespace {

constexpr const char* service = "demo.Following";
constexpr net::method half{service, 1, "half"};
constexpr net::method note{service, 2, "note"};

/// The trace, the deadline and the metadata that came with a request.
struct seen {
    explicit seen(const net::request& of)
        : trace(of.trace), deadline(of.deadline), metadata(net::detail::owned(of.metadata)) {}

    std::optional<mxp::session::trace_context> trace;
    std::uint64_t deadline;
    net::metadata metadata;
};

net::metadata of_text(const std::string& key, const std::string& text) {
    const auto* const from = reinterpret_cast<const std::byte*>(text.data());
    return {{key, {from, from + text.size()}}};
}

/// Halves numbers, and says so beside the answer; odd ones it passes on, less one.
struct halves {
    void half(const net::request& asked, Lease value, net::replier<Lease> to) {
        came.emplace_back(asked);
        if (value.lease % 2 == 0) {
            to.respond({value.lease / 2}, of_text("by", "two"));
            return;
        }
        net::event_options noted;
        net::send(*next, following::note, value, {}, noted.following(asked));
        net::call<Lease>(
            *next, following::half, Lease{value.lease - 1},
            [to](const net::outcome<Lease>& got) { to.respond(got.value()); },
            how.following(asked));
    }
    std::optional<net::failure> note(const net::request& asked, Lease) {
        came.emplace_back(asked);
        return std::nullopt;
    }

    net::client* next = nullptr;
    net::call_options how;
    std::vector<seen> came;
};

class passed_on : public testing::Test {
   protected:
    void ask(net::call_options with) {
        net::services all;
        all.service(service)
            .call(1, net::handler_of(by, &halves::half))
            .event(2, net::handler_of(by, &halves::note));
        net::server server{context, std::move(all)};
        const auto at = server.listen(folder.at("s")).value();
        net::client client{context, at};
        by->next = &client;
        std::optional<std::uint64_t> got;
        net::call<Lease>(
            client, following::half, Lease{9},
            [&](const net::outcome<Lease>& told) { got = told.value().lease; }, std::move(with));
        EXPECT_TRUE(until(context, [&] { return got.has_value(); }));
        EXPECT_EQ(got, 4U);
        ASSERT_EQ(by->came.size(), 3U);
    }

    running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<halves> by = std::make_shared<halves>();
};

TEST_F(passed_on, are_deadline_trace_and_tracestate) {
    net::call_options with;
    with.deadline = 10s;
    with.trace.emplace();
    with.trace->id[3] = 7;
    with.trace->parent = 8;
    with.trace->flags = 1;
    with.metadata = of_text("tracestate", "a=1");
    with.metadata.emplace_back("user", std::vector<std::byte>(1));
    ask(with);
    EXPECT_EQ(by->came[0].metadata.size(), 2U);
    for (const std::size_t i : {1U, 2U}) {
        EXPECT_EQ(by->came[i].trace, with.trace);
        EXPECT_EQ(by->came[i].metadata, of_text("tracestate", "a=1"));
    }
    EXPECT_EQ(by->came[1].deadline, 0U) << "events have none";
    EXPECT_GT(by->came[2].deadline, 0U);
    EXPECT_LE(by->came[2].deadline, 10'000'000U);
}

TEST_F(passed_on, is_no_deadline_that_is_later_nor_what_the_user_says_otherwise) {
    net::call_options with;
    with.deadline = 60s;
    with.trace.emplace();
    with.metadata = of_text("tracestate", std::string(513, 'x'));
    by->how.deadline = 5s;
    by->how.trace.emplace();
    by->how.trace->parent = 99;
    ask(with);
    EXPECT_TRUE(by->came[1].metadata.empty()) << "it is too long";
    EXPECT_LE(by->came[2].deadline, 5'000'000U);
    EXPECT_EQ(by->came[2].trace->parent, 99U);
}

TEST_F(passed_on, is_nothing_that_did_not_come) {
    ask({});
    EXPECT_EQ(by->came[2].deadline, 0U);
    EXPECT_FALSE(by->came[2].trace);
}

TEST(metadata_of_answers, is_told_typed_clients) {
    running::folder folder;
    asio::io_context context{1};
    net::services all;
    const auto by = std::make_shared<halves>();
    all.service(service).call(1, net::handler_of(by, &halves::half));
    net::server server{context, std::move(all)};
    const auto at = server.listen(folder.at("s")).value();
    std::vector<net::metadata> told;
    net::call_options how;
    how.on_metadata = [&](net::metadata came) { told.push_back(std::move(came)); };
    bool has_ended = false;
    {
        net::client client{context, at};
        net::call<Lease>(
            client, half, Lease{2},
            [&](const net::outcome<Lease>& got) {
                EXPECT_TRUE(got);
                EXPECT_EQ(told.size(), 1U);
                has_ended = true;
            },
            how);
        EXPECT_TRUE(until(context, [&] { return has_ended; }));
    }
    std::atomic<bool> is_done{false};
    std::thread asking{[&] {
        net::blocking_client client{at};
        EXPECT_TRUE(net::call<Lease>(client, half, Lease{2}, how));
        is_done = true;
    }};
    EXPECT_TRUE(until(context, [&] { return is_done.load(); }));
    asking.join();
    EXPECT_EQ(told, std::vector<net::metadata>(2, of_text("by", "two")));
}

}  // namespace

}  // namespace following
