#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

/// The median and the spread of samples, which stay in the order of their rounds.
struct nanosecond_samples {
    explicit nanosecond_samples(std::vector<double> of);

    double median;
    double p10;
    double p90;
    std::vector<double> samples;
};

/// One task of one codec, as results have it.
struct record {
    std::string group;
    std::string task;
    std::string codec;
    std::string version;
    std::size_t bytes;
    nanosecond_samples ns;
    allocated each;
};

/// Single operations of one codec, as results have them.
struct latency_record {
    std::string task;
    std::string codec;
    latency took;
};

/// Where measurements are made.
struct machine {
    std::string cpu;
    unsigned cores;
    double load;
};

/// A file of results, of the form that `bench/results/schema.json` says.
struct results {
    std::string dataset;
    std::string date;
    std::string commit;
    machine where;
    std::vector<record> records;
    std::vector<latency_record> latencies;

    /// The text of the file.
    std::string text() const;

    /// Writes the file in a folder.
    void write(const std::filesystem::path& folder) const;
};

/// An empty file of results that says where and when it is measured; `root` is the repository's.
results here(const std::filesystem::path& root, std::string dataset);

/// A record as a line for people at a terminal.
std::string line(const record& of);
std::string line(const latency_record& of);

}  // namespace bench
