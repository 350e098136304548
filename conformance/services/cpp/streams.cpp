#include "caller.hpp"
#include "mark.hpp"

namespace services {

namespace {

namespace net = mxp::net;

/// How a stream has ended.
using end = std::optional<net::failure>;

end end_of(const net::failure* why) { return why == nullptr ? end{} : end{*why}; }

/// Reads a list, as long as more is wanted.
end read(caller& by, std::uint64_t first, std::uint64_t last,
         const std::function<bool(const ledger::Entry&)>& take) {
    std::optional<end> ended;
    const auto entries = by.ledger.list({first, last});
    entries.on_value([&](const ledger::Entry& entry) {
        if (!take(entry)) {
            entries.cancel();
        }
    });
    entries.on_end([&](const net::failure* why) { ended = end_of(why); });
    by.run([&] { return ended.has_value(); });
    return *ended;
}

ledger::Entry entry_of(std::int64_t amount) {
    ledger::Entry made;
    made.amount = amount;
    return marked(made);
}

std::string sum_of(caller& by, const std::vector<std::int64_t>& amounts) {
    const auto came = by.wait<ledger::Total>([&](auto then) {
        const auto entries = by.ledger.sum(std::move(then));
        for (const std::int64_t amount : amounts) {
            entries.send(entry_of(amount));
        }
        entries.finish();
    });
    return came ? std::to_string(came->entries) + " " + std::to_string(came->amount)
                : number_of(came.error()) + " " + came.error().name;
}

/// Sums up by a client that waits.
std::string sum_in_turn(caller& by, const std::vector<std::int64_t>& amounts) {
    if (!by.waits) {
        return sum_of(by, amounts);
    }
    auto entries = by.blocking.sum();
    if (!entries) {
        return entries.error().name;
    }
    for (const std::int64_t amount : amounts) {
        if (!entries->write(entry_of(amount))) {
            break;  // finish says why
        }
    }
    const auto total = entries->finish();
    return total ? std::to_string(total->entries) + " " + std::to_string(total->amount)
                 : number_of(total.error()) + " " + total.error().name;
}

/// Reads a list by a client that waits.
std::size_t list_in_turn(caller& by, std::uint64_t first, std::uint64_t last) {
    std::size_t n = 0;
    if (!by.waits) {
        const auto why = read(by, first, last, [&](const ledger::Entry& entry) {
            n += entry.id == first + n ? 1U : 0U;
            return true;
        });
        return why ? 0 : n;
    }
    auto entries = by.blocking.list({first, last});
    while (entries) {
        const auto entry = entries->read();
        if (!entry || !*entry) {
            break;
        }
        n += (*entry)->id == first + n ? 1U : 0U;
    }
    return n;
}

constexpr std::int64_t most = 1000;

/// Sends each entry when it is told that the previous one has come back; it returns how many have
/// as they should.
std::int64_t in_step_when_told(caller& by) {
    std::int64_t back = 0;
    std::optional<end> ended;
    const auto entries = by.ledger.negate();
    entries.on_value([&](const ledger::Entry& entry) {
        if (entry.amount != -back) {
            entries.cancel();
        } else if (++back < most) {
            entries.send(entry_of(back));
        } else {
            entries.finish();
        }
    });
    entries.on_end([&](const net::failure* why) { ended = end_of(why); });
    entries.send(entry_of(0));
    by.run([&] { return ended.has_value(); });
    return *ended ? -1 : back;
}

/// The same by a client that waits.
std::int64_t in_step(caller& by) {
    if (!by.waits) {
        return in_step_when_told(by);
    }
    auto entries = by.blocking.negate();
    std::int64_t back = 0;
    while (entries && back < most && entries->write(entry_of(back))) {
        const auto entry = entries->read();
        if (!entry || !*entry || (*entry)->amount != -back) {
            return -1;
        }
        ++back;
    }
    if (!entries || !entries->finish()) {
        return -1;
    }
    const auto last = entries->read();
    return last && !*last ? back : -1;
}

}  // namespace

void list(caller& by) {
    std::string ids = "list:";
    read(by, 1, 3, [&](const ledger::Entry& entry) {
        ids += " " + std::to_string(entry.id);
        return true;
    });
    by.say(ids, "list: 1 2 3");

    by.say("list: " + std::to_string(list_in_turn(by, 1, 1000)), "list: 1000");

    const auto none = read(by, 2, 1, [](const ledger::Entry&) { return true; });
    by.say(none ? "list: " + number_of(*none) + " " + none->name + " \"" + none->text + "\""
                : "list: nothing",
           "list: 3 range_empty \"no numbers\"");

    const auto left = read(by, 1, 1'000'000, [](const ledger::Entry&) { return false; });
    by.say(left && left->name == "cancelled" ? "list: left" : "list: all", "list: left");
}

void sum(caller& by) {
    by.say("sum: " + sum_of(by, {1, 2, 3}), "sum: 3 6");
    by.say("sum: " + sum_in_turn(by, {}), "sum: 0 0");
    // The two kinds of clients are told the same.
    const std::string negative = sum_of(by, {-1});
    by.say("sum: " + (negative == sum_in_turn(by, {-1}) ? negative : "they differ"),
           "sum: 9 sum_negative");
}

void negate(caller& by) {
    std::string amounts = "negate:";
    std::optional<end> ended;
    const auto entries = by.ledger.negate();
    for (const std::int64_t amount : {1, 2, 3}) {
        entries.send(entry_of(amount));
    }
    entries.finish();
    entries.on_value(
        [&](const ledger::Entry& entry) { amounts += " " + std::to_string(entry.amount); });
    entries.on_end([&](const net::failure* why) { ended = end_of(why); });
    by.run([&] { return ended.has_value(); });
    by.say(amounts, "negate: -1 -2 -3");
    by.say("negate: " + std::to_string(in_step(by)) + " in step", "negate: 1000 in step");
}

void book(caller& by) {
    const auto before = by.count(&ledger::LedgerClient::booked);
    net::event_options acked;
    acked.requires_ack = true;
    const auto send = [&](const ledger::Booking& event, const net::event_options& how) {
        return by.wait<void>([&](auto then) { by.ledger.book(event, std::move(then), how); });
    };
    ledger::Booking one;
    one.value = ledger::Booking::Entry{entry_of(5)};
    ledger::Booking many;
    many.value = ledger::Booking::Many{"many", 2};
    const bool is_taken = send(one, acked).has_value();
    by.say(is_taken && send(many, {}).has_value() ? "book: ok" : "book: failed", "book: ok");

    ledger::Entry again = entry_of(0);
    again.text = "twice";
    one.value = ledger::Booking::Entry{again};
    const auto twice = by.waits ? by.blocking.book(one, acked) : send(one, acked);
    by.say(twice ? "book: ok" : "book: " + number_of(twice.error()) + " " + twice.error().name,
           "book: 6 booked_twice");

    const auto after = by.count_until(&ledger::LedgerClient::booked, before.entries + 3);
    by.say("booked: " + std::to_string(after.entries - before.entries) + " " +
               std::to_string(after.amount - before.amount),
           "booked: 3 5");
}

}  // namespace services
