#include "results.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "build.hpp"

namespace bench {
namespace {

using nlohmann::ordered_json;

double quantile(const std::vector<double>& sorted, std::size_t percent) {
    const std::size_t rank = percent * (sorted.size() - 1);
    const double below = sorted[rank / 100];
    const double above = sorted[std::min(rank / 100 + 1, sorted.size() - 1)];
    return below + static_cast<double>(rank % 100) / 100 * (above - below);
}

std::vector<double> in_order(std::vector<double> samples) {
    std::ranges::sort(samples);
    return samples;
}

ordered_json json_of(const record& of) {
    return {
        {"group", of.group},
        {"case", of.task},
        {"codec", of.codec},
        {"version", of.version},
        {"bytes", of.bytes},
        {"ns",
         {{"median", of.ns.median},
          {"p10", of.ns.p10},
          {"p90", of.ns.p90},
          {"samples", of.ns.samples}}},
        {"allocations", of.each.allocations},
        {"allocated_bytes", of.each.bytes},
        {"heap", {{"mode", "none"}, {"live_bytes", nullptr}, {"collector", ""}}},
    };
}

ordered_json json_of(const latency_record& of) {
    return {
        {"case", of.task},
        {"codec", of.codec},
        {"operations", of.took.operations},
        {"median", of.took.median},
        {"p99", of.took.p99},
        {"worst", of.took.worst},
        {"allocations", of.took.all.allocations},
    };
}

template <class Record>
ordered_json json_of(const std::vector<Record>& all) {
    ordered_json list = ordered_json::array();
    for (const Record& each : all) {
        list.push_back(json_of(each));
    }
    return list;
}

template <class... Values>
std::string printed(const char* format, Values... values) {
    std::string text(512, '\0');
    const int size = std::snprintf(text.data(), text.size(), format, values...);
    text.resize(std::min(static_cast<std::size_t>(size), text.size() - 1));
    return text;
}

}  // namespace

nanosecond_samples::nanosecond_samples(std::vector<double> of) : samples(std::move(of)) {
    const std::vector<double> sorted = in_order(samples);
    median = quantile(sorted, 50);
    p10 = quantile(sorted, 10);
    p90 = quantile(sorted, 90);
}

std::string results::text() const {
    ordered_json file = {
        {"language", "cpp"},
        {"dataset", dataset},
        {"allocator", "glibc"},
        {"date", date},
        {"commit", commit},
        {"command", "make bench"},
        {"machine",
         {{"cpu", where.cpu},
          {"cores", where.cores},
          {"os", "linux"},
          {"arch", build::arch},
          {"compiler", build::compiler},
          {"load", where.load}}},
        {"records", json_of(records)},
    };
    if (!latencies.empty()) {
        file["latencies"] = json_of(latencies);
    }
    return file.dump(1) + "\n";
}

void results::write(const std::filesystem::path& folder) const {
    const std::filesystem::path file = folder / ("cpp-" + dataset + ".json");
    std::ofstream out(file);
    out << text();
    out.close();
    if (!out) {
        throw std::runtime_error(file.string() + " can't be written");
    }
}

std::string line(const record& of) {
    const double least = std::ranges::min(of.ns.samples);
    return printed("%-21s %-21s %-14s %12.1f ns, least %.1f [%.1f–%.1f] %7llu allocations %9llu "
                   "bytes allocated",
                   of.group.c_str(), of.task.c_str(), of.codec.c_str(), of.ns.median, least,
                   of.ns.p10, of.ns.p90, static_cast<unsigned long long>(of.each.allocations),
                   static_cast<unsigned long long>(of.each.bytes));
}

std::string line(const latency_record& of) {
    return printed("one by one            %-21s %-14s %12.1f ns, 99 %% within %.0f, worst %.0f of "
                   "%llu, %llu allocations in all",
                   of.task.c_str(), of.codec.c_str(), of.took.median, of.took.p99, of.took.worst,
                   static_cast<unsigned long long>(of.took.operations),
                   static_cast<unsigned long long>(of.took.all.allocations));
}

}  // namespace bench
