/// Scripts of clients: what each does is a line of the standard input.

#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/streambuf.hpp>
#include <chrono>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "demo.hpp"
#include "mxp/net/client.hpp"

namespace demo {

namespace {

namespace net = mxp::net;

using words = std::vector<std::string>;

/// A word that has to be a number.
unsigned long number(const std::string& word) { return std::stoul(word); }

std::chrono::milliseconds milliseconds(const std::string& word) {
    return std::chrono::milliseconds{number(word)};
}

/// A value: `x*500` has 500 bytes.
std::string value_of(const std::string& word) {
    const std::size_t star = word.find('*');
    if (star == std::string::npos) {
        return word;
    }
    std::string made;
    for (unsigned long count = number(word.substr(star + 1)); count > 0; --count) {
        made.append(word, 0, star);
    }
    return made;
}

net::call_options until(std::chrono::milliseconds deadline) {
    net::call_options made;
    made.deadline = deadline;
    return made;
}

net::client_options over_tls() {
    net::client_options made;
    made.tls = client_tls();
    return made;
}

/// A client, whose actions are done one after the other.
class script : public std::enable_shared_from_this<script> {
   public:
    script(asio::io_context& io, std::string number, const std::string& address,
           const std::string& actions)
        : number_(std::move(number)), client_(io, address, over_tls()), timer_(io) {
        std::istringstream all(actions);
        words action;
        for (std::string word; all >> word;) {
            if (word == ";") {
                actions_.push_back(std::move(action));
                action.clear();
            } else {
                action.push_back(word);
            }
        }
        actions_.push_back(std::move(action));
    }

    /// Does the next action, or ends.
    void next() {
        if (actions_.empty()) {
            client_.close();
            return say("closed");
        }
        const words action = std::move(actions_.front());
        actions_.pop_front();
        try {
            act(action);
        } catch (const std::exception&) {
            say("failed script refused " + action.at(0));
            later();
        }
    }

   private:
    void say(const std::string& result) { std::cout << number_ << ' ' << result << std::endl; }

    void say(const char* kind, mxp::bytes_view value) {
        const std::string text = text_of(value);
        say(kind + (' ' + std::to_string(text.size())) + ':' + text.substr(0, 40));
    }

    void say(const net::failure& why) {
        say("failed " + why.name + (why.acted ? " acted " : " refused ") + why.text);
    }

    /// Does the next action in a turn of its own.
    void later() {
        timer_.cancel();
        client_.post([self = shared_from_this()] { self->next(); });
    }

    void act(const words& action) {
        const std::string& kind = action.at(0);
        if (kind == "call") {
            call(action.at(1), action.at(2), milliseconds(action.at(3)), 1);
        } else if (kind == "calls") {
            call(action.at(2), action.at(3), milliseconds(action.at(4)), number(action.at(1)));
        } else if (kind == "cancel") {
            const std::uint64_t ticket =
                call(action.at(1), action.at(2), std::chrono::minutes{1}, 1);
            after(milliseconds(action.at(3)), [this, ticket] { client_.cancel(ticket); });
        } else if (kind == "stream") {
            stream(milliseconds(action.at(1)), {action.begin() + 2, action.end()});
        } else if (kind == "read") {
            read(milliseconds(action.at(1)), number(action.at(2)), milliseconds(action.at(3)));
        } else if (kind == "event") {
            event(value_of(action.at(1)), milliseconds(action.at(2)));
        } else if (kind == "post") {
            client_.event(service, tick, value_of(action.at(1)), {}, done("sent"));
        } else if (kind == "wait") {
            after(milliseconds(action.at(1)), [self = shared_from_this()] { self->next(); });
        } else {
            throw std::invalid_argument(kind);
        }
    }

    /// Calls a function after a time, unless the action has ended.
    template <class Function>
    void after(std::chrono::milliseconds time, Function then) {
        timer_.expires_after(time);
        timer_.async_wait([self = shared_from_this(), then](const std::error_code& error) {
            if (!error) {
                then();
            }
        });
    }

    /// Says what has come of something without a value.
    net::client::answer_handler done(const char* kind) {
        return [self = shared_from_this(), kind](const net::answer& reply) {
            reply.failed ? self->say(*reply.failed) : self->say(kind);
            self->later();
        };
    }

    /// Makes so many calls at once, and goes on when all have ended. The result is for `cancel`.
    std::uint64_t call(const std::string& method, const std::string& value,
                       std::chrono::milliseconds deadline, unsigned long count) {
        const auto left = std::make_shared<unsigned long>(count);
        std::uint64_t ticket = 0;
        for (; count > 0; --count) {
            ticket = client_.call(
                service, static_cast<std::uint16_t>(number(method)), value_of(value),
                until(deadline), [self = shared_from_this(), left](const net::answer& reply) {
                    reply.failed ? self->say(*reply.failed) : self->say("answered", reply.value);
                    if (--*left == 0) {
                        self->later();
                    }
                });
        }
        return ticket;
    }

    /// Sends an event whose Ack has to come in time.
    void event(const std::string& value, std::chrono::milliseconds deadline) {
        net::event_options options;
        options.requires_ack = true;
        const auto is_late = std::make_shared<bool>(false);
        const std::uint64_t ticket =
            client_.event(service, tick, value, options,
                          [self = shared_from_this(), is_late](const net::answer& reply) {
                              net::failure why = reply.failed.value_or(net::failure{});
                              if (*is_late && why.name == "cancelled") {
                                  why.name = "deadline_exceeded";
                              }
                              reply.failed ? self->say(why) : self->say("acked");
                              self->later();
                          });
        after(deadline, [this, ticket, is_late] {
            *is_late = true;
            client_.cancel(ticket);
        });
    }

    /// Has the end of a stream said, once.
    void says_end(const net::stream& opened) {
        opened.on_end([self = shared_from_this()](const net::failure* why) {
            why != nullptr ? self->say(*why) : self->say("ended");
            self->later();
        });
    }

    /// Sends values, and reads to the end.
    void stream(std::chrono::milliseconds deadline, const words& values) {
        const net::stream opened =
            client_.open(service, upper, std::string_view{}, until(deadline));
        opened.on_chunk(
            [self = shared_from_this()](mxp::bytes_view chunk) { self->say("chunk", chunk); });
        opened.on_finish([opened] { opened.finish_now(); });
        says_end(opened);
        for (const std::string& value : values) {
            opened.send(value_of(value));
        }
        opened.finish();
    }

    /// Reads so many chunks of a stream after a pause, and lets go of it.
    void read(std::chrono::milliseconds deadline, unsigned long count,
              std::chrono::milliseconds pause) {
        const net::stream opened =
            client_.open(service, upper, std::string_view{}, until(deadline));
        opened.pause();
        says_end(opened);
        const auto left = std::make_shared<unsigned long>(count);
        opened.on_chunk([self = shared_from_this(), opened, left](mxp::bytes_view chunk) {
            if (*left == 0) {
                return;
            }
            self->say("chunk", chunk);
            if (--*left == 0) {
                opened.on_end([self](const net::failure*) {
                    self->say("ended");
                    self->later();
                });
                opened.cancel();
            }
        });
        after(pause, [opened] { opened.resume(); });
    }

    std::string number_;
    net::client client_;
    asio::steady_timer timer_;
    std::deque<words> actions_;
};

/// Takes the next line, and those after it.
void read_lines(asio::io_context& io, asio::posix::stream_descriptor& from,
                asio::streambuf& buffer) {
    asio::async_read_until(from, buffer, '\n',
                           [&](const std::error_code& error, std::size_t /*bytes*/) {
                               if (error) {
                                   return;
                               }
                               std::istream text(&buffer);
                               std::string number;
                               std::string address;
                               std::string actions;
                               text >> number >> address;
                               std::getline(text, actions);
                               std::make_shared<script>(io, number, address, actions)->next();
                               read_lines(io, from, buffer);
                           });
}

}  // namespace

int run_scripts() {
    asio::io_context io{1};
    asio::posix::stream_descriptor from(io, dup(STDIN_FILENO));
    asio::streambuf buffer;
    read_lines(io, from, buffer);
    io.run();
    return 0;
}

}  // namespace demo
