#include "arrays.hpp"

#include "json_file.hpp"
#include "sum.hpp"

namespace bench {

frame frame::load(const std::filesystem::path& data) {
    const nlohmann::json from = read_json(data / "arrays.json");
    frame loaded;
    from.at("samples").get_to(loaded.samples);
    from.at("indices").get_to(loaded.indices);
    return loaded;
}

std::uint64_t frame::sum() const {
    checksum sum;
    for (const float sample : samples) {
        sum.float_number(sample);
    }
    for (const std::uint32_t index : indices) {
        sum.unsigned_number(index);
    }
    return sum.value();
}

}  // namespace bench
