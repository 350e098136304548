/// Calls for threads that run no `io_context`.
#ifndef MXP_NET_BLOCKING_HPP
#define MXP_NET_BLOCKING_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../engine/packed_values.hpp"
#include "../session/stats.hpp"
#include "address.hpp"
#include "agent.hpp"
#include "interceptors.hpp"
#include "logger.hpp"
#include "request.hpp"
#include "sdp/span.hpp"
#include "shm_options.hpp"
#include "standard.hpp"

namespace mxp::net {

using engine::packed_values;

class request_observer;

struct blocking_options {
    /// The types that the services reach which are used, so that the peer can compare them.
    std::vector<session::type> types{};
    std::size_t payload_bytes = mxp::payload_bytes;
    /// Whether small chunks and events that wait go into one frame, in both directions, where the
    /// peer takes that: nothing waits for it [MXP-17].
    bool batches = true;
    session::limits limits{};
    session::observer* observer = nullptr;
    /// Is told of each request, around its interceptors, under the names of OpenTelemetry. There
    /// may be nobody.
    std::shared_ptr<request_observer> telemetry{};
    /// See every request before it is made: the first is the first to see it, and the last to be
    /// told how it ended.
    std::vector<outgoing_interceptor> interceptors{};
    /// How many bytes may be on their way to the reader of a stream. The peer can send no chunk of
    /// more than half of it.
    std::size_t window = 2 << 20;
    /// The longest wait of a request for a connection. A failure that no later attempt can mend
    /// ends the wait at once.
    std::chrono::microseconds connect_timeout{session::connect_us};
    /// Is told of connections that are made and lost, and of those without shared memory. There
    /// may be none.
    net::logger logger{};
    /// When requests that have failed are made again; never, if it says nothing [MXP-14.8].
    std::optional<retry_policy> retry{};
    /// The longest time of a request without a deadline, and of each step of a stream without one.
    std::chrono::microseconds patience{std::chrono::seconds{10}};
    shm_options shm{};
};

/// The answer to a call, in memory of its own.
struct reply {
    std::vector<std::byte> value{};
    net::metadata metadata{};
};

struct blocking_caller;

namespace detail {
struct blocking_link;
}  // namespace detail

/// One end of a stream of a blocking client, which has to outlive it. It is cancelled with its
/// handle, unless both sides have finished.
class blocking_stream {
   public:
    blocking_stream(blocking_stream&& source) noexcept
        : caller_(std::exchange(source.caller_, nullptr)), state_(std::move(source.state_)) {}
    blocking_stream& operator=(blocking_stream&& source) noexcept {
        std::swap(caller_, source.caller_);
        std::swap(state_, source.state_);
        return *this;
    }
    ~blocking_stream() { cancel(); }

    /// Sends a chunk, and waits until the peer has granted it. With `until_finished` it does not
    /// wait, and sends nothing, once the peer has finished.
    outcome<void> write(bytes_view chunk, bool until_finished = false);
    /// Sends several chunks, as `write` does each, and writes those at once that are granted.
    outcome<void> write_batch(sdp::span<const bytes_view> chunks, bool until_finished = false);
    /// Sends no more.
    outcome<void> finish();
    /// Waits for a chunk; it is nothing if the peer has finished.
    outcome<std::optional<std::vector<std::byte>>> read();
    /// Waits for a chunk, and has all told that have come, in their order, at most 256. They are
    /// lent until the function returns. The result is how many: none if the peer has finished.
    outcome<std::size_t> read_batch(const std::function<void(sdp::span<const bytes_view>)>& sink);
    /// Ends the stream at once.
    void cancel();

    /// A failure to send or to read a value, with the method, the address and the time of the
    /// stream.
    [[nodiscard]] failure explained(failure why) const;

   private:
    friend struct blocking_caller;
    friend struct detail::blocking_link;
    class link_scope;
    struct state;

    blocking_stream(blocking_caller& caller, std::shared_ptr<state> core)
        : caller_(&caller), state_(std::move(core)) {}

    [[nodiscard]] outcome<void> wait(std::chrono::steady_clock::time_point deadline);
    [[nodiscard]] outcome<bool> queue(bytes_view chunk, bool until_finished);
    [[nodiscard]] outcome<bool> await_chunk();
    [[nodiscard]] failed_outcome refused(failure why) const {
        return failed_outcome{explained(std::move(why))};
    }
    void took(std::size_t messages, std::size_t n);
    void end_if_finished();

    blocking_caller* caller_;
    std::shared_ptr<state> state_;
};

/// Talks to one address over a transport that has blocking connections, as unix sockets, shared
/// memory and TCP. It connects when something is asked for, and again after the connection was
/// lost. A request that the peer has not acted on, since it takes no more requests or its
/// connection is lost, is made again on the next connection [MXP-14.6]. One thread uses it at a
/// time, and while none does, the peer's Pings are not answered. Options that can't be fail every
/// request with InvalidArgument.
class blocking_client {
   public:
    explicit blocking_client(const address& address, blocking_options options = {},
                             detail::standard = {});
    /// A text that is no address fails every request with `address_invalid`.
    explicit blocking_client(std::string_view address, blocking_options options = {},
                             detail::standard = {});
    blocking_client(const blocking_client&) = delete;
    blocking_client& operator=(const blocking_client&) = delete;
    ~blocking_client();

    /// Makes a call, and waits for its answer.
    outcome<reply> call(const method& method, bytes_view value, call_options options = {});
    outcome<reply> call(std::string_view service, std::uint16_t method, bytes_view value,
                        const call_options& options = {});

    /// Sends an event, and waits until it was written, or taken if it requires an Ack.
    outcome<reply> event(const method& method, bytes_view value, event_options options = {});
    outcome<reply> event(std::string_view service, std::uint16_t method, bytes_view value,
                         const event_options& options = {});

    /// Sends events, as `event` does one after the other, until one fails. Where no Ack is asked
    /// for, and nobody looks at each, they are written together, and small ones share frames where
    /// the peer takes that.
    outcome<void> events(const method& method, const packed_values& values,
                         event_options options = {});

    /// Opens a stream; one that `is_final` sends nothing but its first value. Others can be opened
    /// beside it, and calls be made.
    outcome<blocking_stream> open(const method& method, bytes_view value, call_options options = {},
                                  bool is_final = false);

    /// Makes this program known by a name, with its capabilities, and returns the time that the
    /// lease lasts. It ends with the connection.
    outcome<std::chrono::microseconds> register_agent(std::string_view name,
                                                      const std::vector<std::string>& capabilities,
                                                      std::chrono::microseconds lease);
    /// Renews a lease, and returns how long it lasts.
    outcome<std::chrono::microseconds> heartbeat(std::string_view name);
    /// Finds the agents that can do something, or all if it is empty.
    outcome<std::vector<agent>> discover(std::string_view capability);

    /// The counters of its requests by their methods, and of repeated requests.
    [[nodiscard]] session::statistics stats() const;

    /// A failure of a request that was not made.
    [[nodiscard]] failure explained(const method& method, failure why) const;

   private:
    std::unique_ptr<blocking_caller> all_;
};

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_HPP
