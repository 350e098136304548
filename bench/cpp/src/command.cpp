#include "command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "build.hpp"
#include "catalogue.hpp"
#include "groups.hpp"
#include "results.hpp"

namespace bench {
namespace {

/// How many decodings the worst is looked for in.
constexpr std::uint64_t latency_operations = 1'000'000;

/// The codecs that take part, each checked against the data.
std::vector<subject> open(const options& with, const dataset& data) {
    std::vector<subject> subjects = data.open(with.root / "bench/data");
    std::erase_if(subjects, [&with](const subject& each) { return !with.codecs.has(each.codec); });
    for (subject& each : subjects) {
        for (subject::entry& entry : each.entries) {
            // Twice, so that a reused buffer or value is seen reused.
            for (int i = 0; i < 2; ++i) {
                if (const flaw found = entry.how->verify()) {
                    throw std::runtime_error(std::string(data.name) + ", " + each.codec + ", " +
                                             std::string(name(entry.what)) + ": " + *found);
                }
            }
        }
    }
    return subjects;
}

/// Runs every task of every codec and compares what comes of it with the data.
void run_once(const options& with, const std::vector<dataset>& chosen) {
    std::size_t passed = 0;
    for (const dataset& data : chosen) {
        for (const subject& each : open(with, data)) {
            std::printf("%-18.*s %-14s %8zu bytes, %zu cases agree with the data\n",
                        static_cast<int>(data.name.size()), data.name.data(), each.codec.c_str(),
                        each.bytes, each.entries.size());
            passed += each.entries.size();
        }
    }
    std::printf("%zu passed, 0 failed\n", passed);
}

template <class Record>
void show(const results& of, std::vector<Record>& list, std::vector<Record> more) {
    for (Record& each : more) {
        std::cout << of.dataset << "  " << line(each) << std::endl;
        list.push_back(std::move(each));
    }
}

void measure(const options& with, const dataset& data) {
    results made = here(with.root, std::string(data.name));
    std::vector<subject> subjects = open(with, data);
    for (const group& each : groups()) {
        show(made, made.records, measure_group(each, subjects, with));
    }
    if (!with.codecs.all() || !with.tasks.all()) {
        return;
    }
    if (data.name == plugin_registry::dataset) {
        // A million decodings of each peer would take minutes, and nothing is promised of them.
        std::erase_if(subjects, [](const subject& each) { return each.codec != "sdp-pmr"; });
        show(made, made.latencies, measure_latencies(subjects, latency_operations));
    }
    made.write(with.root / "bench/results");
}

/// Times the decodings on an arena one by one, of every codec that has them.
void run_latency(const options& with, const dataset& data) {
    std::vector<subject> subjects = open(with, data);
    for (const latency_record& each : measure_latencies(subjects, latency_operations)) {
        std::cout << data.name << "  " << line(each) << std::endl;
    }
}

/// Does the work in a process of its own, since what one data set leaves in the heap would change
/// the next.
template <class Work>
void alone(const dataset& data, Work work) {
    std::cout.flush();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        int status = EXIT_SUCCESS;
        try {
            work();
        } catch (const std::exception& flaw) {
            std::cerr << "sdpbench: " << flaw.what() << '\n';
            status = EXIT_FAILURE;
        }
        std::fflush(stdout);
        _exit(status);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        throw std::runtime_error(std::string(data.name) + " was not measured");
    }
}

}  // namespace

void run(const options& with) {
    std::vector<dataset> chosen(datasets().begin(), datasets().end());
    std::erase_if(chosen, [&with](const dataset& each) { return !with.datasets.has(each.name); });
    if (chosen.empty()) {
        throw std::invalid_argument("there is no such data set");
    }
    if (with.once) {
        run_once(with, chosen);
        return;
    }
    if (build::type != "Release") {
        throw std::runtime_error("only a release build is measured; this one is for --once");
    }
    for (const dataset& data : chosen) {
        alone(data, [&] { with.latency ? run_latency(with, data) : measure(with, data); });
    }
}

}  // namespace bench
