/// Tells what is served: `mxp.reflection`, beside the services.
#ifndef MXP_NET_REFLECTION_HPP
#define MXP_NET_REFLECTION_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mxp_reflection_service.hpp"

namespace mxp::net {

namespace detail {

/// Answers with a list of a side's services, which it is told when the list is complete.
class reflector final : public mxp::reflection::ReflectionServer, public services::watcher {
   public:
    void on_serve(const services& services) override {
        std::vector<mxp::reflection::Service> made;
        for (const net::service& one : services.all()) {
            made.push_back(described(one, services.types()));
        }
        const std::lock_guard<std::mutex> lock{mutex_};
        all_ = std::make_shared<const std::vector<mxp::reflection::Service>>(std::move(made));
    }

    void list(const request& /*asked*/, mxp::reflection::ListRequest /*value*/,
              replier<mxp::reflection::ServiceList> replier) override {
        mxp::reflection::ServiceList told;
        for (const mxp::reflection::Service& one : *all()) {
            told.names.push_back(one.name);
        }
        replier.respond(told);
    }
    void describe(const request& /*asked*/, mxp::reflection::DescribeRequest value,
                  replier<mxp::reflection::Service> replier) override {
        const auto told = all();
        const auto found = std::find_if(told->begin(), told->end(), [&](const auto& item) {
            return item.name == value.service;
        });
        if (found == told->end()) {
            replier.fail(
                failure_of(session::kind::service_unknown, "there is no service " + value.service));
        } else {
            replier.respond(*found);
        }
    }

   private:
    /// The methods of a service, and the types that any of them is known to have [MXP-13.10].
    [[nodiscard]] static mxp::reflection::Service
    described(const net::service& service, const std::vector<session::type>& types) {
        mxp::reflection::Service made;
        made.name = service.name();
        service.for_each_method(
            [&](session::purpose kind, std::uint16_t n, const method_facts& facts) {
                made.methods.push_back(described(kind, n, facts));
            });
        std::stable_sort(made.methods.begin(), made.methods.end(),
                         [](const auto& a, const auto& b) { return a.number < b.number; });
        for (const session::type& type : types) {
            bool is_reached = false;
            for (mxp::reflection::Method& method : made.methods) {
                if (is_of(type.requests, made.name, method.number)) {
                    method.request.type = type.name;
                    is_reached = true;
                }
                if (method.response && is_of(type.responses, made.name, method.number)) {
                    method.response->type = type.name;
                    is_reached = true;
                }
            }
            if (is_reached) {
                made.types.push_back({type.name, type.fingerprints, type.layout});
            }
        }
        return made;
    }

    [[nodiscard]] static mxp::reflection::Method
    described(session::purpose kind, std::uint16_t number, const method_facts& facts) {
        mxp::reflection::Method made;
        made.name = facts.name;
        made.number = number;
        made.kind = kind == session::purpose::call     ? mxp::reflection::Kind::Call
                    : kind == session::purpose::stream ? mxp::reflection::Kind::Stream
                                                       : mxp::reflection::Kind::Event;
        made.idempotent = facts.is_idempotent;
        made.request.flows = facts.flowing.requests;
        if (kind != session::purpose::event) {
            made.response = mxp::reflection::Value{{}, facts.flowing.responses};
        }
        return made;
    }

    [[nodiscard]] static bool is_of(const std::vector<session::method_name>& methods,
                                    const std::string& service, std::uint16_t number) {
        return std::any_of(methods.begin(), methods.end(), [&](const session::method_name& name) {
            return name.service == service && name.number == number;
        });
    }

    [[nodiscard]] std::shared_ptr<const std::vector<mxp::reflection::Service>> all() {
        const std::lock_guard<std::mutex> lock{mutex_};
        return all_;
    }

    std::mutex mutex_;
    /// In the order of Hello.
    std::shared_ptr<const std::vector<mxp::reflection::Service>> all_ =
        std::make_shared<const std::vector<mxp::reflection::Service>>();
};

}  // namespace detail

/// Serves `mxp.reflection` beside what is there, and comes later. Every admitted client may read
/// the list of all services.
inline void serve_reflection(services& services) {
    const auto made = std::make_shared<detail::reflector>();
    mxp::reflection::ReflectionService::serve(services, made);
    services.watch(made);
}

}  // namespace mxp::net

#endif  // MXP_NET_REFLECTION_HPP
