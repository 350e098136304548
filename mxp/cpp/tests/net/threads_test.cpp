// Clients that several threads use, and servers that several threads run: for ThreadSanitizer, too.
#include <array>
#include <atomic>
#include <mutex>

#include "certificates.hpp"
#include "mxp/net/strand.hpp"
#include "running.hpp"

using running::bytes;
using running::text_of;
namespace net = mxp::net;
namespace ms = mxp::session;
using namespace std::chrono_literals;

namespace threads {

namespace {

constexpr const char* service = "demo.Echo";

/// A context that several threads run.
class pool {
   public:
    explicit pool(int threads) : works_(context.get_executor()) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { context.run(); });
        }
    }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;
    ~pool() { stop(); }
    void stop() {
        works_.reset();
        for (auto& one : threads_) {
            if (one.joinable()) {
                one.join();
            }
        }
    }

    asio::io_context context;

   private:
    asio::executor_work_guard<asio::io_context::executor_type> works_;
    std::vector<std::thread> threads_;
};

/// Waits until something holds, which another thread sees to.
bool comes(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + running::patience * 30s;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// Answers by threads of its own, and has all handlers of a connection count up.
class answering {
   public:
    answering() {
        for (auto& one : threads_) {
            one = std::thread{[this] { work(); }};
        }
    }
    answering(const answering&) = delete;
    answering& operator=(const answering&) = delete;
    ~answering() {
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            is_over_ = true;
        }
        for (auto& one : threads_) {
            one.join();
        }
    }

    [[nodiscard]] net::services services() {
        net::services all;
        all.service(service)
            .call(1,
                  [this](const net::request& asked, const net::responder& to) {
                      to.on_cancel([this] { ++cancelled; });
                      const std::lock_guard<std::mutex> lock{mutex_};
                      waiting_.emplace_back(to, text_of(asked.value));
                  })
            .call(2, [](const net::request& asked,
                        const net::responder& to) { to.respond(asked.value); })
            .stream(3,
                    [](const net::request&, const net::stream& end) {
                        end.on_chunk([end](mxp::bytes_view chunk) { end.send(chunk); });
                        end.on_finish([end] { end.finish(); });
                    })
            .event(4, [this](const net::request&) { ++events; });
        return all;
    }

    std::atomic<int> events{0};
    std::atomic<int> cancelled{0};

   private:
    void work() {
        for (;;) {
            std::optional<std::pair<net::responder, std::string>> one;
            {
                const std::lock_guard<std::mutex> lock{mutex_};
                if (is_over_) {
                    waiting_.clear();
                    return;
                }
                if (!waiting_.empty()) {
                    one.emplace(std::move(waiting_.back()));
                    waiting_.pop_back();
                }
            }
            if (!one) {
                std::this_thread::sleep_for(1ms);
            } else if (one->second != "drop") {
                one->first.respond(one->second);
            }
        }
    }

    std::mutex mutex_;
    bool is_over_ = false;
    std::vector<std::pair<net::responder, std::string>> waiting_;
    std::array<std::thread, 2> threads_;
};

class over_threads : public testing::TestWithParam<std::string> {};

TEST_P(over_threads, clients_and_servers_are_used_at_once) {
    running::folder folder;
    answering by;
    pool there{3};
    pool here{2};
    net::server_options serving;
    net::client_options asking;
    std::string at = folder.at("s");
#if defined(MXP_TLS)
    serving.tls = &running::the_certificate().server;
    asking.tls = &running::the_certificate().client;
#endif
    if (GetParam() != "unix") {
        at = "mxp+" + GetParam() + "://localhost:0";
    }
    net::server server{there.context, by.services(), serving};
    at = server.listen(at).value();
    std::atomic<int> answered{0};
    std::atomic<int> failed{0};
    std::atomic<int> wrong{0};
    std::atomic<int> ended{0};
    std::atomic<bool> is_inside{false};
    constexpr int users = 4;
    constexpr int rounds = 60;
    {
        net::client client{here.context, at, asking};
        const auto work = [&](int user) {
            for (int i = 0; i < rounds; ++i) {
                const std::string text = std::to_string(user) + "." + std::to_string(i) +
                                         std::string(i % 10 == 0 ? 20'000U : 10U, 'x');
                const auto then = [&, text](const net::answer& came) {
                    wrong += is_inside.exchange(true) ? 1 : 0;
                    came.failed ? ++failed : ++answered;
                    wrong += !came.failed && text_of(came.value) != text ? 1 : 0;
                    is_inside = false;
                };
                client.call(service, i % 2 == 0 ? 1 : 2, text, {}, then);
                net::event_options acked;
                acked.requires_ack = i % 2 == 0;
                client.event(service, 4, text, acked, [](const net::answer&) {});
                const auto ticket = client.call(service, 1, std::string_view{"drop"}, {},
                                                [](const net::answer&) {});
                const net::stream stream = client.open(service, 3, std::string_view{}, {});
                const auto size = std::make_shared<std::size_t>(0);
                stream.on_chunk([size](mxp::bytes_view chunk) { *size += chunk.size(); });
                stream.on_end([&, size](const net::failure* why) {
                    wrong += why != nullptr || *size != 3000 ? 1 : 0;
                    ++ended;
                });
                for (int k = 0; k < 3; ++k) {
                    stream.send(std::string(1000, 's'));
                }
                static_cast<void>(stream.unsent() + (stream.is_over() ? 1U : 0U));
                stream.finish();
                client.cancel(ticket);
                static_cast<void>(client.is_connected());
                static_cast<void>(client.stats().calls.count() + server.stats().held_bytes);
            }
        };
        std::vector<std::thread> all;
        for (int user = 0; user < users; ++user) {
            all.emplace_back(work, user);
        }
        for (auto& one : all) {
            one.join();
        }
        EXPECT_TRUE(comes([&] { return answered + failed == users * rounds; }));
        EXPECT_TRUE(comes([&] { return ended == users * rounds; }));
        EXPECT_TRUE(comes([&] { return by.events == users * rounds; }));
        client.close();
        here.stop();
    }
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(wrong, 0);
    std::promise<void> drained;
    server.drain("over", running::patience * 30s, [&] { drained.set_value(); });
    EXPECT_EQ(drained.get_future().wait_for(running::patience * 30s), std::future_status::ready);
    EXPECT_EQ(server.connections(), 0U);
    there.stop();
}

INSTANTIATE_TEST_SUITE_P(each, over_threads, testing::ValuesIn(running::sockets()),
                         [](const auto& one) { return one.param; });

// The order in which one thread asks is that in which handlers begin [MXP-7.10].
TEST(threads, leave_nothing_behind_that_a_context_has_not_come_to) {
    std::weak_ptr<int> left;
    {
        asio::io_context context;
        const auto turns = std::make_shared<net::detail::strand>(context);
        const auto kept = std::make_shared<int>(7);
        left = kept;
        // A function that waits, since another thread has the strand.
        turns->run([&] { std::thread{[&] { turns->run([turns, kept] {}); }}.join(); });
    }
    EXPECT_TRUE(left.expired());
}

TEST(threads, keep_the_order_of_each) {
    running::folder folder;
    pool there{3};
    pool here{2};
    std::mutex mutex;
    std::map<char, int> last;
    std::atomic<int> wrong{0};
    std::atomic<int> came{0};
    std::atomic<bool> is_inside{false};
    net::services all;
    const auto take = [&](const net::request& asked) {
        wrong += is_inside.exchange(true) ? 1 : 0;
        const std::string text = text_of(asked.value);
        {
            const std::lock_guard<std::mutex> lock{mutex};
            const int n = std::stoi(text.substr(1));
            wrong += n != last[text[0]]++ ? 1 : 0;
        }
        is_inside = false;
        ++came;
    };
    all.service(service).event(1, take).call(
        2, [take](const net::request& asked, const net::responder& to) {
            take(asked);
            to.respond(asked.value);
        });
    net::server server{there.context, std::move(all)};
    const auto at = server.listen(folder.at("s")).value();
    net::client client{here.context, at};
    std::vector<std::thread> users;
    constexpr int rounds = 300;
    for (const char user : {'a', 'b', 'c'}) {
        users.emplace_back([&client, user] {
            for (int i = 0; i < rounds; ++i) {
                const std::string text = user + std::to_string(i);
                if (i % 3 == 0) {
                    client.call(service, 2, text, {}, [](const net::answer&) {});
                } else {
                    client.event(service, 1, text, {}, [](const net::answer&) {});
                }
            }
        });
    }
    for (auto& one : users) {
        one.join();
    }
    EXPECT_TRUE(comes([&] { return came == 3 * rounds; })) << came;
    EXPECT_EQ(wrong, 0);
    client.close();
    server.close();
    here.stop();
    there.stop();
}

}  // namespace

}  // namespace threads
