/// Decodes the types of a schema in all of their forms, and holds the forms against each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "comparison.hpp"
#include "memory.hpp"
#include "sdp/stream.hpp"
#include "table.hpp"

namespace runner {

/// The forms of a type. A type that can't borrow has one for owned, borrowed and pooled values.
template <class Owned, class Borrowed, class Pooled, class View>
struct forms {
    using owned = Owned;
    using borrowed = Borrowed;
    using pooled = Pooled;
    using view = View;
};

/// Runs a decode, and shows what it gives.
template <class Decode, class Show>
[[nodiscard]] measured measure(Decode run, Show show_it) {
    const std::size_t before = allocated();
    auto made = run();
    const std::size_t taken = allocated() - before;
    if (!made) {
        return {made.error(), taken};
    }
    return {show_it(*made), taken};
}

/// Decodes owned values.
template <class T>
[[nodiscard]] measured decoded(sdp::bytes_view input, const sdp::decode_options& options) {
    return measure([&] { return sdp::decode<T>(input, options); },
                   [](const T& one) { return show(alone<T>(one)); });
}

/// Decodes values of a form that takes its memory from a resource, and all of it.
template <class T>
[[nodiscard]] measured decoded_in_pool(sdp::bytes_view input, sdp::decode_options options) {
    pool memory;
    options.resource = &memory;
    measured one = decoded<T>(input, options);
    if (std::holds_alternative<shown>(one.made) && one.allocated > 0) {
        one.made = failure{"memory is taken from elsewhere than the resource"};
    }
    one.allocated += memory.bytes();
    return one;
}

/// Decodes an owned value. One with memory from a resource is the same.
template <class Forms>
[[nodiscard]] measured decode_owned(sdp::bytes_view input, const sdp::decode_options& options) {
    measured one = decoded<typename Forms::owned>(input, options);
    measured other = decoded_in_pool<typename Forms::pooled>(input, options);
    one.made = agreed("the pooled form", std::move(one.made), other.made);
    one.allocated = std::max(one.allocated, other.allocated);
    return one;
}

/// Decodes a borrowed value.
template <class Forms>
[[nodiscard]] measured decode_borrowed(sdp::bytes_view input, const sdp::decode_options& options) {
    return decoded_in_pool<typename Forms::borrowed>(input, options);
}

/// Looks at a value without allocating. Its accessors show the owned value.
template <class Forms>
[[nodiscard]] measured decode_view(sdp::bytes_view input, const sdp::decode_options& options) {
    using view = typename Forms::view;
    using owned = typename Forms::owned;
    measured one = measure([&] { return sdp::decode<view>(input, options); },
                           [&](const view& looked) -> answer {
                               const auto value = sdp::decode<owned>(input, options);
                               if (!value) {
                                   return failure{"a view is accepted, and a value refused: " +
                                                  value.error().message()};
                               }
                               if (!shows(looked, *value)) {
                                   return failure{"the view shows another value"};
                               }
                               return show(alone<owned>(*value));
                           });
    const bool is_good = std::holds_alternative<shown>(one.made);
    if (is_good && one.allocated > 0) {
        one.made = failure{"the view allocates"};
    }
    return one;
}

/// Decodes an owned value from the start of bytes.
template <class Forms>
[[nodiscard]] measured decode_prefix(sdp::bytes_view input, const sdp::decode_options& options) {
    using owned = typename Forms::owned;
    return measure([&] { return sdp::decode_prefix<owned>(input, options); },
                   [](const sdp::prefix<owned>& one) {
                       answer made = show(alone<owned>(one.value));
                       if (auto* value = std::get_if<shown>(&made)) {
                           value->used = one.size;
                       }
                       return made;
                   });
}

/// Values of all forms that were decoded into before.
template <class Forms>
class used_forms final : public used {
   public:
    measured decode(sdp::bytes_view input, const sdp::decode_options& options) override {
        measured one = into(owned_, input, options);
        for (const measured& other :
             {into(borrowed_, input, options), into(pooled_, input, options)}) {
            one.made = agreed("another used form", std::move(one.made), other.made);
            one.allocated = std::max(one.allocated, other.allocated);
        }
        return one;
    }

   private:
    template <class T>
    static measured into(T& value, sdp::bytes_view input, const sdp::decode_options& options) {
        const std::size_t before = allocated();
        const auto done = sdp::decode_into(value, input, options);
        const std::size_t taken = allocated() - before;
        if (!done) {
            return {done.error(), taken};
        }
        return {show(alone<T>(value)), taken};
    }

    typename Forms::owned owned_;
    typename Forms::borrowed borrowed_;
    typename Forms::pooled pooled_;
};

template <class Forms>
[[nodiscard]] std::unique_ptr<used> make_used() {
    return std::make_unique<used_forms<Forms>>();
}

/// Shows a message under its type's name.
template <class T>
[[nodiscard]] answer show_message(const T& one) {
    answer made = show(framed<T>(one));
    if (auto* value = std::get_if<shown>(&made)) {
        constexpr std::string_view name = T::sdp_codec::name;
        value->type = name.substr(name.rfind('.') + 1);
    }
    return made;
}

/// Decodes a message in all forms.
template <class Forms>
[[nodiscard]] measured decode_framed(sdp::bytes_view input, const sdp::decode_options& options) {
    const auto read = [&](auto form) {
        using T = typename decltype(form)::type;
        return measure([&] { return sdp::decode_message<T>(input, options); }, show_message<T>);
    };
    measured one = read(std::common_type<typename Forms::owned>());
    for (const measured& other : {read(std::common_type<typename Forms::borrowed>()),
                                  read(std::common_type<typename Forms::pooled>())}) {
        one.made = agreed("another form", std::move(one.made), other.made);
    }
    const auto view = sdp::decode_message<typename Forms::view>(input, options);
    const auto* refusal = std::get_if<sdp::error>(&one.made);
    if (view.has_value() == (refusal != nullptr) || (!view && view.error() != *refusal)) {
        one.made = failure{"the view differs"};
    }
    return one;
}

/// Dispatches a message in all forms.
template <class Package>
[[nodiscard]] measured dispatch(sdp::bytes_view input, const sdp::decode_options& options) {
    const auto read = [&](auto form) {
        using Any = typename decltype(form)::type;
        return measure([&] { return Package::template decode_message<Any>(input, options); },
                       [](const Any& message) {
                           return std::visit([](const auto& one) { return show_message(one); },
                                             message);
                       });
    };
    measured one = read(std::common_type<typename Package::owned>());
    for (const measured& other : {read(std::common_type<typename Package::borrowed>()),
                                  read(std::common_type<typename Package::pooled>())}) {
        one.made = agreed("another form", std::move(one.made), other.made);
    }
    std::string_view name;
    const auto seen = Package::template visit_message<typename Package::view>(
        [&](const auto& view) {
            using codec = typename std::decay_t<decltype(view)>::sdp_codec;
            const auto value = sdp::decode_message<typename codec::type>(input, options);
            name = value && shows(view, *value) ? codec::name : "another value";
        },
        input, options);
    const auto* refusal = std::get_if<sdp::error>(&one.made);
    const auto* value = std::get_if<shown>(&one.made);
    if (refusal != nullptr ? seen.has_value() || seen.error() != *refusal
                           : value != nullptr && name.substr(name.rfind('.') + 1) != value->type) {
        one.made = failure{"the view differs"};
    }
    return one;
}

/// Gives bytes in pieces, as sockets do: of 1 byte, of 3, 7 and so on, then again of 1.
class pieces {
   public:
    explicit pieces(sdp::bytes_view bytes) noexcept : left_(bytes) {}

    [[nodiscard]] sdp::result<std::size_t> read(sdp::span<std::byte> to) noexcept {
        size_ = size_ > most ? 1 : 2 * size_ + 1;
        const std::size_t n = std::min({to.size(), left_.size(), size_});
        std::copy(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(n), to.begin());
        left_ = {left_.data() + n, left_.size() - n};
        return n;
    }

   private:
    static constexpr std::size_t most = 4096;

    sdp::bytes_view left_;
    std::size_t size_ = 0;
};

/// Gives each read of a stream to `take`, until that wants no more.
template <class Package>
void read_stream(sdp::bytes_view input, const sdp::decode_options& options, const each& take) {
    sdp::message_reader<pieces> reader(pieces(input), options);
    for (bool wanted = true; wanted;) {
        auto read = reader.template next<typename Package::owned>();
        if (!read) {
            const answer refused = read.error();
            wanted = take(&refused);
        } else if (!*read) {
            wanted = take(nullptr);
        } else {
            const answer made =
                std::visit([](const auto& one) { return show_message(one); }, **read);
            wanted = take(&made);
        }
    }
}

template <class Codec, class = void>
inline constexpr std::optional<std::uint16_t> type_id_of = std::nullopt;
template <class Codec>
inline constexpr std::optional<std::uint16_t>
    type_id_of<Codec, std::void_t<decltype(Codec::type_id)>> = Codec::type_id;

/// A row of the table of types.
template <class Forms>
[[nodiscard]] type row(std::string_view name) {
    using owned = typename Forms::owned;
    using codec = typename owned::sdp_codec;
    const auto numbers = [](const auto& list) {
        return sdp::span<const std::uint64_t>(list.data(), list.size());
    };
    type made{name,
              sdp::layout<owned>(),
              sdp::memory_factor<owned>,
              numbers(codec::segment_fingerprints),
              numbers(sdp::fingerprints<owned>),
              type_id_of<codec>,
              decode_owned<Forms>,
              decode_borrowed<Forms>,
              decode_view<Forms>,
              decode_prefix<Forms>,
              make_used<Forms>,
              nullptr};
    if constexpr (type_id_of<codec>.has_value()) {
        made.message = decode_framed<Forms>;
    }
    return made;
}

}  // namespace runner
