/// The rules by which a server lets a handshake in, or refuses it [MXP-19.5].
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_ADMISSION_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_ADMISSION_HPP

#include <algorithm>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "../../websocket.hpp"
#include "authority.hpp"
#include "protocol.hpp"
#include "refusal_log.hpp"

namespace mxp::net::detail::ws {

namespace http = boost::beast::http;

/// The connections that pages have, by their origins [MXP-19.6].
class origins {
   public:
    /// Counts a connection, unless its origin has as many as it may.
    [[nodiscard]] bool enter(const std::string& origin, std::size_t most) {
        const std::lock_guard<std::mutex> lock{mutex_};
        const auto found = counts_.find(origin);
        const std::size_t count = found == counts_.end() ? 0 : found->second;
        if (count >= most) {
            return false;
        }
        counts_[origin] = count + 1;
        return true;
    }
    void leave(const std::string& origin) {
        const std::lock_guard<std::mutex> lock{mutex_};
        const auto found = counts_.find(origin);
        if (--found->second == 0) {
            counts_.erase(found);
        }
    }

   private:
    std::mutex mutex_{};
    std::map<std::string, std::size_t> counts_{};
};

/// The place of a connection among the connections of its origin. Programs have none, and no bound.
class origin_slot {
   public:
    origin_slot() = default;
    origin_slot(std::shared_ptr<origins> origins, std::string origin)
        : of_(std::move(origins)), origin_(std::move(origin)) {}
    origin_slot(origin_slot&&) noexcept = default;
    origin_slot& operator=(origin_slot&& source) noexcept {
        std::swap(of_, source.of_);
        std::swap(origin_, source.origin_);
        return *this;
    }
    ~origin_slot() {
        if (of_ != nullptr) {
            of_->leave(origin_);
        }
    }

   private:
    std::shared_ptr<origins> of_{};
    std::string origin_{};
};

/// Why a handshake is refused.
struct refusal {
    http::status status;
    std::string_view why;
};

/// The way in of a listener, which has one path.
class admission {
   public:
    using request = http::request<http::empty_body>;

    admission(std::string_view path, websocket_options options, logger log)
        : path_(escaped(path)),
          options_(std::move(options)),
          refused_(std::make_shared<refusal_log>(std::move(log))) {}

    /// Lets a handshake in, or says which of its faults counts.
    [[nodiscard]] std::variant<origin_slot, refusal> admit(const request& call) const {
        const auto refuse = [](http::status status, std::string_view why) {
            return refusal{status, why};
        };
        const auto [named, path] = target_of(view_of(call.target()));
        if (escaped(path) != path_) {
            return refuse(http::status::not_found, "nothing is served here");
        }
        // A header that is there twice could mean either.
        const auto [hosts, host] = header(call, http::field::host);
        if (hosts != 1 || !knows(host) || (!named.empty() && !knows(named))) {
            refused_->tell("host", host, "websocket_options::hosts");
            return refuse(http::status::forbidden, "the host is not one of this server's");
        }
        const auto [origins, origin] = header(call, http::field::origin);
        if (origins > 1 || (origins == 1 && !lets(origin))) {
            refused_->tell("origin", origin, "websocket_options::origins");
            return refuse(http::status::forbidden, "pages of this origin are not let in");
        }
        if (!asks_for(call, {}, protocol)) {
            return refuse(http::status::bad_request, "the subprotocol mxp.1 is not asked for");
        }
        if (!options_.token.empty() && !asks_for(call, token_prefix, options_.token)) {
            return refuse(http::status::unauthorized, "the token is missing, or another");
        }
        if (has_body(call)) {
            return refuse(http::status::bad_request, "a handshake has no body");
        }
        const auto [keys, key] = header(call, http::field::sec_websocket_key);
        if (keys != 1 || !is_key(key)) {
            return refuse(http::status::bad_request, "the key is no 16 bytes in base64");
        }
        if (origins == 0) {
            return origin_slot{};
        }
        std::string from{origin};
        if (!origins_->enter(from, options_.origin_connections)) {
            return refuse(http::status::too_many_requests, "this origin has too many connections");
        }
        return origin_slot{origins_, std::move(from)};
    }

   private:
    [[nodiscard]] static std::string_view view_of(boost::beast::string_view text) {
        return {text.data(), text.size()};
    }
    /// The host that a request's target names, if it does, and its path.
    [[nodiscard]] static std::pair<std::string_view, std::string_view>
    target_of(std::string_view text) {
        std::string_view host;
        const std::size_t scheme = text.find("://");
        if (text.substr(0, 1) != "/" && scheme != text.npos) {
            text.remove_prefix(scheme + 3);
            host = text.substr(0, text.find('/'));
            text.remove_prefix(host.size());
        }
        return {host, text.substr(0, text.find('?'))};
    }
    /// The number of headers of a name, and the first one's text.
    [[nodiscard]] static std::pair<std::size_t, std::string_view> header(const request& head,
                                                                         http::field name) {
        const auto all = head.equal_range(name);
        const auto n = static_cast<std::size_t>(std::distance(all.first, all.second));
        return {n, n == 0 ? std::string_view{} : view_of(all.first->value())};
    }

    [[nodiscard]] static bool has_body(const request& head) {
        const auto lengths = head.equal_range(http::field::content_length);
        return head.count(http::field::transfer_encoding) > 0 ||
               std::any_of(lengths.first, lengths.second,
                           [](const auto& item) { return view_of(item.value()) != "0"; });
    }
    /// Whether a text has 16 bytes: 22 characters of base64, of which the last has four bits that
    /// stand for nothing, and two that fill.
    [[nodiscard]] static bool is_key(std::string_view text) {
        constexpr std::size_t whole = 21;
        constexpr std::string_view last = "AQgw";
        return text.size() == whole + 3 && text.substr(whole + 1) == "==" &&
               last.find(text[whole]) != last.npos &&
               std::all_of(text.begin(), text.begin() + whole,
                           [](char c) { return is_letter_or_digit(c) || c == '+' || c == '/'; });
    }

    /// Whether a host is a loopback address, or one of the user's.
    [[nodiscard]] bool knows(std::string_view host) const {
        const auto& all = options_.hosts;
        return is_loopback(host) || std::any_of(all.begin(), all.end(), [&](const auto& item) {
                   return is_alike(item, bare(host));
               });
    }
    /// Whether pages of an origin are let in.
    [[nodiscard]] bool lets(std::string_view origin) const {
        const auto& all = options_.origins;
        if (std::any_of(all.begin(), all.end(),
                        [&](const auto& item) { return is_alike(item, origin); })) {
            return true;
        }
        for (const std::string_view scheme : {"http://", "https://"}) {
            if (origin.substr(0, scheme.size()) == scheme) {
                return is_loopback(origin.substr(scheme.size()));
            }
        }
        return false;
    }
    /// Whether a request asks for the subprotocol that is two texts.
    [[nodiscard]] static bool asks_for(const request& call, std::string_view prefix,
                                       std::string_view name) {
        const std::string wanted = std::string{prefix}.append(name);
        const auto all = call.equal_range(http::field::sec_websocket_protocol);
        bool is_there = false;
        for (auto line = all.first; line != all.second; ++line) {
            std::string_view left = view_of(line->value());
            while (!left.empty()) {
                const std::size_t end = std::min(left.find(','), left.size());
                is_there = is_same(trimmed(left.substr(0, end)), wanted) || is_there;
                left.remove_prefix(std::min(end + 1, left.size()));
            }
        }
        return is_there;
    }
    [[nodiscard]] static std::string_view trimmed(std::string_view text) {
        const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
        return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
    }
    /// Whether texts are the same, in a time that depends on their lengths alone.
    [[nodiscard]] static bool is_same(std::string_view first, std::string_view second) {
        if (first.size() != second.size()) {
            return false;
        }
        volatile unsigned char differ = 0;
        for (std::size_t i = 0; i < first.size(); ++i) {
            differ = static_cast<unsigned char>(differ | (first[i] ^ second[i]));
        }
        return differ == 0;
    }

    std::string path_;
    websocket_options options_;
    std::shared_ptr<origins> origins_ = std::make_shared<origins>();
    std::shared_ptr<refusal_log> refused_;
};

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_ADMISSION_HPP
