/// The counters of a session.
#ifndef MXP_SESSION_STATS_HPP
#define MXP_SESSION_STATS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../frame.hpp"
#include "counter.hpp"
#include "latency.hpp"
#include "methods.hpp"
#include "spec_gen.hpp"

namespace mxp::session {

/// Frames and their bytes.
struct traffic {
    counter frames{};
    counter bytes{};
};

/// The counters of a session, and its gauges at a moment.
class statistics {
   public:
    /// All types, in ascending order of their numbers.
    static constexpr auto types = frame_types;

    [[nodiscard]] const traffic& in(frame_type of) const noexcept { return in_[place(of)]; }
    [[nodiscard]] const traffic& out(frame_type type) const noexcept { return out_[place(type)]; }
    /// The number of times that a refusal was told to the peer, or ended the session.
    [[nodiscard]] std::uint64_t refusals(kind kind) const noexcept {
        return refusals_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::uint64_t refusals(mxp::kind kind) const noexcept {
        return refusals_[static_cast<std::size_t>(kind)];
    }

    /// From the making of Calls to their answers.
    latency calls{};
    /// Events that were dropped [MXP-9.5].
    counter dropped{};
    /// Frames that came too late [MXP-5.7].
    counter late{};
    /// Requests that a client has made again by its policy, and requests that it hasn't since too
    /// many were [MXP-14.8].
    counter retries{};
    counter retries_over_budget{};
    /// The number of times that a client has left out a connection for a while [MXP-14.10].
    counter outliers{};
    /// Connections by shared memory that went over the socket instead [MXP-18.5].
    counter shm_fallbacks{};
    /// The requests of each method, in the order of their sides and names, where a server or a
    /// client counts them.
    std::vector<method_statistics> methods{};

    // The gauges of this moment.
    std::size_t in_flight_here = 0;
    std::size_t in_flight_peer = 0;
    std::size_t queue_bytes = 0;
    std::size_t queue_frames = 0;
    /// The bytes that are held [MXP-15.1], or by connections all that they hold [MXP-15.2].
    std::size_t held_bytes = 0;

    void came(frame_type type, std::size_t bytes) noexcept { add(in_[place(type)], bytes); }
    void gave(frame_type type, std::size_t bytes) noexcept { add(out_[place(type)], bytes); }
    template <class Kind>
    void refused(Kind kind) noexcept {
        ++refusals_[static_cast<std::size_t>(kind)];
    }

    /// Adds what another session has counted, and has.
    void add(const statistics& source) {
        for (std::size_t i = 0; i < types.size(); ++i) {
            in_[i].frames += source.in_[i].frames;
            in_[i].bytes += source.in_[i].bytes;
            out_[i].frames += source.out_[i].frames;
            out_[i].bytes += source.out_[i].bytes;
        }
        for (std::size_t i = 0; i < refusals_.size(); ++i) {
            refusals_[i] += source.refusals_[i];
        }
        calls.add(source.calls);
        detail::add(methods, source.methods);
        dropped += source.dropped;
        late += source.late;
        retries += source.retries;
        retries_over_budget += source.retries_over_budget;
        outliers += source.outliers;
        shm_fallbacks += source.shm_fallbacks;
        in_flight_here += source.in_flight_here;
        in_flight_peer += source.in_flight_peer;
        queue_bytes += source.queue_bytes;
        queue_frames += source.queue_frames;
        held_bytes += source.held_bytes;
    }

    /// The counters in the text format of Prometheus.
    [[nodiscard]] std::string prometheus() const {
        std::string to;
        add_traffic(to, "mxp_frames_total", &traffic::frames);
        add_traffic(to, "mxp_bytes_total", &traffic::bytes);
        add_type(to, "mxp_in_flight", "gauge");
        add_line(to, "mxp_in_flight{side=\"here\"}", in_flight_here);
        add_line(to, "mxp_in_flight{side=\"peer\"}", in_flight_peer);
        add_one(to, "mxp_queue_bytes", "gauge", queue_bytes);
        add_one(to, "mxp_queue_frames", "gauge", queue_frames);
        add_one(to, "mxp_held_bytes", "gauge", held_bytes);
        add_type(to, "mxp_refusals_total", "counter");
        for (std::size_t i = 0; i < refusals_.size(); ++i) {
            if (refusals_[i] > 0) {
                std::string name{"mxp_refusals_total{name=\""};
                name.append(name_of(i)).append("\"}");
                add_line(to, name, refusals_[i]);
            }
        }
        add_one(to, "mxp_events_dropped_total", "counter", dropped);
        add_one(to, "mxp_late_frames_total", "counter", late);
        add_one(to, "mxp_retries_total", "counter", retries);
        add_one(to, "mxp_retries_over_budget_total", "counter", retries_over_budget);
        add_one(to, "mxp_outliers_total", "counter", outliers);
        add_one(to, "mxp_shm_fallbacks_total", "counter", shm_fallbacks);
        add_calls(to);
        detail::methods_text{to}.add(methods);
        return to;
    }

   private:
    /// Numbers of refusals are below it.
    static constexpr std::size_t kinds = static_cast<std::size_t>(kind::limit_batch_bytes) + 1;

    static constexpr std::array<std::uint8_t, 256> places = [] {
        std::array<std::uint8_t, 256> made{};
        for (std::size_t i = 0; i < types.size(); ++i) {
            made[static_cast<std::size_t>(types[i])] = static_cast<std::uint8_t>(i);
        }
        return made;
    }();
    [[nodiscard]] static std::size_t place(frame_type type) noexcept {
        return places[static_cast<std::size_t>(type)];
    }

    static void add(traffic& traffic, std::size_t bytes) noexcept {
        ++traffic.frames;
        traffic.bytes += bytes;
    }

    /// The name of a refusal of frames or of sessions, whose numbers differ.
    [[nodiscard]] static std::string_view name_of(std::size_t number) noexcept {
        return number >= static_cast<std::size_t>(kind::hello)
                   ? to_string(static_cast<kind>(number))
                   : to_string(static_cast<mxp::kind>(number));
    }

    static void add_type(std::string& output, std::string_view name, std::string_view type) {
        output.append("# TYPE ").append(name).append(" ").append(type).append("\n");
    }
    static void add_line(std::string& output, std::string_view name, std::uint64_t number) {
        output.append(name).append(" ").append(std::to_string(number)).append("\n");
    }
    static void add_one(std::string& output, std::string_view name, std::string_view type,
                        std::uint64_t number) {
        add_type(output, name, type);
        add_line(output, name, number);
    }

    void add_traffic(std::string& output, std::string_view name, counter traffic::*of) const {
        add_type(output, name, "counter");
        for (const auto* table : {&in_, &out_}) {
            for (std::size_t i = 0; i < types.size(); ++i) {
                if ((*table)[i].frames > 0) {
                    std::string line{name};
                    line.append("{direction=\"").append(table == &in_ ? "in" : "out");
                    line.append("\",type=\"").append(to_string(types[i])).append("\"}");
                    add_line(output, line, (*table)[i].*of);
                }
            }
        }
    }

    void add_calls(std::string& output) const {
        const std::string name{"mxp_call_seconds"};
        add_type(output, name, "histogram");
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < latency::bounds; ++i) {
            n += calls.bucket(i);
            add_line(output, name + "_bucket{le=\"" + seconds_of(std::uint64_t{1} << i) + "\"}", n);
        }
        add_line(output, name + "_bucket{le=\"+Inf\"}", calls.count());
        output += name + "_sum " + seconds_of(calls.sum()) + "\n";
        add_line(output, name + "_count", calls.count());
    }

    std::array<traffic, types.size()> in_{};
    std::array<traffic, types.size()> out_{};
    std::array<counter, kinds> refusals_{};
};

}  // namespace mxp::session

#endif  // MXP_SESSION_STATS_HPP
