/// Reading frames from a stream [MXP-4].
#ifndef MXP_READER_HPP
#define MXP_READER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

#include "decode.hpp"
#include "frame.hpp"
#include "growable_bytes.hpp"
#include "layout.hpp"
#include "result.hpp"

namespace mxp {

/// Finds the frames in bytes that come in pieces of any lengths. A frame that lies whole in a piece
/// stays there; the bytes of another are gathered in a buffer, which grows with the received bytes
/// and not with the promise of a header.
class frame_reader {
   public:
    /// The limit is that of payloads; over 16 MiB it means 16 MiB.
    explicit frame_reader(checksum mode, std::size_t limit = payload_bytes) noexcept
        : mode_(mode), limit_(wire::limit_of(limit)) {}

    /// Takes bytes from the front of `input` up to the end of the next frame, and returns the
    /// frame. There is none if the input has been used up before; the next piece continues it. The
    /// payload lies in the input or in the reader, and stays until the next call.
    ///
    /// A refusal ends the stream, and is returned again by every later call [MXP-4.4].
    [[nodiscard]] result<std::optional<frame>> next(bytes_view& input) {
        if (refused_) {
            return unexpected{*refused_};
        }
        if (is_given_) {
            is_given_ = false;
            have_ = 0;
            buffer_.shrink(kept_bytes);
        }
        if (have_ < header_bytes) {
            if (have_ == 0 && input.size() >= header_bytes) {
                if (!check_header(input.data())) {
                    return unexpected{*refused_};
                }
                if (input.size() >= head_.size()) {
                    const std::byte* const whole = input.data();
                    drop(input, head_.size());
                    return finished(whole);
                }
                take(input, header_bytes);
            } else {
                take(input, header_bytes - have_);
                if (have_ < header_bytes) {
                    return begun();
                }
                if (!check_header(start_.data())) {
                    return unexpected{*refused_};
                }
            }
        }
        gather(input);
        if (have_ < head_.size()) {
            return std::optional<frame>{};
        }
        is_given_ = true;
        return finished(buffer_.data());
    }

    /// Says that no more bytes come. It is refused inside a frame [MXP-4.5].
    [[nodiscard]] result<void> end() noexcept {
        if (!refused_ && !is_given_ && have_ > 0) {
            refused_ = wire::cut_after(have_);
        }
        if (refused_) {
            return unexpected{*refused_};
        }
        return {};
    }

    /// Says whether trailers are checked from the next frame on.
    void check(checksum mode) noexcept { mode_ = mode; }

    /// Whether a frame has begun whose last byte has not come yet.
    [[nodiscard]] bool is_inside() const noexcept { return have_ > 0 && !is_given_; }

    /// How many bytes have come of a frame whose last byte has not.
    [[nodiscard]] std::size_t buffered() const noexcept { return is_given_ ? 0 : have_; }

    /// Gives the buffer's memory back, unless a frame has begun. A frame that was returned is gone.
    void shrink() noexcept {
        if (!is_inside()) {
            have_ = 0;
            is_given_ = false;
            buffer_.shrink(0);
        }
    }

    /// Forgets a frame that has begun, where no more is read.
    void forget() noexcept {
        have_ = 0;
        is_given_ = false;
        buffer_.shrink(0);
    }

    /// How many bytes the buffer can hold.
    [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.capacity(); }

   private:
    /// The bytes that the buffer may have beyond the received ones and an eighth of them, and that
    /// it keeps for the next frame.
    static constexpr std::size_t kept_bytes = 65536;

    static void drop(bytes_view& input, std::size_t n) noexcept {
        input = bytes_view{input.data() + n, input.size() - n};
    }

    /// Makes the checks of a header that is there.
    bool check_header(const std::byte* input) noexcept {
        if (!wire::load_header(input, limit_, head_, head_.payload_size)) {
            refused_ = wire::refused_header(input);
        }
        return !refused_;
    }

    /// No frame, unless what has come of a header begins as none does [MXP-4.2].
    result<std::optional<frame>> begun() noexcept {
        if (!wire::begins(start_.data(), have_)) {
            refused_ = wire::no_magic();
            return unexpected{*refused_};
        }
        return std::optional<frame>{};
    }

    /// Copies up to `n` bytes of the header.
    void take(bytes_view& input, std::size_t n) noexcept {
        n = std::min(n, input.size());
        if (n > 0) {
            std::memcpy(start_.data() + have_, input.data(), n);
            drop(input, n);
            have_ += n;
        }
    }

    /// Copies what there is of the frame behind its header, which comes first.
    void gather(bytes_view& input) {
        const std::size_t n = std::min(input.size(), head_.size() - have_);
        const std::size_t received = have_ + n;
        if (received > buffer_.capacity()) {
            buffer_.grow(std::min(head_.size(), received + received / 8 + kept_bytes));
        }
        if (have_ == header_bytes) {
            std::memcpy(buffer_.data(), start_.data(), header_bytes);
        }
        if (n > 0) {
            std::memcpy(buffer_.data() + have_, input.data(), n);
            drop(input, n);
            have_ = received;
        }
    }

    /// The frame whose bytes are all there.
    result<std::optional<frame>> finished(const std::byte* whole) noexcept {
        if (!wire::is_intact(whole, head_.payload_size, mode_)) {
            refused_ = wire::damaged(head_.payload_size);
            buffer_.shrink(0);
            return unexpected{*refused_};
        }
        return std::optional<frame>{{head_, bytes_view{whole + header_bytes, head_.payload_size}}};
    }

    checksum mode_;
    std::size_t limit_;
    /// How much of the frame has been copied, to `start_` up to the header's end.
    std::size_t have_ = 0;
    /// Whether the frame in the buffer was returned.
    bool is_given_ = false;
    frame_prefix head_{};
    std::array<std::byte, header_bytes> start_{};
    std::optional<error> refused_;
    wire::growable_bytes buffer_;
};

}  // namespace mxp

#endif  // MXP_READER_HPP
