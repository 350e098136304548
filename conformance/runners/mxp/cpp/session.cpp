/// The lines `session …`.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "events.hpp"
#include "words.hpp"

namespace runner {

namespace {

namespace ms = mxp::session;

std::unique_ptr<ms::session> held;
std::uint64_t now = 0;

const std::string fine = "session\tresult=ok\tlines=0";
const std::string wrong = "error\tthis is no request to a session";

template <class T>
std::string answered(const ms::result<T>& done, std::string_view key) {
    if (!done) {
        return refused("session", done.error());
    }
    if constexpr (std::is_void_v<T>) {
        static_cast<void>(key);
        return fine;
    } else {
        return "session\tresult=ok\t" + std::string{key} + "=" + std::to_string(*done) +
               "\tlines=0";
    }
}

std::string answered(const ms::result<void>& done) { return answered(done, ""); }
std::string answered(const ms::result<std::uint64_t>& done) { return answered(done, "id"); }

std::string with_lines(const std::string& start, const std::vector<std::string>& lines) {
    std::string text = start + "\tlines=" + std::to_string(lines.size());
    for (const std::string& one : lines) {
        text.append("\n").append(one);
    }
    return text;
}

ms::type type_of(words& said, std::string_view text) {
    ms::type made;
    const auto parts = split(text, ':');
    if (parts.size() != 3) {
        said.reject();
        return made;
    }
    made.name = parts[0];
    if (parts[1] != "-" && !parts[1].empty()) {
        for (const std::string_view one : split(parts[1], ',')) {
            std::uint64_t number = 0;
            for (const std::byte byte : said.from(one)) {
                number = number << 8 | std::to_integer<std::uint64_t>(byte);
            }
            made.fingerprints.push_back(number);
        }
    }
    made.layout = text_of(said.from(parts[2]));
    return made;
}

/// Gives types the methods that they are for.
void use(words& said, std::string_view text, std::vector<ms::type>& types) {
    const auto parts = split(text, ':');
    const auto number = parts.size() == 5 ? runner::number(parts[2]) : std::nullopt;
    if (!number || *number > 0xffff) {
        said.reject();
        return;
    }
    for (ms::type& one : types) {
        if (one.name == parts[0]) {
            auto& into = parts[4] == "request" ? one.requests : one.responses;
            into.push_back({std::string{parts[1]}, static_cast<std::uint16_t>(*number),
                            std::string{parts[3]}});
        }
    }
}

std::string made(words& said) {
    ms::config config;
    const bool is_opener = said.text("role") == "opener";
    if (said.has("services") && said.text("services") != "-") {
        for (const std::string_view name : split(said.text("services"), ',')) {
            config.services.emplace_back(name);
        }
    }
    for (const std::string_view one : said.all("type")) {
        config.types.push_back(type_of(said, one));
    }
    for (const std::string_view one : said.all("use")) {
        use(said, one, config.types);
    }
    if (said.has("offer")) {
        for (const std::string_view offered : split(said.text("offer"), ',')) {
            config.offers_checksum_off |= offered == "checksum_off";
            config.offers_batches |= offered == "batches";
        }
    }
    config.takes_agents = said.has("agents");
    const auto size = [&](std::string_view key, std::size_t& into) {
        into = static_cast<std::size_t>(said.number_or(key, into));
    };
    const auto time = [&](std::string_view key, std::uint64_t& into) {
        into = said.number_or(key, into);
    };
    size("payload", config.payload_bytes);
    size("in_flight", config.limits.in_flight);
    size("in_flight_bytes", config.limits.in_flight_bytes);
    size("queue_bytes", config.limits.queue_bytes);
    size("bulk_bytes", config.limits.bulk_bytes);
    size("reply_bytes", config.limits.reply_bytes);
    size("refusals", config.limits.refusals);
    size("refusals_per_ms", config.limits.refusals_per_ms);
    time("hello_us", config.limits.hello_us);
    time("frame_us", config.limits.frame_us);
    size("frame_bytes_per_s", config.limits.frame_bytes_per_s);
    time("stall_us", config.limits.stall_us);
    time("ping_us", config.limits.ping_us);
    time("pong_us", config.limits.pong_us);
    time("idle_us", config.limits.idle_us);
    time("linger_us", config.limits.linger_us);
    if (said.is_wrong()) {
        return wrong;
    }
    held = std::make_unique<ms::session>(std::move(config),
                                         is_opener ? ms::role::opener : ms::role::acceptor, now);
    return fine;
}

std::string received(const bytes& all) {
    mxp::bytes_view input = all;
    std::vector<std::string> lines;
    while (const auto one = held->receive(input, now)) {
        for (std::string& line : lines_of(*one)) {
            lines.push_back(std::move(line));
        }
    }
    const std::size_t used = all.size() - input.size();
    return with_lines("session\tresult=ok\tused=" + std::to_string(used), lines);
}

std::string delivered(words& said) {
    const auto type = said.small<std::uint8_t>("type");
    const auto flags = said.small<std::uint8_t>("flags");
    const mxp::header head{static_cast<mxp::frame_type>(type), static_cast<mxp::flags>(flags),
                           said.number("id"), said.number_or("trace", 0)};
    const bytes payload = said.hex("payload");
    if (said.is_wrong()) {
        return wrong;
    }
    const bool is_off = said.has("checksum") && said.text("checksum") == "off";
    bytes all(mxp::header_bytes + payload.size() + mxp::trailer_bytes);
    mxp::frame frame;
    static_cast<mxp::header&>(frame) = head;
    frame.payload = payload;
    mxp::wire::store_frame(all.data(), frame, is_off ? mxp::checksum::off : mxp::checksum::on);
    return received(all);
}

std::vector<std::string> differences() {
    std::vector<std::string> lines;
    for (const ms::difference& one : held->differences()) {
        lines.push_back("difference\tserved=" + std::string(one.is_served ? "1" : "0") +
                        "\tmethod=" + std::to_string(one.method.number) +
                        "\ttext=" + shown(mxp::bytes_view{one.text.data(), one.text.size()}));
    }
    return lines;
}

std::vector<std::string> uncompared() {
    std::vector<std::string> lines;
    for (const std::string& name : held->uncompared()) {
        lines.push_back("uncompared\tname=" + shown(mxp::bytes_view{name.data(), name.size()}));
    }
    return lines;
}

/// All frames that wait, which are taken at once.
std::vector<std::string> polled() {
    ms::batch all;
    held->poll_batch(all, now);
    bytes joined;
    all.each(
        [&](mxp::bytes_view piece) { joined.insert(joined.end(), piece.begin(), piece.end()); });
    std::vector<std::string> lines;
    mxp::bytes_view rest = joined;
    while (!rest.empty()) {
        const auto head = mxp::peek(rest);
        const std::size_t n = head ? std::min(head->size(), rest.size()) : rest.size();
        lines.push_back(hex({rest.data(), n}));
        rest = {rest.data() + n, rest.size() - n};
    }
    return lines;
}

/// So many frames, which are taken one by one.
std::vector<std::string> polled(std::uint64_t most) {
    std::vector<std::string> lines;
    while (lines.size() < most) {
        const auto frame = held->poll_frame(now);
        if (!frame) {
            break;
        }
        lines.push_back(hex(frame->head) + hex(frame->value) + hex(frame->trailer));
    }
    return lines;
}

std::string state() {
    const auto at = held->next_timeout();
    return "session\tresult=ok\tready=" + std::string(held->ready() ? "1" : "0") +
           "\tfinished=" + (held->finished() ? "1" : "0") +
           "\tin=" + std::to_string(held->in_flight_peer()) +
           "\tout=" + std::to_string(held->in_flight_here()) +
           "\tqueue=" + std::to_string(held->queued()) + "\theld=" + std::to_string(held->held()) +
           "\ttimeout=" + (at ? std::to_string(*at) : "-") + "\tlines=0";
}

/// Metadata that refer to the words of the line.
class metadata {
   public:
    explicit metadata(words& said) : read_(said.metadata()) {
        for (const auto& [key, value] : read_) {
            mxp::control::MetadatumRef& made = all_.emplace_back();
            made.key = key;
            made.value = value;
        }
    }
    [[nodiscard]] mxp::span<const ms::metadatum> all() const { return all_; }

   private:
    std::vector<std::pair<std::string, bytes>> read_;
    std::vector<ms::metadatum> all_;
};

ms::request request_of(words& said, const metadata& beside) {
    ms::request made;
    made.service = said.small<std::uint16_t>("service");
    made.method = said.small<std::uint16_t>("method");
    made.deadline = said.number_or("deadline", 0);
    made.trace = said.trace();
    made.metadata = beside.all();
    return made;
}

std::string called(words& said) {
    const metadata beside{said};
    const auto asked = request_of(said, beside);
    auto value = said.hex("value");
    return said.is_wrong() ? wrong : answered(held->call(asked, std::move(value), now));
}

std::string opened(words& said) {
    const metadata beside{said};
    const auto asked = request_of(said, beside);
    const ms::credit given{said.small<std::uint32_t>("messages"), said.number("bytes")};
    const bool is_final = said.flag("final");
    auto value = said.hex("value");
    return said.is_wrong() ? wrong
                           : answered(held->open(asked, given, is_final, std::move(value), now));
}

std::string told(words& said) {
    const metadata beside{said};
    const auto asked = request_of(said, beside);
    const bool requires_ack = said.flag("ack");
    const auto full = said.text("full") == "refuse"   ? ms::when_full::refuse
                      : said.text("full") == "newest" ? ms::when_full::drop_newest
                                                      : ms::when_full::drop_oldest;
    auto value = said.hex("value");
    if (said.is_wrong()) {
        return wrong;
    }
    const auto id = held->event(asked, requires_ack, full, std::move(value), now);
    if (!id) {
        return refused("session", id.error());
    }
    return "session\tresult=ok\tid=" + std::to_string(*id) + "\tdropped=" + (*id == 0 ? "1" : "0") +
           "\tlines=0";
}

std::string responded(words& said) {
    const metadata beside{said};
    const auto id = said.number("id");
    auto value = said.hex("value");
    return said.is_wrong() ? wrong
                           : answered(held->respond(id, std::move(value), now, beside.all()));
}

std::string failed(words& said) {
    const auto id = said.number("id");
    const auto status = said.small<std::uint16_t>("status");
    const bool is_refused = said.flag("refused");
    const auto name = said.hex_text("name");
    const auto text = said.hex_text("text");
    const auto details = said.hex("details");
    return said.is_wrong()
               ? wrong
               : answered(held->fail(
                     id, {static_cast<ms::status>(status), is_refused, name, text, details}, now));
}

std::string chunked(words& said) {
    const auto id = said.number("id");
    const bool is_final = said.flag("final");
    const bool requires_ack = said.flag("ack");
    auto value = said.hex("value");
    return said.is_wrong()
               ? wrong
               : answered(held->chunk(id, is_final, requires_ack, std::move(value), now), "number");
}

std::string granted(words& said) {
    const auto id = said.number("id");
    const ms::credit more{said.small<std::uint32_t>("messages"), said.number("bytes")};
    return said.is_wrong() ? wrong : answered(held->grant(id, more, now));
}

std::string acked(words& said) {
    const auto id = said.number("id");
    const auto chunk = said.number_or("chunk", 0);
    return said.is_wrong() ? wrong : answered(held->ack(id, chunk, now));
}

std::string registered(words& said) {
    const auto asked = said.registration();
    return said.is_wrong() ? wrong : answered(held->register_agent(asked, now));
}

std::string discovered(words& said) {
    const auto asked = said.query();
    return said.is_wrong() ? wrong : answered(held->discover(asked, now));
}

/// A verb whose only word is `id`.
template <class Verb>
std::string by_id(words& said, Verb verb) {
    const auto id = said.number("id");
    return said.is_wrong() ? wrong : answered(((*held).*verb)(id, now));
}

/// A verb whose only word is a text.
template <class Verb>
std::string by_text(words& said, std::string_view key, Verb verb) {
    const auto text = said.hex_text(key);
    return said.is_wrong() ? wrong : answered(((*held).*verb)(text, now));
}

using answer = std::function<std::string(words&)>;

const std::map<std::string, answer, std::less<>>& verbs() {
    using ms::session;
    static const std::map<std::string, answer, std::less<>> all{
        {"receive",
         [](words& said) {
             const bytes input = said.hex("bytes");
             return said.is_wrong() ? wrong : received(input);
         }},
        {"deliver", delivered},
        {"tick",
         [](words&) {
             held->tick(now);
             return received({});
         }},
        {"lost",
         [](words&) {
             held->lost(now);
             return received({});
         }},
        {"moved",
         [](words&) {
             held->moved(now);
             return fine;
         }},
        {"pause",
         [](words&) {
             held->pause(now);
             return fine;
         }},
        {"resume",
         [](words&) {
             held->resume(now);
             return fine;
         }},
        {"overrun",
         [](words& said) {
             if (said.has("id")) {
                 return by_id(said, &session::overrun_stream);
             }
             held->overrun(now);
             return fine;
         }},
        {"poll",
         [](words& said) {
             return with_lines("session\tresult=ok",
                               said.has("max") ? polled(said.number("max")) : polled());
         }},
        {"state", [](words&) { return state(); }},
        {"differences", [](words&) { return with_lines("session\tresult=ok", differences()); }},
        {"uncompared", [](words&) { return with_lines("session\tresult=ok", uncompared()); }},
        {"stats",
         [](words&) {
             std::string text = held->stats().prometheus();
             text.pop_back();
             const auto lines = split(text, '\n');
             return with_lines("session\tresult=ok", {lines.begin(), lines.end()});
         }},
        {"call", called},
        {"open", opened},
        {"event", told},
        {"respond", responded},
        {"fail", failed},
        {"release", [](words& said) { return by_id(said, &session::release); }},
        {"cancel", [](words& said) { return by_id(said, &session::cancel); }},
        {"chunk", chunked},
        {"finish", [](words& said) { return by_id(said, &session::finish); }},
        {"grant", granted},
        {"ack", acked},
        {"drain", [](words& said) { return by_text(said, "reason", &session::drain); }},
        {"register", registered},
        {"heartbeat", [](words& said) { return by_text(said, "name", &session::heartbeat); }},
        {"discover", discovered},
    };
    return all;
}

}  // namespace

std::string answer_session(std::string_view line) {
    words said{line};
    now = said.number_or("now", now);
    if (said.is_wrong()) {
        return wrong;
    }
    if (said.verb() == "new") {
        return made(said);
    }
    const auto verb = verbs().find(said.verb());
    if (verb == verbs().end()) {
        return wrong;
    }
    return held ? verb->second(said) : "error\tthere is no session";
}

}  // namespace runner
