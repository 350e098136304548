/// A node that answers as a test wants.
#ifndef MXP_TESTS_NET_LYING_NODE_HPP
#define MXP_TESTS_NET_LYING_NODE_HPP

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mxp/agents.hpp"
#include "mxp/session.hpp"
#include "running.hpp"

namespace running {

/// It gives each registration the same lease, and knows of agents at one address, of which each
/// eighth answer lacks another quarter.
class lying_node {
   public:
    explicit lying_node(std::uint64_t lease, std::uint64_t agents = 0, std::string at = {})
        : lease_(lease), agents_(agents), at_(std::move(at)) {
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        std::strncpy(to.sun_path, path_.c_str(), sizeof to.sun_path - 1);
        listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
        EXPECT_EQ(::listen(listener_, 16), 0);
        thread_ = std::thread([this] { run(); });
    }
    lying_node(const lying_node&) = delete;
    lying_node& operator=(const lying_node&) = delete;
    ~lying_node() {
        is_over_ = true;
        thread_.join();
        ::close(listener_);
    }

    [[nodiscard]] std::string address() const { return "mxp+unix://" + path_; }
    /// Registrations, heartbeats and queries.
    [[nodiscard]] std::uint64_t asked() const { return asked_; }
    /// Whether a query said another version than the last answer.
    [[nodiscard]] bool was_wrong() const { return was_wrong_; }

   private:
    static mxp::session::config keeping_agents() {
        mxp::session::config made;
        made.takes_agents = true;
        return made;
    }

    void run() {
        std::map<int, std::unique_ptr<mxp::session::session>> all;
        while (!is_over_) {
            std::vector<pollfd> polled{{listener_, POLLIN, 0}};
            for (const auto& [socket, one] : all) {
                polled.push_back({socket, POLLIN, 0});
            }
            ::poll(polled.data(), static_cast<nfds_t>(polled.size()), 20);
            if ((polled.front().revents & POLLIN) != 0) {
                const int socket = ::accept(listener_, nullptr, nullptr);
                all.emplace(socket, std::make_unique<mxp::session::session>(
                                        keeping_agents(), mxp::session::role::acceptor, 0));
                flush(socket, *all[socket]);
            }
            for (std::size_t i = 1; i < polled.size(); ++i) {
                const int socket = polled[i].fd;
                if (polled[i].revents != 0 && !serve(socket, *all[socket])) {
                    ::close(socket);
                    all.erase(socket);
                }
            }
        }
        for (const auto& [socket, one] : all) {
            ::close(socket);
        }
    }

    static void flush(int socket, mxp::session::session& of) {
        mxp::session::batch all;
        of.poll_batch(all, 0);
        all.each([&](mxp::bytes_view piece) {
            std::size_t at = 0;
            while (at < piece.size()) {
                const ssize_t n =
                    ::send(socket, piece.data() + at, piece.size() - at, MSG_NOSIGNAL);
                if (n <= 0) {
                    return;
                }
                at += static_cast<std::size_t>(n);
            }
        });
    }

    bool serve(int socket, mxp::session::session& of) {
        bytes room(65536);
        const ssize_t n = ::recv(socket, room.data(), room.size(), 0);
        if (n <= 0) {
            return false;
        }
        std::vector<std::pair<std::uint64_t, bytes>> answers;
        mxp::bytes_view come{room.data(), static_cast<std::size_t>(n)};
        while (const auto one = of.receive(come, 0)) {
            namespace in = mxp::session::in;
            mxp::registry::Lease lease;
            lease.lease = lease_;
            lease.epoch = 1;
            if (const auto* registration = std::get_if<in::registration>(&*one)) {
                answers.emplace_back(registration->id, net::encoded_response(lease).value());
            } else if (const auto* heartbeat = std::get_if<in::heartbeat>(&*one)) {
                answers.emplace_back(heartbeat->id, net::encoded_response(lease).value());
            } else if (const auto* query = std::get_if<in::discovery>(&*one)) {
                answers.emplace_back(query->id, listing(query->asked->version));
            }
        }
        for (auto& [id, value] : answers) {
            ++asked_;
            EXPECT_TRUE(of.respond(id, std::move(value), 0));
        }
        flush(socket, of);
        return true;
    }

    bytes listing(std::uint64_t version) {
        was_wrong_ = was_wrong_ || version != version_;
        mxp::registry::Agents made;
        made.version = ++version_;
        for (std::uint64_t i = 0; i < agents_; ++i) {
            if (i % 4 != version_ / 8 % 4) {
                mxp::registry::Agent one;
                one.name = "agent-" + std::to_string(i);
                one.addresses = {"mxp+nothing:///x", at_};
                made.agents.push_back(std::move(one));
            }
        }
        return net::encoded_response(made).value();
    }

    std::uint64_t lease_;
    std::uint64_t agents_;
    std::string at_;
    folder folder_{};
    std::string path_ = folder_.in("node");
    std::uint64_t version_ = 0;
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<bool> was_wrong_{false};
    std::atomic<bool> is_over_{false};
    int listener_ = -1;
    std::thread thread_{};
};

}  // namespace running

#endif  // MXP_TESTS_NET_LYING_NODE_HPP
