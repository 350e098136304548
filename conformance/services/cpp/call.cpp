#include <asio/steady_timer.hpp>

#include "caller.hpp"
#include "mark.hpp"

namespace services {

namespace {

namespace net = mxp::net;

std::string yes_or_no(bool is) { return is ? "true" : "false"; }

void echo(caller& by) {
    ledger::Entry asked;
    asked.id = 7;
    asked.text = "h\xc3\xa9llo";
    asked.amount = -9;
    const auto came =
        by.wait<ledger::Entry>([&](auto then) { by.ledger.echo(marked(asked), std::move(then)); });
    if (!came) {
        throw ended{came.error().name + ": " + came.error().text};
    }
    std::vector<std::string> can;
    for (const std::string& mark : marks()) {
        can.push_back("echo: 7 \"h\xc3\xa9llo\" -9 " + mark);
    }
    by.say("echo: " + std::to_string(came->id) + " \"" + came->text + "\" " +
               std::to_string(came->amount) + " " + mark_of(*came),
           can);
    by.say("seen: " + by.seen, "seen: echo");
}

void trace(caller& by) {
    net::call_options with;
    with.trace.emplace();
    with.trace->id[0] = 1;
    with.trace->id[15] = 2;
    with.trace->parent = std::uint64_t{3} << 56 | 4;
    with.trace->flags = 1;
    with.metadata.emplace_back("tracestate", bytes_of("vendor=x"));
    const auto came = by.wait<ledger::Entry>(
        [&](auto then) { by.ledger.echo(ledger::Entry{}, std::move(then), with); });
    if (!came) {
        throw ended{came.error().name + ": " + came.error().text};
    }
    by.say("trace: " + by.seen,
           "trace: echo 00-01000000000000000000000000000002-0300000000000004-01 vendor=x");
}

/// A failure as text, without the address, which differs from run to run.
std::string line_of(net::failure why) {
    why.peer.clear();
    return to_string(why);
}

void fail(caller& by) {
    ledger::Wanted wanted;
    wanted.status = 9;
    wanted.name = "demo_refused";
    wanted.text = "not now";
    wanted.details = {std::byte{1}, std::byte{2}};
    const auto came =
        by.wait<ledger::Nothing>([&](auto then) { by.ledger.fail(wanted, std::move(then)); });
    if (came) {
        throw ended{"fail: there is no failure"};
    }
    const net::failure& why = came.error();
    std::string details;
    for (const std::byte one : why.details) {
        constexpr std::string_view digits = "0123456789abcdef";
        details += digits[std::to_integer<std::size_t>(one >> 4)];
        details += digits[std::to_integer<std::size_t>(one & std::byte{15})];
    }
    by.say("fail: " + number_of(why) + " " + why.name + " \"" + why.text + "\" " + details +
               " acted=" + yes_or_no(why.acted),
           "fail: 9 demo_refused \"not now\" 0102 acted=true");
    by.say(
        "line: " + line_of(why),
        "line: ledger.Ledger/fail: FailedPrecondition (9) demo_refused: not now; it may have been "
        "acted on");
}

void key(caller& by) {
    by.key = "wrong";
    const auto came = by.wait<ledger::Entry>(
        [&](auto then) { by.ledger.echo(ledger::Entry{}, std::move(then)); });
    by.key = sesame;
    if (came) {
        throw ended{"key: there is no failure"};
    }
    by.say("key: " + number_of(came.error()) + " " + came.error().name +
               " acted=" + yes_or_no(came.error().acted),
           "key: 16 key_wrong acted=false");
}

void wait(caller& by) {
    const auto before = by.count(&ledger::LedgerClient::waited).entries;
    const auto say = [&](const net::outcome<ledger::Nothing>& came, const std::string& should) {
        by.say(came ? "wait: answered"
                    : "wait: " + number_of(came.error()) + " " + came.error().name,
               should);
    };
    net::call_options soon;
    soon.deadline = std::chrono::milliseconds{50};
    say(by.wait<ledger::Nothing>(
            [&](auto then) { by.ledger.wait(ledger::Nothing{}, std::move(then), soon); }),
        "wait: 4 deadline_exceeded");

    asio::steady_timer timer{by.context, std::chrono::milliseconds{50}};
    say(by.wait<ledger::Nothing>([&](auto then) {
        const auto ticket = by.ledger.wait(ledger::Nothing{}, std::move(then));
        timer.async_wait([&by, ticket](const std::error_code&) { by.client.cancel(ticket); });
    }),
        "wait: 1 cancelled");

    const auto after = by.count_until(&ledger::LedgerClient::waited, before + 2).entries;
    by.say("waited: " + std::to_string(after - before), "waited: 2");
}

/// Asks for what only a server of the same release reads.
void round(caller& by) {
    const auto came = by.wait<ledger::Rounding>(
        [&](auto then) { by.ledger.round(ledger::Rounding{5}, std::move(then)); });
    const auto line = [](const net::outcome<ledger::Rounding>& one) {
        return "round: " + (one ? std::to_string(one->to) : line_of(one.error()));
    };
    std::vector<std::string> can{"round: 5"};
    for (const std::string differ : {"here u32, there u64", "here u64, there u32"}) {
        can.push_back("round: ledger.Ledger/round: FailedPrecondition (9) session_schema: "
                      "ledger.Rounding.to: " +
                      differ + "; it was not acted on");
    }
    by.say(line(came), can);
    if (!by.waits) {
        return;
    }
    if (const auto also = line(by.blocking.round(ledger::Rounding{5})); also != line(came)) {
        throw ended{"the blocking client says " + also};
    }
}

/// The longest payload of a frame.
constexpr std::size_t payload_most = 16 << 20;

void blob(caller& by) {
    const auto nothing = by.wait<ledger::Nothing>(
        [&](auto then) { by.ledger.nothing(ledger::Nothing{}, std::move(then)); });
    by.say(nothing ? "nothing: ok" : "nothing: " + nothing.error().name, "nothing: ok");

    std::vector<std::byte> data(payload_most);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::byte>(i % 251);
    }
    const auto ask = [&](std::size_t n) {
        const auto end = data.begin() + static_cast<std::ptrdiff_t>(n);
        return by.wait<ledger::Blob>([&](auto then) {
            by.ledger.blob({{data.begin(), end}}, std::move(then));
        });
    };
    const auto is_answered = [&](std::size_t n) {
        const auto came = ask(n);
        return came && came->data.size() == n &&
               std::equal(came->data.begin(), came->data.end(), data.begin());
    };
    by.say(is_answered(0) ? "blob: 0" : "blob: nothing", "blob: 0");
    // The one is answered, the other isn't.
    std::size_t most = payload_most - 1024;
    std::size_t least = payload_most;
    if (!is_answered(most)) {
        throw ended{"a blob of " + std::to_string(most) + " bytes is not answered"};
    }
    while (least - most > 1) {
        const std::size_t middle = (most + least) / 2;
        (is_answered(middle) ? most : least) = middle;
    }
    std::cout << "blob: " << most << "\n";
    const auto came = ask(payload_most);
    if (came) {
        throw ended{"a blob of " + std::to_string(payload_most) + " bytes is answered"};
    }
    by.say(
        "too large: " + line_of(came.error()),
        "too large: ledger.Ledger/blob: OutOfRange (11) payload_too_large: a payload of 16777250 "
        "bytes, where the peer takes 16777216; it was not acted on");
}

}  // namespace

int call(const std::string& address) {
    const auto at = net::parse_address(address);
    if (!at) {
        std::cerr << address << " is no address\n";
        return 2;
    }
    try {
        caller by{*at};
        echo(by);
        trace(by);
        fail(by);
        key(by);
        wait(by);
        blob(by);
        list(by);
        sum(by);
        negate(by);
        book(by);
        round(by);
        by.say("done", "done");
        return by.wrong == 0 ? 0 : 1;
    } catch (const ended& end) {
        std::cerr << end.why << "\n";
        return 1;
    }
}

}  // namespace services
