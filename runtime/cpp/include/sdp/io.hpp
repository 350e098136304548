/// Single values from sources and into sinks of bytes.
///
/// A source is an object with `result<std::size_t> read(span<std::byte> to)`: it reads some bytes,
/// at most as many as there is room for, and returns how many; 0 is the end. A sink is an object
/// with `result<void> write(bytes_view from)`, which writes all of the bytes. Sources and sinks
/// report failures of their own as `kind::io_failed`, and keep the reason. `iostream.hpp` has both
/// for the streams of the standard library.
#ifndef SDP_IO_HPP
#define SDP_IO_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "codec.hpp"
#include "limits.hpp"
#include "result.hpp"
#include "span.hpp"

namespace sdp {

/// A source made of a C function and its context.
struct source_function {
    /// Reads at most `size` bytes to a place, and returns how many; 0 is the end, and a negative
    /// number a failure. A call that was interrupted the function makes again by itself.
    std::ptrdiff_t (*call)(void* context, std::byte* output, std::size_t size);
    void* context = nullptr;

    [[nodiscard]] result<std::size_t> read(span<std::byte> output) const {
        const std::ptrdiff_t n = call(context, output.data(), output.size());
        if (n < 0) {
            return unexpected{error{kind::io_failed}};
        }
        return static_cast<std::size_t>(n);
    }
};

/// A sink made of a C function and its context.
struct sink_function {
    /// Writes all bytes, or returns false.
    bool (*call)(void* context, const std::byte* data, std::size_t size);
    void* context = nullptr;

    [[nodiscard]] result<void> write(bytes_view input) const {
        if (!call(context, input.data(), input.size())) {
            return unexpected{error{kind::io_failed}};
        }
        return {};
    }
};

namespace wire {

/// Bytes that came from a source. The memory grows with the received bytes, and is used again.
class input_buffer {
   public:
    /// Forgets the bytes.
    void clear() noexcept { size_ = 0; }

    [[nodiscard]] bytes_view bytes() const noexcept { return {memory_.data(), size_}; }

    /// Receives up to `n` bytes more, and returns how many there were: fewer at the end of the
    /// source.
    template <class Source>
    [[nodiscard]] result<std::size_t> receive(Source& source, std::size_t n) {
        std::size_t left = n;
        while (left > 0) {
            if (size_ == memory_.size()) {
                memory_.resize(size_ + std::min(left, std::max(size_, step)));
            }
            const auto got = some(source, std::min(left, memory_.size() - size_));
            if (!got || *got == 0) {
                return got ? result<std::size_t>{n - left} : got;
            }
            size_ += *got;
            left -= *got;
        }
        return n;
    }

    /// Passes `n` bytes without holding more than a few of them, and returns how many there were.
    template <class Source>
    [[nodiscard]] result<std::size_t> skip(Source& source, std::size_t n) {
        clear();
        memory_.resize(std::max(memory_.size(), std::min(n, step)));
        std::size_t left = n;
        while (left > 0) {
            const auto got = some(source, std::min(left, memory_.size()));
            if (!got || *got == 0) {
                return got ? result<std::size_t>{n - left} : got;
            }
            left -= *got;
        }
        return n;
    }

   private:
    static constexpr std::size_t step = 4096;

    /// Reads some bytes behind the present bytes. A source that says it read more than there is
    /// room for has failed.
    template <class Source>
    result<std::size_t> some(Source& source, std::size_t room) {
        result<std::size_t> got = source.read(span<std::byte>{memory_.data() + size_, room});
        if (got && *got > room) {
            got = unexpected{error{kind::io_failed}};
        }
        return got;
    }

    std::vector<std::byte> memory_;
    std::size_t size_ = 0;
};

}  // namespace wire

/// Writes the encoding of a value, all of it at once. A value that can't be encoded writes nothing.
template <class Sink, class T>
[[nodiscard]] result<void> write_to(Sink&& sink, const T& value) {
    auto bytes = encode(value);
    if (!bytes) {
        return unexpected{std::move(bytes).error()};
    }
    return sink.write(*bytes);
}

/// Reads all that a source has, as one value of a form that owns what it holds. Of a source without
/// end it reads no more than the limit of a message and one byte.
template <class T, class Source>
[[nodiscard]] result<T> read_from(Source&& source, const decode_options& options = {}) {
    const std::size_t most = options.limits.message_bytes;
    // Decoding refuses the byte over the limit.
    const std::size_t n = most == std::numeric_limits<std::size_t>::max() ? most : most + 1;
    wire::input_buffer all;
    auto got = all.receive(source, n);
    if (!got) {
        return unexpected{std::move(got).error()};
    }
    return decode<T>(all.bytes(), options);
}

}  // namespace sdp

#endif  // SDP_IO_HPP
