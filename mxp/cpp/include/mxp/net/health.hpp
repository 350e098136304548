/// Tells whether a server can be asked: `mxp.health`, beside its services.
#ifndef MXP_NET_HEALTH_HPP
#define MXP_NET_HEALTH_HPP

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mxp_health_service.hpp"

namespace mxp::net {

/// Has services tell whether they can be asked, and is told when they can't, on any thread. All are
/// serving until something else is said; the server as a whole has the empty name. When the server
/// drains, no service is serving, and all watchers are told so.
class health_reporter {
   public:
    using state = mxp::health::State;

    /// Serves `mxp.health` beside what is there, and comes later.
    explicit health_reporter(services& services) : all_(std::make_shared<reports>()) {
        mxp::health::HealthService::serve(services, all_);
        services.watch(all_);
    }

    /// Says how a service is, or with the empty name the server as a whole. A service that is not
    /// served stays unknown.
    void set(const std::string& service, state now) const { all_->set(service, now); }

   private:
    class reports final : public mxp::health::HealthServer, public services::watcher {
       public:
        void set(const std::string& service, state now) {
            const std::lock_guard<std::recursive_mutex> lock{mutex_};
            said_[service] = now;
            for (auto& [id, one] : watched_) {
                update(one);
            }
        }

        void on_serve(const services& services) override {
            const std::lock_guard<std::recursive_mutex> lock{mutex_};
            names_ = services.names();
            names_.emplace_back();
        }
        void on_drain() override {
            const std::lock_guard<std::recursive_mutex> lock{mutex_};
            is_draining_ = true;
            for (auto& [id, one] : watched_) {
                end(one);
            }
        }

        void check(const request& /*asked*/, mxp::health::Request value,
                   replier<mxp::health::Report> replier) override {
            const std::lock_guard<std::recursive_mutex> lock{mutex_};
            replier.respond({state_of(value.service)});
        }
        void watch(const request& /*asked*/, mxp::health::Request value,
                   sender<mxp::health::Report> writer) override {
            const std::lock_guard<std::recursive_mutex> lock{mutex_};
            const std::uint64_t id = ++ids_;
            writer.on_end([this, id](const failure*) {
                const std::lock_guard<std::recursive_mutex> ending{mutex_};
                watched_.erase(id);
            });
            writer.on_sent([this, id] {
                const std::lock_guard<std::recursive_mutex> sent{mutex_};
                if (const auto found = watched_.find(id); found != watched_.end()) {
                    update(found->second);
                }
            });
            health_watch& one =
                watched_
                    .emplace(id,
                             health_watch{std::move(value.service), std::move(writer), {}, false})
                    .first->second;
            if (is_draining_) {
                end(one);
            } else {
                say(one);
            }
        }

       private:
        struct health_watch {
            std::string service;
            sender<mxp::health::Report> to;
            state last;
            bool is_ending;
        };

        [[nodiscard]] state state_of(const std::string& service) const {
            if (is_draining_) {
                return state::NotServing;
            }
            if (std::find(names_.begin(), names_.end(), service) == names_.end()) {
                return state::Unknown;
            }
            const auto found = said_.find(service);
            return found == said_.end() ? state::Serving : found->second;
        }
        /// Tells what is known now.
        void say(health_watch& watch) {
            watch.last = state_of(watch.service);
            watch.to.send({watch.last});
        }
        /// Tells what is new, once what was told before has gone: who takes nothing costs little.
        void update(health_watch& watch) {
            if (!watch.is_ending && watch.to.unsent() == 0 &&
                state_of(watch.service) != watch.last) {
                say(watch);
            }
        }
        void end(health_watch& watch) {
            watch.is_ending = true;
            say(watch);
            watch.to.finish();
        }

        /// A stream that has ended meanwhile may be told of from within.
        std::recursive_mutex mutex_;
        std::vector<std::string> names_;
        std::map<std::string, state> said_;
        std::map<std::uint64_t, health_watch> watched_;
        std::uint64_t ids_ = 0;
        bool is_draining_ = false;
    };

    std::shared_ptr<reports> all_;
};

}  // namespace mxp::net

#endif  // MXP_NET_HEALTH_HPP
