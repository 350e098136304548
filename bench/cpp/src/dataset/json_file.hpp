#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace bench {

/// Reads a file of data. nlohmann's library is used because it is kept up, is one header, and reads
/// into and writes from plain values; its speed is not what is measured.
inline nlohmann::json read_json(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        throw std::runtime_error(file.string() + " can't be read");
    }
    return nlohmann::json::parse(in);
}

}  // namespace bench
