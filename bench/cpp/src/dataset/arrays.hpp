#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace bench {

/// The frame of `bench/schemas/arrays.sdp`: a sound, with the positions that were marked in it.
struct frame {
    /// The data set's name in results and on the command line.
    static constexpr std::string_view dataset = "arrays";

    std::vector<float> samples;
    std::vector<std::uint32_t> indices;

    bool operator==(const frame&) const = default;

    /// Reads it from the folder `bench/data`.
    static frame load(const std::filesystem::path& data);

    /// The sum that a reader of every field comes to.
    std::uint64_t sum() const;
};

}  // namespace bench
