/// The standard library's streams as sources and sinks. They have a header of their own, since
/// `<istream>` and `<ostream>` cost every file that includes them time to compile.
#ifndef SDP_IOSTREAM_HPP
#define SDP_IOSTREAM_HPP

#include <cstddef>
#include <ios>
#include <istream>
#include <limits>
#include <ostream>

#include "result.hpp"
#include "span.hpp"

namespace sdp {

/// Reads from a stream that outlives it. Files have to be opened as `std::ios::binary`.
class istream_source {
   public:
    explicit istream_source(std::istream& stream) noexcept : stream_(&stream) {}

    [[nodiscard]] result<std::size_t> read(span<std::byte> output) {
        constexpr auto most = std::numeric_limits<std::streamsize>::max();
        const bool fits = output.size() <= static_cast<std::size_t>(most);
        const auto room = fits ? static_cast<std::streamsize>(output.size()) : most;
        stream_->read(reinterpret_cast<char*>(output.data()), room);
        const auto n = static_cast<std::size_t>(stream_->gcount());
        // Only at its end may a stream give less than it was asked for.
        if (stream_->bad() || (stream_->fail() && !stream_->eof())) {
            return unexpected{error{kind::io_failed}};
        }
        return n;
    }

   private:
    std::istream* stream_;
};

/// Writes to a stream that outlives it. Files have to be opened as `std::ios::binary`.
class ostream_sink {
   public:
    explicit ostream_sink(std::ostream& stream) noexcept : stream_(&stream) {}

    [[nodiscard]] result<void> write(bytes_view input) {
        stream_->write(reinterpret_cast<const char*>(input.data()),
                       static_cast<std::streamsize>(input.size()));
        if (stream_->fail()) {
            return unexpected{error{kind::io_failed}};
        }
        return {};
    }

   private:
    std::ostream* stream_;
};

}  // namespace sdp

#endif  // SDP_IOSTREAM_HPP
