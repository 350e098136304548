/// A plug-in: makes audio louder or softer.
///
///     processor-gain ADDRESS

#include <atomic>
#include <iostream>

#include "processor.hpp"

namespace {

class gain final : public plug::audio_processor {
   public:
    [[nodiscard]] processor::Description description() const override {
        return {"Gain", {{"gain", 0, 2, gain_.load(std::memory_order_relaxed)}}};
    }

    void prepare(std::uint32_t /*rate*/) override {}

    void change(std::uint32_t /*index*/, float value) noexcept override {
        gain_.store(value, std::memory_order_relaxed);
    }

    void process(processor::Block& block) noexcept override {
        const float by = gain_.load(std::memory_order_relaxed);
        for (float& sample : block.left) {
            sample *= by;
        }
        for (float& sample : block.right) {
            sample *= by;
        }
    }

   private:
    std::atomic<float> gain_{1};
};

}  // namespace

int main(int count, char** words) {
    if (count != 2) {
        std::cerr << "usage: processor-gain ADDRESS\n";
        return 2;
    }
    gain plugin;
    return plug::serve(words[1], plugin);
}
