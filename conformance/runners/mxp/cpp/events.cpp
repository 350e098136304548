#include "events.hpp"

#include <variant>

#include "words.hpp"

namespace runner {

namespace {

namespace in = mxp::session::in;

/// A line that words are added to.
class line {
   public:
    explicit line(std::string_view name) : text_(name) {}

    line& number(std::string_view key, std::uint64_t value) {
        return word(key, std::to_string(value));
    }
    line& flag(std::string_view key, bool value) { return word(key, value ? "1" : "0"); }
    line& hex(std::string_view key, mxp::bytes_view value) { return word(key, shown(value)); }
    line& hex(std::string_view key, std::string_view value) {
        return word(key, shown(mxp::bytes_view{value.data(), value.size()}));
    }
    line& word(std::string_view key, std::string_view value) {
        text_.append("\t").append(key).append("=").append(value);
        return *this;
    }

    template <class Range, class Show>
    line& list(std::string_view key, const Range& range, Show show) {
        std::string all;
        for (const auto& one : range) {
            all.append(all.empty() ? "" : ",").append(show(one));
        }
        return word(key, all.empty() ? "-" : all);
    }
    template <class Range>
    line& texts(std::string_view key, const Range& range) {
        return list(key, range, [](std::string_view one) {
            return shown(mxp::bytes_view{one.data(), one.size()});
        });
    }
    line& metadata(const mxp::session::metadata_view& of) {
        return list("meta", of, [](const mxp::control::MetadatumView& one) {
            const std::string_view key = one.key();
            return shown(mxp::bytes_view{key.data(), key.size()}) + ":" + shown(one.value());
        });
    }
    line& trace(const std::optional<mxp::session::trace_context>& of) {
        if (!of) {
            return word("trace", "-");
        }
        std::string text = runner::hex(mxp::bytes_view{of->id});
        text += ":" + std::to_string(of->parent) + ":" + std::to_string(of->flags);
        return word("trace", text);
    }
    line& request(std::uint64_t id, const mxp::control::CallHeadView& of, bool has_deadline) {
        number("id", id).number("service", of.service()).number("method", of.method());
        if (has_deadline) {
            number("deadline", of.deadline());
        }
        return trace(of.trace()).metadata(of.metadata());
    }
    line& failure(const mxp::session::failure& of) {
        number("status", static_cast<std::uint64_t>(of.status));
        return hex("name", of.name).hex("text", of.text);
    }

    [[nodiscard]] std::string text() const { return text_; }

   private:
    std::string text_;
};

std::string_view word_of(mxp::session::reason why) {
    switch (why) {
    case mxp::session::reason::peer:
        return "peer";
    case mxp::session::reason::deadline:
        return "deadline";
    case mxp::session::reason::credit:
        return "credit";
    case mxp::session::reason::memory:
        return "memory";
    case mxp::session::reason::end:
        break;
    }
    return "end";
}

/// Makes the line of each kind of event.
struct lines {
    line operator()(const in::ready& of) const {
        return line("ready").list("services", of.services,
                                  [](const mxp::control::ServiceView& one) {
                                      const std::string_view name = one.name();
                                      return shown(mxp::bytes_view{name.data(), name.size()});
                                  });
    }
    line operator()(const in::call& of) const {
        return line("call").request(of.id, of.head, true).hex("value", of.value);
    }
    line operator()(const in::open& of) const {
        return line("open")
            .request(of.id, of.head, true)
            .number("messages", of.messages)
            .number("bytes", of.bytes)
            .flag("final", of.is_final)
            .hex("value", of.value);
    }
    line operator()(const in::event& of) const {
        return line("event")
            .request(of.id, of.head, false)
            .flag("ack", of.requires_ack)
            .hex("value", of.value);
    }
    line operator()(const in::response& of) const {
        return line("response").number("id", of.id).metadata(of.metadata).hex("value", of.value);
    }
    line operator()(const in::ended& of) const {
        return line("ended")
            .number("id", of.id)
            .failure(of.why)
            .hex("details", of.why.details)
            .flag("acted", of.why.acted);
    }
    line operator()(const in::chunk& of) const {
        return line("chunk")
            .number("id", of.id)
            .number("number", of.number)
            .flag("final", of.is_final)
            .flag("ack", of.requires_ack)
            .hex("value", of.value);
    }
    line operator()(const in::finished& of) const { return line("finished").number("id", of.id); }
    line operator()(const in::granted& of) const {
        return line("granted")
            .number("id", of.id)
            .number("messages", of.messages)
            .number("bytes", of.bytes);
    }
    line operator()(const in::acked& of) const {
        return line("acked").number("id", of.id).number("chunk", of.chunk);
    }
    line operator()(const in::cancelled& of) const {
        return line("cancelled").number("id", of.id).word("why", word_of(of.why));
    }
    line operator()(const in::draining& of) const {
        return line("draining").hex("reason", of.reason);
    }
    line operator()(const in::registration& of) const {
        return line("register")
            .number("id", of.id)
            .hex("name", std::string_view{of.asked->name})
            .texts("capabilities", of.asked->capabilities)
            .number("lease", of.asked->lease)
            .texts("addresses", of.asked->addresses)
            .texts("services", of.asked->services)
            .number("epoch", of.asked->epoch);
    }
    line operator()(const in::heartbeat& of) const {
        return line("heartbeat").number("id", of.id).hex("name", std::string_view{of.name});
    }
    line operator()(const in::discovery& of) const {
        return line("discover")
            .number("id", of.id)
            .hex("capability", std::string_view{of.asked->capability})
            .hex("name", std::string_view{of.asked->name})
            .hex("service", std::string_view{of.asked->service})
            .number("version", of.asked->version);
    }
    line operator()(const in::end& of) const {
        return line("end").failure(of.why).flag("remote", of.is_remote);
    }
};

/// Makes the lines of an event: of a batch, the lines that its values would have one by one.
struct all_lines {
    template <class Event>
    std::vector<std::string> operator()(const Event& of) const {
        return {lines{}(of).text()};
    }
    std::vector<std::string> operator()(const in::events& of) const {
        std::vector<std::string> made;
        for (const mxp::bytes_view value : of.values) {
            made.push_back(lines{}(in::event{of.id, of.head, false, value}).text());
        }
        return made;
    }
    std::vector<std::string> operator()(const in::chunks& of) const {
        std::vector<std::string> made;
        in::chunk one{of.id, of.first, false, false, {}};
        for (const mxp::bytes_view value : of.values) {
            const bool is_last = made.size() + 1 == of.values.size();
            one.is_final = is_last && of.is_final;
            one.requires_ack = is_last && of.requires_ack;
            one.value = value;
            made.push_back(lines{}(one).text());
            ++one.number;
        }
        return made;
    }
};

}  // namespace

std::vector<std::string> lines_of(const mxp::session::incoming& one) {
    return std::visit(all_lines{}, one);
}

}  // namespace runner
