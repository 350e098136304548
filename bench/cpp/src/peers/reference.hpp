#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../dataset/arrays.hpp"
#include "../subject.hpp"
#include "build.hpp"

namespace bench {

/// The cost of the same data without any codec: a copy of it.
template <class T>
void add_reference(std::vector<subject>& to, const std::shared_ptr<const T>& data) {
    subject_builder<T> builder("clone", std::string(build::compiler), data, {});
    builder.copy(
        task::clone, *data, [](const T& from) { return T(from); },
        [](const T& copied) -> const T& { return copied; });
    to.push_back(std::move(builder).done());
}

/// The floor of decoding arrays: for vectors of numbers it is a copy.
inline void add_reference(std::vector<subject>& to, const std::shared_ptr<const frame>& data) {
    subject_builder<frame> builder("memcpy", std::string(build::compiler), data, {});
    builder.copy(
        task::copy, *data, [](const frame& from) { return frame(from); },
        [](const frame& copied) -> const frame& { return copied; });
    to.push_back(std::move(builder).done());
}

}  // namespace bench
