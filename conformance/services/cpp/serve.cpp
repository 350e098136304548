#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "program.hpp"

namespace services {

namespace {

namespace net = mxp::net;

/// Answers ledger.Ledger. One thread serves all connections, so that nobody else counts.
class server final : public ledger::LedgerServer {
   public:
    void echo(const net::request& /*asked*/, ledger::Entry value,
              net::replier<ledger::Entry> to) override {
        to.respond(value);
    }

    void fail(const net::request& /*asked*/, ledger::Wanted value,
              net::replier<ledger::Nothing> to) override {
        net::failure why = failed(value.status, value.name, value.text);
        why.details = value.details;
        to.fail(why);
    }

    void wait(const net::request& /*asked*/, ledger::Nothing /*value*/,
              net::replier<ledger::Nothing> to) override {
        to.on_cancel([this, to] { ++gone_; });  // which keeps the call until then
    }

    void waited(const net::request& /*asked*/, ledger::Nothing /*value*/,
                net::replier<ledger::Total> to) override {
        to.respond({gone_, 0});
    }

    void nothing(const net::request& /*asked*/, ledger::Nothing value,
                 net::replier<ledger::Nothing> to) override {
        to.respond(value);
    }

    void blob(const net::request& /*asked*/, ledger::Blob value,
              net::replier<ledger::Blob> to) override {
        to.respond(value);
    }

    void list(const net::request& /*asked*/, ledger::Range value,
              net::sender<ledger::Entry> to) override {
        if (value.last < value.first) {
            to.fail(failed(3, "range_empty", "no numbers"));
            return;
        }
        to.send_all([next = std::optional{value.first}, last = value.last]() mutable {
            if (!next) {
                return std::optional<ledger::Entry>{};
            }
            ledger::Entry entry;
            entry.id = *next;
            entry.text = std::to_string(*next);
            entry.amount = -static_cast<std::int64_t>(*next);
            next = *next == last ? std::nullopt : std::optional{*next + 1};
            return std::optional{entry};
        });
    }

    void sum(const net::request& /*asked*/,
             net::client_stream<ledger::Entry, ledger::Total> from) override {
        const auto total = std::make_shared<ledger::Total>();
        from.on_value([from, total](const ledger::Entry& entry) {
            ++total->entries;
            total->amount += entry.amount;
            if (total->amount < 0) {
                from.fail(failed(9, "sum_negative"));
            }
        });
        from.on_finish([from, total] { from.respond(*total); });
    }

    void negate(const net::request& /*asked*/,
                net::bidi_stream<ledger::Entry, ledger::Entry> both) override {
        both.on_value([both](ledger::Entry entry) {
            entry.amount = -entry.amount;
            both.send(entry);
            if (both.unsent() > unsent_most) {
                both.pause();
            }
        });
        both.on_sent([both] { both.resume(); });
        both.on_finish([both] { both.finish(); });
    }

    std::optional<net::failure> book(const net::request& /*asked*/,
                                     ledger::Booking event) override {
        if (const auto* const many = std::get_if<ledger::Booking::Many>(&event.value)) {
            booked_.entries += many->times;
        } else if (const auto* const one = std::get_if<ledger::Booking::Entry>(&event.value)) {
            if (one->value->text == "twice") {
                return failed(6, "booked_twice");
            }
            ++booked_.entries;
            booked_.amount += one->value->amount;
        }
        return std::nullopt;
    }

    void booked(const net::request& /*asked*/, ledger::Nothing /*value*/,
                net::replier<ledger::Total> to) override {
        to.respond(booked_);
    }

    void round(const net::request& /*asked*/, ledger::Rounding value,
               net::replier<ledger::Rounding> to) override {
        to.respond(value);
    }

   private:
    /// How many bytes wait at most for a peer that doesn't read.
    static constexpr std::size_t unsent_most = 65536;

    std::uint64_t gone_ = 0;
    ledger::Total booked_;
};

/// The trace of a request, as W3C's headers have it.
std::string traced(const net::request& asked) {
    if (!asked.trace) {
        return {};
    }
    std::ostringstream text;
    text << std::hex << std::setfill('0') << " 00-";
    for (const std::uint8_t byte : asked.trace->id) {
        text << std::setw(2) << unsigned{byte};
    }
    text << "-" << std::setw(16) << asked.trace->parent;
    text << "-" << std::setw(2) << unsigned{asked.trace->flags} << " ";
    for (const auto& one : asked.metadata) {
        text << (one.key() == "tracestate" ? text_of(one.value()) : "");
    }
    return text.str();
}

/// Refuses requests with a wrong key, and names the called method in answers.
void guard(net::incoming_request& asked) {
    for (const auto& one : asked.request.metadata) {
        if (one.key() == key_name && text_of(one.value()) != sesame) {
            net::failure why = failed(16, "key_wrong");
            why.acted = false;
            asked.refuse(why);
            return;
        }
    }
    const std::string seen = std::string{asked.method.name} + traced(asked.request);
    asked.on_end(
        [seen](net::answer_end& how) { how.metadata.emplace_back(seen_name, bytes_of(seen)); });
}

}  // namespace

int serve(const std::string& address) {
    asio::io_context context{1};
    net::services all;
    ledger::LedgerService::serve(all, std::make_shared<server>());
    all.intercept(guard);
    net::server_options how;
    how.channels = channels();
    net::server served{context, std::move(all), how};
    if (const auto at = served.listen(address); !at) {
        std::cerr << at.error().text << ": " << at.error().code.message() << "\n";
        return 1;
    }
    std::cout << "ready" << std::endl;
    asio::signal_set signals{context, SIGINT, SIGTERM};
    signals.async_wait([&](const std::error_code&, int) {
        served.close();
        context.stop();
    });
    context.run();
    return 0;
}

}  // namespace services
