/// The records of a channel's handover, which follow the offers [MXP-18.12].
#ifndef MXP_NET_TRANSPORT_SHM_RECORD_HPP
#define MXP_NET_TRANSPORT_SHM_RECORD_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../../engine/failure_text.hpp"
#include "../../../result.hpp"
#include "../../channel_options.hpp"
#include "../../failure.hpp"
#include "offer.hpp"

namespace mxp::net::detail::shm {

/// The form of the values of one direction, which both sides have to mean alike.
struct form {
    net::delivery delivery = net::delivery::queue;
    /// How many bytes a value has.
    std::uint32_t bytes = 0;
    /// The fingerprint of their type.
    std::uint64_t fingerprint = 0;
};

/// The wish of an opener.
struct open_request {
    /// The service's full name.
    std::string service{};
    std::uint16_t method = 0;
    form requests{};
    form responses{};
};

/// The first bytes of every record, and the places and sizes of its parts.
namespace part {
inline constexpr std::array<unsigned char, 5> begin{'M', 'X', 'P', 'C', 1};
inline constexpr std::size_t name = 64;
inline constexpr std::size_t name_most = 255;
inline constexpr std::size_t refusal = 8;
inline constexpr std::size_t refusal_name_most = 64;
inline constexpr std::size_t refusal_text_most = record_bytes - refusal - refusal_name_most;
}  // namespace part

/// The reason why a record is none.
using no_record = mxp::unexpected_of<std::string>;

[[nodiscard]] inline record begun() noexcept {
    record made{};
    std::copy(part::begin.begin(), part::begin.end(), made.begin());
    return made;
}
[[nodiscard]] inline bool is_begun(const record& bytes) noexcept {
    return std::equal(part::begin.begin(), part::begin.end(), bytes.begin());
}

template <class Number>
void store_at(record& bytes, std::size_t place, Number number) noexcept {
    for (std::size_t i = 0; i < sizeof number; ++i) {
        bytes[place + i] = static_cast<unsigned char>(std::uint64_t{number} >> (8 * i));
    }
}
template <class Number>
[[nodiscard]] Number load_at(const record& bytes, std::size_t place) noexcept {
    std::uint64_t made = 0;
    for (std::size_t i = sizeof(Number); i-- > 0;) {
        made = made << 8U | bytes[place + i];
    }
    return static_cast<Number>(made);
}
/// Whether bytes from one place up to another are 0.
[[nodiscard]] inline bool is_zero(const record& bytes, std::size_t start,
                                  std::size_t end) noexcept {
    return std::all_of(bytes.data() + start, bytes.data() + end,
                       [](unsigned char byte) { return byte == 0; });
}
/// The text of bytes, unless they are no UTF-8.
[[nodiscard]] inline std::optional<std::string> text_at(const record& bytes, std::size_t place,
                                                        std::size_t n) {
    std::string made(bytes.begin() + static_cast<std::ptrdiff_t>(place),
                     bytes.begin() + static_cast<std::ptrdiff_t>(place + n));
    return engine::utf8_bytes(made) == n ? std::optional{std::move(made)} : std::nullopt;
}

/// Encodes a wish, unless the service's name has no place in it.
[[nodiscard]] inline outcome<record> encode(const open_request& opening) {
    const std::size_t n = opening.service.size();
    if (n == 0 || n > part::name_most) {
        return failed_outcome{failure_of(session::kind::channel_form,
                                         "a service's name of " + std::to_string(n) + " bytes")};
    }
    record made = begun();
    made[5] = static_cast<unsigned char>(opening.requests.delivery);
    made[6] = static_cast<unsigned char>(opening.responses.delivery);
    made[7] = static_cast<unsigned char>(n);
    store_at(made, 8, opening.method);
    store_at(made, 16, opening.requests.bytes);
    store_at(made, 20, opening.responses.bytes);
    store_at(made, 24, opening.requests.fingerprint);
    store_at(made, 32, opening.responses.fingerprint);
    std::copy(opening.service.begin(), opening.service.end(), made.begin() + part::name);
    return made;
}

/// Reads a wish, or says why it is none.
[[nodiscard]] inline mxp::result<open_request, std::string> decode_opening(const record& bytes) {
    if (!is_begun(bytes)) {
        return no_record{"an opening begins with other bytes than MXPC and 1"};
    }
    if (bytes[5] > 1 || bytes[6] > 1) {
        return no_record{"an opening has a kind of delivery that is none"};
    }
    const std::size_t end = part::name + bytes[7];
    auto name = text_at(bytes, part::name, bytes[7]);
    if (!name || name->empty()) {
        return no_record{"an opening has no name of a service"};
    }
    if (!is_zero(bytes, 10, 16) || !is_zero(bytes, 40, part::name) ||
        !is_zero(bytes, end, bytes.size())) {
        return no_record{"an opening has other bytes than 0 where they are to come"};
    }
    return open_request{std::move(*name), load_at<std::uint16_t>(bytes, 8),
                        form{static_cast<delivery>(bytes[5]), load_at<std::uint32_t>(bytes, 16),
                             load_at<std::uint64_t>(bytes, 24)},
                        form{static_cast<delivery>(bytes[6]), load_at<std::uint32_t>(bytes, 20),
                             load_at<std::uint64_t>(bytes, 32)}};
}

/// The answer to a wish that is granted.
[[nodiscard]] inline record granted() noexcept { return begun(); }

/// The answer to one that is refused.
[[nodiscard]] inline record encode_refusal(const failure& why) {
    record made = begun();
    // A status that has no such number is one that nobody knows.
    const auto status = static_cast<std::uint16_t>(why.status);
    const auto unknown = static_cast<std::uint16_t>(session::status::Unknown);
    made[5] = static_cast<unsigned char>(status > 0 && status < 256 ? status : unknown);
    std::size_t place = part::refusal;
    const auto put = [&](std::string_view text, std::size_t most, std::size_t length) {
        const std::string cut = engine::bounded(text, most);
        std::copy(cut.begin(), cut.end(), made.begin() + static_cast<std::ptrdiff_t>(place));
        made[length] = static_cast<unsigned char>(cut.size());
        place += cut.size();
    };
    put(why.name, part::refusal_name_most, 6);
    put(why.text, part::refusal_text_most, 7);
    return made;
}

/// Reads an answer, or says why it is none: a refusal, or none. The offer before it says which.
[[nodiscard]] inline mxp::result<std::optional<failure>, std::string>
decode_answer(const record& bytes, bool is_refused) {
    if (!is_begun(bytes)) {
        return no_record{"an answer begins with other bytes than MXPC and 1"};
    }
    const std::size_t name = bytes[6];
    const std::size_t text = bytes[7];
    const std::size_t end = part::refusal + name + text;
    if (is_refused != (bytes[5] != 0) || name > part::refusal_name_most ||
        text > part::refusal_text_most || !is_zero(bytes, end, bytes.size()) ||
        (!is_refused && name + text > 0)) {
        return no_record{"an answer is none"};
    }
    auto named = text_at(bytes, part::refusal, name);
    auto said = text_at(bytes, part::refusal + name, text);
    if (!named || !said) {
        return no_record{"an answer has a text that is no UTF-8"};
    }
    if (!is_refused) {
        return std::optional<failure>{};
    }
    failure why;
    why.status = static_cast<session::status>(bytes[5]);
    why.name = std::move(*named);
    why.text = std::move(*said);
    return std::optional{refused(std::move(why))};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_RECORD_HPP
