/// A transport of this program alone: pipes in memory.
#ifndef MXP_TESTS_NET_PIPES_HPP
#define MXP_TESTS_NET_PIPES_HPP

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mxp/net/transports.hpp"
#include "running.hpp"

namespace running {

/// The bytes of one direction, a bounded number of which wait, and the handlers that wait for them.
/// All pipes of a context are used on one thread.
struct pipe {
    using handler = net::byte_stream::handler;
    static constexpr std::size_t capacity = 100'000;

    explicit pipe(asio::io_context& on) : io(on) {}

    asio::io_context& io;
    bytes waiting{};
    bool is_finished = false;
    bool is_closed = false;
    std::shared_ptr<handler> reader{};
    std::shared_ptr<handler> writer{};
    std::optional<net::pieces> unwritten{};
    std::weak_ptr<handler> watcher{};

    std::size_t add(const net::pieces& of) {
        std::size_t n = 0;
        for (const asio::const_buffer& one : of) {
            const auto* const from = static_cast<const std::byte*>(one.data());
            const std::size_t more = std::min(one.size(), capacity - waiting.size());
            waiting.insert(waiting.end(), from, from + more);
            n += more;
        }
        return n;
    }
    template <class Function>
    void tell(const std::shared_ptr<handler>& whom, Function what) {
        asio::post(io, [whom, what] { whom->turns()->run([whom, what] { what(*whom); }); });
    }
    /// Tells waiting handlers the current bytes or room.
    void wake() {
        if (reader && !waiting.empty()) {
            tell(std::exchange(reader, nullptr),
                 [come = std::exchange(waiting, {})](handler& of) { of.on_bytes(come); });
        } else if (reader && (is_finished || is_closed)) {
            tell(std::exchange(reader, nullptr), [](handler& of) { of.on_lost(asio::error::eof); });
        }
        if (writer && is_closed) {
            tell(std::exchange(writer, nullptr),
                 [](handler& of) { of.on_unwritten(asio::error::broken_pipe); });
        } else if (writer && waiting.size() < capacity) {
            const std::size_t n = add(*unwritten);
            tell(std::exchange(writer, nullptr), [n](handler& of) { of.on_written(n, true); });
            wake();
        }
        if (const auto there = watcher.lock(); there && is_closed) {
            watcher.reset();
            tell(there, [](handler& of) { of.on_hang_up(); });
        }
    }
    void close() {
        is_closed = true;
        wake();
    }
};

/// An end of two pipes.
class pipe_end final : public net::byte_stream {
   public:
    pipe_end(std::shared_ptr<pipe> in, std::shared_ptr<pipe> out, net::peer who)
        : in_(std::move(in)), out_(std::move(out)), peer_(std::move(who)) {}
    ~pipe_end() override { close(); }

    [[nodiscard]] net::peer peer() const override { return peer_; }
    void read(std::shared_ptr<handler> owner) override {
        in_->reader = std::move(owner);
        in_->wake();
    }
    void watch(std::weak_ptr<handler> owner) override {
        in_->watcher = std::move(owner);
        in_->wake();
    }
    std::size_t write(const net::pieces& of, std::shared_ptr<handler> owner) override {
        const std::size_t n = out_->is_closed ? 0 : out_->add(of);
        if (n == 0) {
            out_->writer = std::move(owner);
            out_->unwritten = of;
        }
        out_->wake();
        return n;
    }
    void finish(std::shared_ptr<handler> /*owner*/) override {
        out_->is_finished = true;
        out_->wake();
    }
    void close() override {
        in_->reader.reset();
        in_->watcher.reset();
        out_->writer.reset();
        in_->close();
        out_->close();
    }

   private:
    std::shared_ptr<pipe> in_;
    std::shared_ptr<pipe> out_;
    net::peer peer_;
};

/// Pipes to a listener at a path of this program. Its peers have the user that it is given.
class pipes final : public net::transport {
   public:
    explicit pipes(net::user_id user) : user_(std::move(user)) {}

    [[nodiscard]] net::address_form form() const override { return net::address_form::path; }
    [[nodiscard]] net::protection protects() const override { return {true, false}; }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const net::address& at,
                                             const net::client_options& /*options*/,
                                             dial_handler then) override {
        const auto is_over = std::make_shared<bool>(false);
        asio::post(io, [this, &io, at, is_over, then] {
            const auto found = listeners_.find(at.path);
            if (*is_over || found == listeners_.end()) {
                net::failure why;
                why.text = "nobody listens";
                then(net::failed_outcome{std::move(why)});
                return;
            }
            const auto there = std::make_shared<pipe>(io);
            const auto back = std::make_shared<pipe>(io);
            const net::peer who{to_string(at), at.scheme, net::process{user_, {}, {}}, {}};
            found->second(std::make_unique<pipe_end>(there, back, who));
            then(std::make_unique<pipe_end>(back, there, who));
        });
        return [is_over] { *is_over = true; };
    }

    [[nodiscard]] net::attempt<net::listener> listen(asio::io_context& /*io*/,
                                                     const net::address& at,
                                                     const net::server_options& /*options*/,
                                                     accept_handler then) override {
        if (!listeners_.emplace(at.path, std::move(then)).second) {
            return net::failed_attempt{
                {std::make_error_code(std::errc::address_in_use), at.path + " is listened on"}};
        }
        return net::listener{to_string(at), [this, path = at.path] { listeners_.erase(path); }};
    }

   private:
    net::user_id user_;
    std::map<std::string, accept_handler> listeners_{};
};

/// Registers pipes of this user as `mxp+tube`, and pipes of another user as `mxp+stranger`.
inline void register_pipes() {
    static const bool is_done = [] {
        net::register_transport("tube", std::make_shared<pipes>(own_user()));
        net::register_transport("stranger", std::make_shared<pipes>(other_user()));
        return true;
    }();
    static_cast<void>(is_done);
}

}  // namespace running

#endif  // MXP_TESTS_NET_PIPES_HPP
