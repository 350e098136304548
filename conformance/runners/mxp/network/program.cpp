// A server or a client that does what lines say, in the simulation of sockets. The lines are
// described in conformance/README.md.
#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/streambuf.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mxp/net.hpp>
#include <mxp/net/announcement.hpp>
#include <mxp/net/draws.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace net = mxp::net;
using std::chrono::microseconds;

constexpr std::string_view load = "sim.Load";
enum method : std::uint16_t { call_method = 1, event_method, stream_method };

[[noreturn]] void die(const std::string& why) {
    std::fprintf(stderr, "network: %s\n", why.c_str());
    std::_Exit(3);
}

/// Tells the simulation something.
template <class... Words>
void say(const Words&... words) {
    std::ostringstream line;
    ((line << words << ' '), ...);
    const std::string text = line.str() + "\n";
    if (write(1, text.data(), text.size()) < 0) {
        die("nothing can be said");
    }
}

/// The words of a line, key=value.
using options = std::map<std::string, std::string>;

std::uint64_t number(const options& of, const std::string& key) {
    const auto found = of.find(key);
    return found == of.end() ? 0 : std::stoull(found->second);
}

/// The beginning of each value: which request it is, how long its handler works, and the bytes,
/// or the number of chunks, that are answered.
struct head {
    std::uint64_t id = 0;
    std::uint64_t work = 0;
    std::uint64_t reply = 0;
    std::uint64_t chunks = 0;

    static constexpr std::size_t size = 32;

    explicit head(const options& of)
        : id(number(of, "id")),
          work(number(of, "work")),
          reply(number(of, "reply")),
          chunks(number(of, "chunks")) {}
    explicit head(mxp::bytes_view from) {
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t b = 8; b-- > 0;) {
                auto& to = *std::vector<std::uint64_t*>{&id, &work, &reply, &chunks}[i];
                to = to << 8U | static_cast<std::uint64_t>(from[8 * i + b]);
            }
        }
    }

    [[nodiscard]] std::vector<std::byte> value(std::size_t bytes) const {
        std::vector<std::byte> made(size + bytes);
        std::size_t at = 0;
        for (const std::uint64_t field : {id, work, reply, chunks}) {
            for (unsigned b = 0; b < 8; ++b) {
                made[at++] = static_cast<std::byte>(field >> 8 * b);
            }
        }
        return made;
    }
};

class program {
   public:
    explicit program(asio::io_context& on) : context_(on), input_(on, ::dup(0)) {
        const char* folder = std::getenv("MXP_NETWORK");
        folder_ = folder == nullptr ? "/tmp" : folder;
        read();
    }

   private:
    void read();
    void follow(const std::string& line);
    void serve(const options& with);
    void shut_down(const options& with);
    void connect(const options& with);
    void announce(const options& with);
    void leave(const options& with);
    void ask(bool is_call, const options& with);
    void open(const options& with);
    void after(std::uint64_t us, std::function<void()> then);
    void send(net::stream on, std::uint64_t left, std::size_t size, std::uint64_t pause);
    void receive(const net::stream& on, std::uint64_t pause, std::function<void()> each);
    net::services services();

    asio::io_context& context_;
    asio::posix::stream_descriptor input_;
    asio::streambuf lines_;
    std::string folder_;
    std::map<std::string, std::unique_ptr<net::server>> servers_;
    std::unique_ptr<net::client> client_;
    std::optional<net::announcement> name_;
    /// Functions that take a request back, by its id; none, once it was.
    std::map<std::string, std::function<void()>> cancels_;
};

void program::read() {
    asio::async_read_until(input_, lines_, '\n',
                           [this](const std::error_code& failed, std::size_t) {
                               if (failed) {
                                   context_.stop();
                                   return;
                               }
                               std::istream in(&lines_);
                               std::string line;
                               std::getline(in, line);
                               follow(line);
                               read();
                           });
}

void program::follow(const std::string& line) {
    std::istringstream in(line);
    std::string verb;
    std::string word;
    in >> verb;
    options with;
    while (in >> word) {
        const std::size_t cut = word.find('=');
        with[word.substr(0, cut)] = word.substr(cut + 1);
    }
    if (verb == "serve") {
        serve(with);
    } else if (verb == "shutdown") {
        shut_down(with);
    } else if (verb == "client") {
        connect(with);
    } else if (verb == "announce") {
        announce(with);
    } else if (verb == "draw") {
        net::detail::draws::fixed = static_cast<double>(number(with, "part")) / 1e6;
    } else if (verb == "cancel") {
        std::exchange(cancels_.at(with.at("id")), nullptr)();
    } else if (verb == "leave") {
        leave(with);
    } else if (verb == "call" || verb == "event") {
        ask(verb == "call", with);
    } else if (verb == "open") {
        open(with);
    } else {
        die("no command " + verb);
    }
}

void program::after(std::uint64_t us, std::function<void()> then) {
    if (us == 0) {
        then();
        return;
    }
    const auto timer =
        std::make_shared<asio::steady_timer>(context_, microseconds{static_cast<std::int64_t>(us)});
    timer->async_wait([timer, then = std::move(then)](const std::error_code&) { then(); });
}

/// Sends chunks, each after the previous one has gone, with pauses; and then no more.
void program::send(net::stream on, std::uint64_t left, std::size_t size, std::uint64_t pause) {
    if (left == 0) {
        on.finish();
        return;
    }
    on.on_sent([this, on, left, size, pause] {
        after(pause, [this, on, left, size, pause] { send(on, left - 1, size, pause); });
    });
    on.send(std::vector<std::byte>(size));
}

/// Takes chunks, with pauses.
void program::receive(const net::stream& on, std::uint64_t pause, std::function<void()> each) {
    on.on_chunk([this, on, pause, each = std::move(each)](mxp::bytes_view) {
        each();
        if (pause > 0) {
            on.pause();
            after(pause, [on] { on.resume(); });
        }
    });
}

net::services program::services() {
    net::services made;
    made.service(std::string{load})
        .call(call_method,
              [this](const net::request& asked, const net::responder& by) {
                  const head of{asked.value};
                  say("begun call", of.id, asked.value.size() - head::size);
                  after(of.work, [of, by] {
                      say("done call", of.id);
                      if (of.chunks > 0) {
                          by.fail({mxp::session::status::InvalidArgument, "asked", "",
                                   std::vector<std::byte>(of.reply)});
                          return;
                      }
                      by.respond(of.value(of.reply));
                  });
              })
        .event(event_method,
               [](const net::request& asked) {
                   const head of{asked.value};
                   say("begun event", of.id, asked.value.size() - head::size);
                   if (of.work > 0) {  // a handler has ended when it returns
                       std::this_thread::sleep_for(
                           microseconds{static_cast<std::int64_t>(of.work)});
                   }
                   say("done event", of.id);
               })
        .stream(stream_method, [this](const net::request& asked, const net::stream& on) {
            const head of{asked.value};
            say("begun stream", of.id, asked.value.size() - head::size);
            on.on_end([of](const net::failure*) { say("done stream", of.id); });
            receive(on, of.work, [] {});
            on.on_finish([this, of, on] { send(on, of.chunks, of.reply, of.work); });
        });
    return made;
}

void program::serve(const options& with) {
    const std::string name = with.at("server");
    net::server_options how;
    how.memory_bytes = number(with, "memory_bytes");
    if (with.count("connection_bytes") > 0) {
        how.limits.connection_bytes = number(with, "connection_bytes");
    }
    if (with.count("in_flight") > 0) {
        how.limits.in_flight = number(with, "in_flight");
    }
    servers_[name] = std::make_unique<net::server>(context_, services(), std::move(how));
    const auto at = servers_[name]->listen("mxp+unix://" + folder_ + "/" + name + ".sock");
    if (!at) {
        die(at.error().text);
    }
}

std::chrono::milliseconds time_of(const options& with) {
    return std::chrono::milliseconds{static_cast<std::int64_t>(number(with, "us") / 1000)};
}

/// Says how what has begun now has ended: in time, or not.
auto ending(std::chrono::milliseconds most) {
    return [most, begun = std::chrono::steady_clock::now()] {
        return std::chrono::steady_clock::now() - begun < most ? "ok 1" : "deadline_exceeded 1";
    };
}

void program::shut_down(const options& with) {
    const std::string name = with.at("server");
    const std::chrono::milliseconds most = time_of(with);
    servers_[name]->drain("shutdown", most,
                          [name, left = ending(most)] { say("shut", name, left()); });
}

microseconds time_of(const options& with, const std::string& key) {
    return microseconds{static_cast<std::int64_t>(number(with, key))};
}

void program::connect(const options& with) {
    net::client_options how;
    how.keep_outliers = number(with, "keep_outliers") == 1;
    how.memory_bytes = number(with, "memory_bytes");
    how.batches = with.count("batches") == 0;
    if (with.count("connections") > 0) {
        how.connections = number(with, "connections");
    }
    if (with.count("connect_us") > 0) {
        how.connect_timeout = time_of(with, "connect_us");
    }
    if (with.count("in_flight_bytes") > 0) {
        how.limits.in_flight_bytes = number(with, "in_flight_bytes");
    }
    if (with.count("window_bytes") > 0) {
        how.window = number(with, "window_bytes");
    }
    if (with.count("connection_bytes") > 0) {
        how.limits.connection_bytes = number(with, "connection_bytes");
    }
    if (with.count("in_flight") > 0) {
        how.limits.in_flight = number(with, "in_flight");
    }
    if (with.count("attempts") > 0) {
        how.retry.emplace();
        how.retry->attempts = number(with, "attempts");
        how.retry->least_pause = time_of(with, "least_us");
        how.retry->greatest_pause = time_of(with, "greatest_us");
        how.retry->budget = static_cast<double>(number(with, "budget")) / 1e6;
        how.retry->timeout = time_of(with, "timeout_us");
        how.retry->hedge = time_of(with, "hedge_us");
    }
    std::vector<std::string> addresses;
    for (std::uint64_t n = 0; n < std::max<std::uint64_t>(number(with, "addresses"), 1); ++n) {
        addresses.push_back("mxp+unix://" + folder_ + "/client" + std::to_string(n + 1) + ".sock");
    }
    if (number(with, "node") == 1) {
        how.node = addresses[0];
    }
    if (with.count("address") > 0) {
        addresses = {with.at("address")};
    }
    if (addresses.size() == 1) {
        client_ =
            std::make_unique<net::client>(context_, std::string_view{addresses[0]}, std::move(how));
    } else {
        client_ = std::make_unique<net::client>(context_, addresses, std::move(how));
    }
}

/// Keeps a name at the node, and says each epoch and each loss.
void program::announce(const options& with) {
    net::client_options how;
    how.node = "mxp+unix://" + folder_ + "/client1.sock";
    mxp::registry::Registration asked;
    asked.name = with.at("name");
    asked.lease = number(with, "lease");
    name_.emplace(context_, std::move(asked), std::move(how),
                  [](std::uint64_t epoch, const net::failure* lost) {
                      if (lost == nullptr) {
                          say("held", epoch);
                      } else {
                          say("lost", lost->name);
                      }
                  });
}

void program::leave(const options& with) {
    const std::chrono::milliseconds most = time_of(with);
    client_->drain("shutdown", most, [left = ending(most)] { say("left", left()); });
}

/// The name of a failure, whether somebody may have acted, how much has come, and the status.
std::string verdict(const net::failure* why, std::uint64_t got) {
    const std::string much = std::to_string(got);
    if (why == nullptr) {
        return "ok 1 " + much + " 0";
    }
    return why->name + (why->acted ? " 1 " : " 0 ") + much + " " +
           std::to_string(static_cast<unsigned>(why->status));
}

void program::ask(bool is_call, const options& with) {
    const head of{with};
    auto value = of.value(number(with, "bytes"));
    const auto done = [this, of, is_call, id = with.at("id")](const net::answer& how) {
        if (!cancels_[id]) {
            return;
        }
        std::size_t got = 0;
        if (!how.failed && is_call) {
            if (how.value.size() < head::size || head{how.value}.id != of.id) {
                die("the answer is another's");
            }
            got = how.value.size() - head::size;
        }
        say(is_call ? "ended call" : "ended event", of.id,
            verdict(how.failed ? &*how.failed : nullptr, got));
    };
    std::uint64_t ticket = 0;
    if (is_call) {
        net::call_options how;
        how.deadline = time_of(with, "deadline");
        const net::method of_load{load, call_method, {}, number(with, "idempotent") == 1};
        ticket = client_->call(of_load, std::move(value), std::move(how), done);
    } else {
        net::event_options how;
        how.requires_ack = number(with, "ack") == 1;
        ticket = client_->event(load, event_method, std::move(value), std::move(how), done);
    }
    cancels_[with.at("id")] = [this, ticket] { client_->cancel(ticket); };
}

/// Opens a stream, sends its chunks with pauses, and takes the peer's, with pauses.
void program::open(const options& with) {
    const head of{with};
    const std::uint64_t pause = number(with, "pause");
    net::call_options how;
    how.deadline = time_of(with, "deadline");
    const auto named = with.find("service");
    const std::string_view service = named == with.end() ? load : std::string_view{named->second};
    const net::stream on =
        client_->open(service, stream_method, of.value(number(with, "bytes")), std::move(how));
    const auto got = std::make_shared<std::uint64_t>(0);
    receive(on, pause, [got] { ++*got; });
    on.on_end([this, of, got, id = with.at("id")](const net::failure* why) {
        if (cancels_[id]) {
            say("ended stream", of.id, verdict(why, *got));
        }
    });
    cancels_[with.at("id")] = [on] { on.cancel(); };
    send(on, number(with, "send"), number(with, "size"), pause);
}

}  // namespace

int main() {
    asio::io_context context{1};
    const program all{context};
    context.run();
    return 0;
}
