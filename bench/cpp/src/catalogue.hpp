#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dataset/arrays.hpp"
#include "dataset/plugins.hpp"
#include "dataset/primitives.hpp"
#include "subject.hpp"

namespace bench {

/// A data set's name and its codecs, made on demand.
struct dataset {
    std::string_view name;
    /// Every codec on the data; `folder` is that of the data files.
    std::vector<subject> (*open)(const std::filesystem::path& folder);
};

/// All data sets.
std::span<const dataset> datasets() noexcept;

}  // namespace bench
