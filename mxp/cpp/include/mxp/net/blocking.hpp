/// Calls for threads that run no `io_context`.
#ifndef MXP_NET_BLOCKING_HPP
#define MXP_NET_BLOCKING_HPP

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "address.hpp"
#include "request.hpp"

namespace mxp::net {

struct blocking_options {
    /// What the services that are used reach, so that the peer can compare it.
    std::vector<session::type> types{};
    std::size_t payload_bytes = mxp::payload_bytes;
    session::limits limits{};
    session::observer* observer = nullptr;
    /// How long a request may take that has no deadline.
    std::chrono::microseconds patience{std::chrono::seconds{10}};
};

/// The answer to a call, in memory of its own.
struct reply {
    std::vector<std::byte> value{};
    net::metadata metadata{};
};

/// Talks to one address over a unix socket or TCP. It connects when something is asked for, and
/// again after the connection was lost. One thread uses it at a time, and while none does, the
/// peer's Pings are not answered.
class blocking_client {
   public:
    explicit blocking_client(address at, blocking_options how = {})
        : at_(std::move(at)), how_(std::move(how)) {}
    blocking_client(const blocking_client&) = delete;
    blocking_client& operator=(const blocking_client&) = delete;
    ~blocking_client() { drop(); }

    /// Makes a call, and waits for its answer.
    outcome<reply> call(std::string_view service, std::uint16_t method, bytes_view value,
                        const call_options& how = {}) {
        const auto beside = refer(how.metadata);
        session::request asked;
        asked.method = method;
        asked.trace = how.trace;
        asked.metadata = beside;
        return ask(service, how.deadline, [&](std::uint16_t number, std::uint64_t left) {
            asked.service = number;
            asked.deadline = how.deadline.count() > 0 ? left : 0;
            return session_->call(asked, value, now());
        });
    }

    /// Sends an event, and waits until it was written, or taken if it requires an Ack.
    outcome<reply> event(std::string_view service, std::uint16_t method, bytes_view value,
                         const event_options& how = {}) {
        const auto beside = refer(how.metadata);
        session::request asked;
        asked.method = method;
        asked.trace = how.trace;
        asked.metadata = beside;
        return ask(service, std::chrono::microseconds{0}, [&](std::uint16_t number, std::uint64_t) {
            asked.service = number;
            auto id = session_->event(asked, how.requires_ack, how.full, value, now());
            if (id && !how.requires_ack) {
                id = 0;
            }
            return id;
        });
    }

   private:
    using clock = std::chrono::steady_clock;
    using failed = mxp::unexpected_of<failure>;

    /// How much is read at once.
    static constexpr std::size_t read_bytes = 65536;

    /// How a request that was made has ended.
    struct ending {
        bool has_ended = false;
        std::variant<reply, failure> how{};
    };

    [[nodiscard]] std::uint64_t now() const {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - born_).count());
    }

    /// Makes a request on a connection that is there by then, and waits for its end. An id of 0
    /// is that of what has no end but to be written.
    template <class Make>
    outcome<reply> ask(std::string_view service, std::chrono::microseconds deadline, Make make);

    [[nodiscard]] outcome<reply> late();
    [[nodiscard]] bool connect(clock::time_point until);
    [[nodiscard]] bool open();
    [[nodiscard]] bool open_unix();
    [[nodiscard]] bool open_tcp();
    void turn(clock::time_point until);
    [[nodiscard]] bool write();
    void read();
    void tell(bytes_view come);
    void lose();
    void drop();

    template <class Event>
    void handle(const Event& /*of*/) {}
    void handle(const session::in::ready& of);
    void handle(const session::in::response& of);
    void handle(const session::in::ended& of);
    void handle(const session::in::acked& of);
    void handle(const session::in::draining& /*of*/) { is_draining_ = true; }

    address at_;
    blocking_options how_;
    clock::time_point born_{clock::now()};
    std::unique_ptr<session::session> session_;
    std::map<std::string, std::uint16_t, std::less<>> numbers_;
    int socket_ = -1;
    bool is_draining_ = false;
    std::string trouble_{"not connected"};
    session::batch batch_;
    std::vector<iovec> pieces_;
    std::vector<std::byte> unread_;
    /// The request that is waited for.
    std::uint64_t id_ = 0;
    ending ending_;
};

template <class Make>
outcome<reply> blocking_client::ask(std::string_view service, std::chrono::microseconds deadline,
                                    Make make) {
    const auto until = clock::now() + (deadline.count() > 0 ? deadline : how_.patience);
    if (!connect(until)) {
        return failed{failure_of(session::kind::deadline_exceeded, trouble_)};
    }
    const auto number = numbers_.find(service);
    if (number == numbers_.end()) {
        return failed{failure_of(session::kind::service_unknown)};
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(until - clock::now()).count();
    const auto id =
        make(number->second, static_cast<std::uint64_t>(std::max<std::int64_t>(left, 1)));
    if (!id) {
        return failed{failure_of(id.error())};
    }
    id_ = *id;
    ending_ = {};
    const bool is_written_only = id_ == 0;
    while (!ending_.has_ended) {
        if (!session_ || !write()) {
            if (ending_.has_ended) {
                break;
            }
            return failed{failure_of(session::kind::lost, trouble_)};
        }
        if (is_written_only && pieces_.empty()) {
            return reply{};
        }
        if (clock::now() >= until) {
            return late();
        }
        turn(until);
    }
    if (auto* const why = std::get_if<failure>(&ending_.how)) {
        return failed{std::move(*why)};
    }
    return std::get<reply>(std::move(ending_.how));
}

/// Takes back what has taken too long.
inline outcome<reply> blocking_client::late() {
    failure why = failure_of(session::kind::deadline_exceeded);
    if (id_ != 0) {
        static_cast<void>(session_->cancel(id_, now()));
        tell({});
        if (const auto* const ended = std::get_if<failure>(&ending_.how)) {
            why.acted = ended->acted;
        }
        static_cast<void>(write());
    }
    return failed{std::move(why)};
}

/// Sees to it that requests can be made.
inline bool blocking_client::connect(clock::time_point until) {
    std::chrono::microseconds pause{0};
    if (session_) {
        // What came while nobody looked, for instance that the peer is gone.
        turn(clock::now());
    }
    for (;;) {
        if (session_ && is_draining_) {
            drop();
        }
        if (session_ && session_->ready()) {
            return true;
        }
        if (clock::now() >= until) {
            return false;
        }
        if (session_) {
            turn(until);
        } else if (!open()) {
            std::this_thread::sleep_until(std::min(clock::now() + pause, until));
            pause = std::min(std::max(2 * pause, std::chrono::microseconds{5'000}),
                             std::chrono::microseconds{1'000'000});
        }
    }
}

/// Waits for one thing to happen, and does what follows.
inline void blocking_client::turn(clock::time_point until) {
    if (!write()) {
        return;
    }
    std::uint64_t left = 0;
    const auto passed = clock::now();
    if (until > passed) {
        left = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(until - passed).count());
    }
    if (const auto due = session_->next_timeout()) {
        left = std::min(left, *due > now() ? *due - now() : 0);
    }
    pollfd what{socket_, 0, 0};
    if (!session_->is_deaf()) {
        what.events |= POLLIN;
        left = unread_.empty() ? left : 0;
    }
    if (!pieces_.empty()) {
        what.events |= POLLOUT;
    }
    // Rounded up, so as not to come too early again and again.
    const std::uint64_t most = 60'000;
    const int n = ::poll(&what, 1, static_cast<int>(std::min((left + 999) / 1000, most)));
    session_->tick(now());
    tell({});
    const bool has_come = n > 0 && (what.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    if (has_come || (!unread_.empty() && !session_->is_deaf())) {
        read();
    }
}

/// Hands bytes to the session, and looks at what it tells.
inline void blocking_client::tell(bytes_view come) {
    while (const auto one = session_->receive(come, now())) {
        std::visit([this](const auto& of) { handle(of); }, *one);
    }
    if (!come.empty()) {
        unread_.assign(come.begin(), come.end());
    }
}

/// Ends what is left of a connection that is gone.
inline void blocking_client::lose() {
    session_->lost(now());
    tell({});
    drop();
}

/// Closes the socket, and forgets what it was for.
inline void blocking_client::drop() {
    if (socket_ >= 0) {
        const int kept = errno;
        ::close(std::exchange(socket_, -1));
        errno = kept;
    }
    session_.reset();
    numbers_.clear();
    pieces_.clear();
    batch_.clear();
    unread_.clear();
}

inline void blocking_client::handle(const session::in::ready& of) {
    std::uint16_t number = 0;
    for (const auto& one : of.services) {
        numbers_.emplace(one.name(), number);
        if (number++ == 0xffff) {
            break;
        }
    }
}

inline void blocking_client::handle(const session::in::response& of) {
    if (of.id == id_) {
        reply came;
        came.value.assign(of.value.begin(), of.value.end());
        for (const auto& one : of.metadata) {
            came.metadata.emplace_back(
                one.key(), std::vector<std::byte>{one.value().begin(), one.value().end()});
        }
        ending_ = {true, std::move(came)};
    }
}

inline void blocking_client::handle(const session::in::ended& of) {
    if (of.id == id_) {
        ending_ = {true, failure_of(of.why)};
    }
}

inline void blocking_client::handle(const session::in::acked& of) {
    if (of.id == id_) {
        ending_ = {true, reply{}};
    }
}

}  // namespace mxp::net

#include "blocking_socket.hpp"

#endif  // MXP_NET_BLOCKING_HPP
