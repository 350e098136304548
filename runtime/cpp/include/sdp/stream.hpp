/// Streams of messages: one message in message mode behind the other [WIRE-11.1].
#ifndef SDP_STREAM_HPP
#define SDP_STREAM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codec.hpp"
#include "header.hpp"
#include "io.hpp"
#include "limits.hpp"
#include "preamble.hpp"
#include "result.hpp"
#include "span.hpp"
#include "spec_gen.hpp"

namespace sdp {

namespace wire {

/// The dispatch of a reader of messages of one type.
template <class M>
struct dispatch {
    /// The refusal of a type id that isn't one of them.
    [[nodiscard]] static std::optional<error> refuse(std::uint16_t id) {
        return id == type_id<M> ? std::nullopt : std::optional{another_type_id()};
    }

    /// The layout text that preambles are held against.
    [[nodiscard]] static std::optional<std::string> layout(std::uint16_t) {
        return sdp::layout<M>();
    }

    [[nodiscard]] static result<M> decode(std::uint16_t, bytes_view message,
                                          const decode_options& options) {
        return decode_message<M>(message, options);
    }
};

/// The dispatch of a reader of messages of any type of a package.
template <class... Ms>
struct dispatch<std::variant<Ms...>> {
    using message = std::variant<Ms...>;

    [[nodiscard]] static std::optional<error> refuse(std::uint16_t id) {
        return ((id == type_id<Ms>) || ...) ? std::nullopt : std::optional{unknown_type_id()};
    }

    [[nodiscard]] static std::optional<std::string> layout(std::uint16_t id) {
        std::optional<std::string> text;
        (void)((id == type_id<Ms> && (text = sdp::layout<Ms>(), true)) || ...);
        return text;
    }

    [[nodiscard]] static result<message> decode(std::uint16_t id, bytes_view input,
                                                const decode_options& options) {
        result<message> decoded = unexpected{unknown_type_id()};
        (void)((id == type_id<Ms> && (decoded = decode_as<Ms>(input, options), true)) || ...);
        return decoded;
    }

   private:
    template <class M>
    static result<message> decode_as(bytes_view input, const decode_options& options) {
        auto decoded = decode_message<M>(input, options);
        if (!decoded) {
            return unexpected{std::move(decoded).error()};
        }
        return message{*std::move(decoded)};
    }
};

/// The dispatch of a reader of bytes, which holds preambles against nothing.
struct any_dispatch {
    [[nodiscard]] static std::optional<error> refuse(std::uint16_t) { return std::nullopt; }
    [[nodiscard]] static std::optional<std::string> layout(std::uint16_t) { return std::nullopt; }
};

}  // namespace wire

/// Reads messages from a source, one after the other. It holds one message at a time, and its
/// memory grows with the bytes that it has received, never with a length that they declare. It
/// reads no byte behind a message; each message takes several reads of the source, so that a file
/// or socket is best buffered.
///
/// An error ends the stream, and every later read reports it again [WIRE-11.5]; but after a
/// `kind::type_id_unknown`, whose message was skipped, reading can go on.
template <class Source>
class message_reader {
   public:
    explicit message_reader(Source source, const decode_options& options = {})
        : source_(std::forward<Source>(source)), options_(options) {}

    /// Reads the next message. `M` is a generated type with a type id, or a package's `Message`,
    /// which knows all of its types; of the borrowed forms and views the bytes stay until the next
    /// read. At the end of the stream there is none.
    template <class M>
    [[nodiscard]] result<std::optional<M>> next() {
        header read{};
        if (auto there = advance<wire::dispatch<M>>(read); !there) {
            return unexpected{std::move(there).error()};
        } else if (!*there) {
            return std::optional<M>{};
        }
        auto message = wire::dispatch<M>::decode(read.type_id, received_.bytes(), options_);
        if (!message) {
            return fail(std::move(message).error());
        }
        return std::optional<M>{*std::move(message)};
    }

    /// Reads the bytes of the next message of any type, header included; at the end of the stream
    /// there are none. Only the header has been checked. The bytes stay until the next read. The
    /// reader doesn't learn whether the bytes are decoded: a caller that refuses them should read
    /// no further.
    [[nodiscard]] result<std::optional<bytes_view>> next() {
        header read{};
        if (auto there = advance<wire::any_dispatch>(read); !there) {
            return unexpected{std::move(there).error()};
        } else if (!*there) {
            return std::optional<bytes_view>{};
        }
        return std::optional{received_.bytes()};
    }

    /// The source, which stands behind the last message that was read.
    [[nodiscard]] Source& source() noexcept { return source_; }

   private:
    using header = wire::header;

    /// Makes an error the stream's last.
    unexpected fail(error refusal) {
        failed_ = refusal;
        return unexpected{std::move(refusal)};
    }

    /// Receives the next message, and returns whether there is one. The checks of its header come
    /// before its payload is read [WIRE-11.3]. Preambles are checked and passed over.
    template <class Dispatch>
    result<bool> advance(header& head) {
        if (failed_) {
            return unexpected{*failed_};
        }
        while (!ended_) {
            bool is_preamble = false;
            if (auto there = receive_header(head, is_preamble); !there || !*there) {
                return there;
            }
            if (auto refusal = Dispatch::refuse(head.type_id)) {
                if (refusal->kind != kind::type_id_unknown) {
                    return fail(std::move(*refusal));
                }
                if (auto skipped = skip(head); !skipped || !is_preamble) {
                    return skipped ? unexpected{std::move(*refusal)}
                                   : fail(std::move(skipped).error());
                }
                continue;
            }
            auto whole = receive_payload(head, is_preamble);
            if (!whole || !is_preamble) {
                return whole;
            }
            const bytes_view text = received_.bytes().subspan(header_bytes);
            const auto own = Dispatch::layout(head.type_id);
            auto refusal = own ? wire::refuse_preamble(*own, text) : std::nullopt;
            if (refusal) {
                return fail(std::move(*refusal));
            }
        }
        return false;
    }

    /// Receives a header, and returns whether there is one.
    result<bool> receive_header(header& head, bool& is_preamble) {
        received_.clear();
        auto got = received_.receive(source_, header_bytes);
        if (!got) {
            return fail(std::move(got).error());
        }
        ended_ = *got == 0;
        if (ended_) {
            return false;
        }
        const wire::stream_header begin{received_.bytes()};
        is_preamble = begin.is_preamble();
        if (!wire::load_header(begin.as_message(), head)) {
            return fail(wire::damaged_header(begin.as_message()));
        }
        return true;
    }

    result<bool> receive_payload(const header& head, bool is_preamble) {
        const std::size_t most = options_.limits.message_bytes;
        if (head.length > (is_preamble ? std::min(most, layout_text_bytes) : most)) {
            return fail(wire::payload_over_limit());
        }
        auto got = received_.receive(source_, static_cast<std::size_t>(head.length));
        if (!got) {
            return fail(std::move(got).error());
        }
        if (*got < head.length) {
            return fail(wire::payload_cut());
        }
        return true;
    }

    /// Passes a payload whose type is unknown, without holding it [WIRE-11.4].
    result<void> skip(const header& head) {
        auto got = received_.skip(source_, static_cast<std::size_t>(head.length));
        if (!got) {
            return unexpected{std::move(got).error()};
        }
        if (*got < head.length) {
            return unexpected{wire::payload_cut()};
        }
        return {};
    }

    Source source_;
    decode_options options_;
    wire::input_buffer received_;
    std::optional<error> failed_;
    bool ended_ = false;
};

/// Writes messages to a sink, one after the other. It holds one message at a time, and gives each
/// to the sink at once.
template <class Sink>
class message_writer {
   public:
    explicit message_writer(Sink sink) : sink_(std::forward<Sink>(sink)) {}

    /// Writes a value of a type with a type id as one message. A value that can't be encoded writes
    /// nothing.
    template <class T>
    [[nodiscard]] result<void> write(const T& value) {
        buffer_.clear();
        if (auto done = append_message(value, buffer_); !done) {
            return done;
        }
        return sink_.write(buffer_);
    }

    /// Writes the value that a package's `Message` holds.
    template <class... Ms>
    [[nodiscard]] result<void> write(const std::variant<Ms...>& message) {
        return std::visit([this](const auto& value) { return this->write(value); }, message);
    }

    /// Writes the layout text of a type with a type id in front of its messages, which readers hold
    /// against their own [WIRE-11.7]. Readers of releases before 0.4 refuse it as another version.
    /// A text of more than `layout_text_bytes` is refused with `kind::value_too_large`.
    template <class T>
    [[nodiscard]] result<void> write_preamble() {
        const std::string text = layout<T>();
        if (text.size() > layout_text_bytes) {
            return unexpected{error{kind::value_too_large}};
        }
        buffer_.resize(header_bytes + text.size());
        wire::store_header(buffer_.data(), type_id<T>, static_cast<std::uint32_t>(text.size()));
        buffer_[wire::version_at] = wire::preamble_mark;
        std::memcpy(buffer_.data() + header_bytes, text.data(), text.size());
        return sink_.write(buffer_);
    }

    /// The sink, to which every message was given whole.
    [[nodiscard]] Sink& sink() noexcept { return sink_; }

   private:
    Sink sink_;
    std::vector<std::byte> buffer_;
};

}  // namespace sdp

#endif  // SDP_STREAM_HPP
