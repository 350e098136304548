/// A node that answers as a test wants.
#ifndef MXP_TESTS_NET_LYING_NODE_HPP
#define MXP_TESTS_NET_LYING_NODE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mxp/agents.hpp"
#include "mxp/session.hpp"
#include "raw_socket.hpp"
#include "running.hpp"

namespace running {

/// It gives each registration the same lease, and knows of agents at one address, of which each
/// eighth answer lacks another quarter.
class lying_node {
   public:
    explicit lying_node(std::uint64_t lease, std::uint64_t agents = 0, std::string at = {})
        : lease_(lease), agents_(agents), at_(std::move(at)) {
        thread_ = std::thread([this] { run(); });
    }
    lying_node(const lying_node&) = delete;
    lying_node& operator=(const lying_node&) = delete;
    ~lying_node() {
        is_over_ = true;
        thread_.join();
    }

    [[nodiscard]] std::string address() const { return address_; }
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

    /// A client of the node.
    struct guest {
        raw_socket socket;
        std::unique_ptr<mxp::session::session> session;
    };

    void run() {
        using namespace std::chrono_literals;
        std::vector<guest> all;
        while (!is_over_) {
            if (raw_socket came = listener_.accept(all.empty() ? 20ms : 1ms)) {
                all.push_back(
                    {std::move(came), std::make_unique<mxp::session::session>(
                                          keeping_agents(), mxp::session::role::acceptor, 0)});
                flush(all.back());
            }
            all.erase(
                std::remove_if(all.begin(), all.end(), [this](guest& one) { return !serve(one); }),
                all.end());
        }
    }

    static void flush(const guest& to) {
        mxp::session::batch all;
        to.session->poll_batch(all, 0);
        all.each([&](mxp::bytes_view piece) { to.socket.send(piece); });
    }

    /// Serves what has come; false if the client is gone.
    bool serve(const guest& by) {
        bytes room(65536);
        if (!by.socket.has_news(std::chrono::milliseconds{1})) {
            return true;
        }
        const std::size_t n = by.socket.read(room, {});
        if (n == 0) {
            return false;
        }
        std::vector<std::pair<std::uint64_t, bytes>> answers;
        mxp::bytes_view come{room.data(), n};
        mxp::session::session& of = *by.session;
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
        flush(by);
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
    std::string address_ = folder_.at("node");
    std::uint64_t version_ = 0;
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<bool> was_wrong_{false};
    std::atomic<bool> is_over_{false};
    raw_socket listener_ = raw_socket::listening(address_);
    std::thread thread_{};
};

}  // namespace running

#endif  // MXP_TESTS_NET_LYING_NODE_HPP
