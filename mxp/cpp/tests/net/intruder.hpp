/// A peer that does what it likes.
#ifndef MXP_TESTS_NET_INTRUDER_HPP
#define MXP_TESTS_NET_INTRUDER_HPP

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mxp/mxp.hpp"
#include "mxp/session.hpp"
#include "raw_socket.hpp"
#include "running.hpp"

namespace running {

namespace ms = mxp::session;

/// A peer that sends any bytes.
class intruder {
   public:
    explicit intruder(const std::string& address, std::vector<std::string> services = {},
                      bool batches = false)
        : socket_(raw_socket::connected(address)),
          session_(limitless(std::move(services), batches), ms::role::opener, 0) {}
    /// Serves on a socket that was accepted.
    intruder(raw_socket accepted, std::vector<std::string> services, bool batches)
        : socket_(std::move(accepted)),
          session_(limitless(std::move(services), batches), ms::role::acceptor, 0) {}
    intruder(const intruder&) = delete;
    intruder& operator=(const intruder&) = delete;

    /// Behaves until requests can be made.
    intruder& greeted() {
        flush();
        while (!session_.ready() && read()) {
        }
        return *this;
    }

    /// Sends bytes; false if they can't be written for a while, or ever.
    bool send(const bytes& all) { return socket_.send(all); }

    /// Sends what the session has made.
    bool flush() {
        ms::batch all;
        session_.poll_batch(all, 0);
        bytes joined;
        all.each([&](mxp::bytes_view piece) {
            joined.insert(joined.end(), piece.begin(), piece.end());
        });
        return send(joined);
    }

    /// Takes what the session has made, to be sent by `send_some`.
    void queue_all() {
        ms::batch all;
        session_.poll_batch(all, 0);
        all.each([&](mxp::bytes_view piece) {
            waiting_->insert(waiting_->end(), piece.begin(), piece.end());
        });
    }
    /// Leaves so many bytes of it out.
    void cut(std::size_t n) { waiting_->resize(waiting_->size() - std::min(n, waiting_->size())); }
    /// Takes what another has made, who has asked for the same in the same order.
    void queue_as(const intruder& other) { waiting_ = other.waiting_; }
    /// Sends what can be sent at once; false if the connection is gone.
    bool send_some() {
        for (std::size_t before = sent_ + 1; sent_ < waiting_->size() && sent_ != before;) {
            before = sent_;
            if (!socket_.send_some(*waiting_, sent_)) {
                return false;
            }
        }
        return true;
    }

    /// Sends no more.
    void end() { socket_.finish(); }

    /// Reads once; false if no more comes.
    bool read(int most_ms = 10'000) {
        bytes room(65536);
        const std::size_t n = socket_.read(room, std::chrono::milliseconds{most_ms});
        if (n == 0) {
            return false;
        }
        mxp::bytes_view come{room.data(), n};
        while (const auto one = session_.receive(come, 0)) {
            if (const auto* ended = std::get_if<ms::in::ended>(&*one)) {
                ++ends[std::string{ended->why.name}];
            }
            if (const auto* taken = std::get_if<ms::in::acked>(&*one)) {
                acked[taken->id] = taken->chunk;
            }
            if (const auto* open = std::get_if<ms::in::open>(&*one)) {
                opened = open->id;
            }
            if (const auto* end = std::get_if<ms::in::end>(&*one)) {
                why = end->why.name;
            }
        }
        return true;
    }

    /// Reads until the server has said why it ends the session.
    std::string reason() {
        while (why.empty() && read()) {
        }
        return why;
    }

    ms::session& session() { return session_; }

    std::map<std::string, std::size_t> ends;
    /// The last chunks of streams that were acknowledged.
    std::map<std::uint64_t, std::uint64_t> acked;
    /// The stream that the peer has opened last.
    std::uint64_t opened = 0;
    std::string why;

   private:
    static ms::config limitless(std::vector<std::string> services, bool batches) {
        ms::config made;
        made.offers_batches = batches;
        made.services = std::move(services);
        made.limits.in_flight = 1U << 30;
        made.limits.in_flight_bytes = 1U << 30;
        made.limits.queue_bytes = 1U << 30;
        made.limits.bulk_bytes = 1U << 30;
        made.limits.ping_us = 0;
        return made;
    }

    raw_socket socket_;
    ms::session session_;
    std::shared_ptr<bytes> waiting_ = std::make_shared<bytes>();
    std::size_t sent_ = 0;
};

}  // namespace running

#endif  // MXP_TESTS_NET_INTRUDER_HPP
