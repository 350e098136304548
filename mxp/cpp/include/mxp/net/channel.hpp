/// Channels: values of fixed size through memory that two programs share, sent and taken without
/// allocation, lock or system call.
///
/// A channel is opened by a method that streams both ways, whose types have a fixed size, at a
/// server that listens on `mxp+shm`. It is a connection of its own, for two threads: nothing of it
/// needs Asio, and a thread that must not wait may have either end.
#ifndef MXP_NET_CHANNEL_HPP
#define MXP_NET_CHANNEL_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "channel_options.hpp"
#include "peer.hpp"
#include "request.hpp"
#include "sdp/nonblocking.hpp"
#include "sdp/sdp.hpp"
#include "standard.hpp"
#include "transport/shm/ends.hpp"
#include "transport/shm/record.hpp"

namespace mxp::net {

namespace detail {

/// How values of a type lie in a channel. Nobody names what is refused, so that nothing is
/// allocated.
template <class T>
struct channel_value {
    using shape = sdp::wire::top<typename T::sdp_codec>;
    static constexpr std::size_t bytes = shape::least;

    /// Writes a value, unless it has no encoding.
    [[nodiscard]] static bool put(const T& value, std::byte* output) noexcept {
        sdp::wire::writer w{output + bytes};
        const std::byte* const end = sdp::wire::write<shape>(w, output, value, 0);
        return !w.refused() && end == output + bytes;
    }
    /// Replaces a value by that of bytes, unless they are none.
    [[nodiscard]] static bool get(const std::byte* input, T& value) noexcept {
        const sdp::decode_options by{{}, false, nullptr};
        sdp::wire::decoder d{bytes, sdp::memory_factor<T>, by};
        sdp::wire::cursor s{input, input + bytes};
        return sdp::wire::read<shape>(d, s, value, 0) && s.empty();
    }
    [[nodiscard]] static shm::form form_by(delivery delivery) noexcept {
        return {delivery, static_cast<std::uint32_t>(bytes), sdp::fingerprint<T>};
    }
};

/// The opening of a method's channel, which both sides have to mean alike.
template <class Request, class Response>
[[nodiscard]] shm::open_request opening_of(const channel_method<Request, Response>& method,
                                           const channel_options& options) {
    return {std::string{method.service}, method.number,
            channel_value<Request>::form_by(options.requests),
            channel_value<Response>::form_by(options.responses)};
}

/// Opens a channel as bytes.
[[nodiscard]] outcome<shm::ends> open_ends(const method& method, std::string_view address,
                                           const shm::open_request& wish,
                                           const channel_options& options, standard = {});

}  // namespace detail

/// Looks after a channel's socket, from any thread that may ask the system. It does not keep the
/// channel open.
class channel_watcher {
   public:
    explicit channel_watcher(detail::shm::watch watch) noexcept : of_(std::move(watch)) {}

    /// Asks the system whether the other side is still there. From then on both ends know.
    [[nodiscard]] bool is_connected() const noexcept { return of_.is_connected(); }
    /// Closes the channel: neither end sends or receives any more.
    void close() const noexcept { of_.close(); }

   private:
    detail::shm::watch of_;
};

/// The end of a channel that sends values. One thread uses it at a time. A channel end that was
/// moved from can only be replaced.
template <class T>
class channel_sender {
   public:
    explicit channel_sender(detail::shm::sending_end end) noexcept : of_(std::move(end)) {}

    /// Sends a value: it neither waits nor allocates, takes no lock and makes no system call. Of
    /// `delivery::latest` it replaces what was sent before. A thread that sleeps at the other end
    /// is woken by `wake`.
    [[nodiscard]] send_status send(const T& value) noexcept SDP_NONBLOCKING {
        return of_.send(
            [&value](std::byte* output) { return detail::channel_value<T>::put(value, output); });
    }
    /// Why nothing more can be sent, as far as memory tells: it makes no system call. The death of
    /// a killed peer is found out by a waiting thread, and by a watcher.
    [[nodiscard]] channel_end closed() const noexcept SDP_NONBLOCKING { return of_.closed(); }
    /// Wakes the other side, if it sleeps until something is sent. That is a system call, and not
    /// for a thread that must not wait; where nobody sleeps it is none.
    void wake() noexcept { of_.wake(); }
    /// Waits for room: looks for a while, then sleeps. Tells whether there is room or the channel
    /// has ended. The sleep ends with the other side's `channel_receiver::wake`.
    [[nodiscard]] bool wait(std::chrono::microseconds timeout) noexcept {
        return of_.wait(timeout);
    }
    [[nodiscard]] channel_watcher watcher() const noexcept {
        return channel_watcher{of_.watcher()};
    }

   private:
    detail::shm::sending_end of_;
};

/// The end of a channel that receives values. One thread uses it at a time. A channel end that was
/// moved from can only be replaced.
template <class T>
class channel_receiver {
   public:
    explicit channel_receiver(detail::shm::receiving_end end) noexcept : of_(std::move(end)) {}

    /// Replaces a value by the next one, or with `delivery::latest` by the newest, if there is a
    /// new one. It never waits, allocates, locks or makes a system call. The value is checked like
    /// a decoded one; if the channel ends with `channel_end::value`, it may hold a part of the
    /// received value.
    [[nodiscard]] receive_status receive(T& value) noexcept SDP_NONBLOCKING {
        return of_.receive([&value](const std::byte* input) {
            return detail::channel_value<T>::get(input, value);
        });
    }
    /// Why nothing more can be taken, as far as memory tells: it makes no system call. The death of
    /// a killed peer is found out by a waiting thread, and by a watcher.
    [[nodiscard]] channel_end closed() noexcept SDP_NONBLOCKING { return of_.closed(); }
    /// Waits for a value: looks for a while, then sleeps. Tells whether there is one or the channel
    /// has ended. The sleep ends with the other side's `channel_sender::wake`; without a wake the
    /// thread looks every 100 ms, and when the time is over.
    [[nodiscard]] bool wait(std::chrono::microseconds timeout) noexcept {
        return of_.wait(timeout);
    }
    /// Wakes the other side, if it sleeps until there is room. That is a system call, and not for a
    /// thread that must not wait; where nobody sleeps it is none.
    void wake() noexcept { of_.wake(); }
    [[nodiscard]] channel_watcher watcher() const noexcept {
        return channel_watcher{of_.watcher()};
    }

   private:
    detail::shm::receiving_end of_;
};

/// A channel that sends values of type `S` and receives values of type `R`. Each of its ends may go
/// to a thread of its own; when both are gone the channel ends.
template <class S, class R>
struct channel {
    explicit channel(detail::shm::ends ends) noexcept
        : sender(std::move(ends.sending)), receiver(std::move(ends.receiving)) {}

    [[nodiscard]] channel_watcher watcher() const noexcept { return sender.watcher(); }

    channel_sender<S> sender;
    channel_receiver<R> receiver;
};

/// Opens a method as a channel at an address of `mxp+shm`, and waits for that. It needs no
/// `io_context`. It fails with `channel_unknown` where the server does not open the method so,
/// with `channel_form` where it means other values or deliveries, with `channel_memory` where a
/// side has no memory for it, and else with why there is no connection.
template <class Request, class Response>
[[nodiscard]] outcome<channel<Request, Response>>
open_channel(const channel_method<Request, Response>& method, std::string_view address,
             const channel_options& options = {}) {
    auto made = detail::open_ends(method, address, detail::opening_of(method, options), options);
    if (!made) {
        return failed_outcome{std::move(made.error())};
    }
    return channel<Request, Response>{std::move(*made)};
}

/// The methods that a server opens as channels, for clients that connect by `mxp+shm`. All are to
/// be there before it is used.
class channels {
   public:
    /// A method that is opened so.
    struct channel_service {
        detail::shm::open_request opening{};
        channel_options by{};
        std::function<void(detail::shm::ends, const peer&)> handler{};
    };

    /// Has a function take the channels of a method, with the peer that has opened each; the last
    /// function of a method counts. The function is called on the server's threads, several at a
    /// time, once the peer is let in: it is to hand the channel to a thread. The server counts the
    /// channel as a connection until both its ends are gone, and closes it when it drains.
    template <class Request, class Response, class Handler>
    channels& add(const channel_method<Request, Response>& method, const channel_options& options,
                  Handler handler) {
        using channel_type = channel<Response, Request>;
        channel_service one{detail::opening_of(method, options), options,
                            [tell = std::function<void(channel_type, const peer&)>{
                                 std::move(handler)}](detail::shm::ends ends, const peer& peer) {
                                tell(channel_type{std::move(ends)}, peer);
                            }};
        all_.insert_or_assign({one.opening.service, one.opening.method}, std::move(one));
        return *this;
    }

    /// The method that an opening is for, if both sides mean the same by it [MXP-18.13].
    [[nodiscard]] outcome<const channel_service*> find(const detail::shm::open_request& wish) const;

   private:
    std::map<std::pair<std::string, std::uint16_t>, channel_service> all_{};
};

}  // namespace mxp::net

#endif  // MXP_NET_CHANNEL_HPP
