// Heat spreads over a plate whose rim stays as it is, until nothing changes any more: two buffers that take turns, and
// a reduction that says when to stop. Where it stops is known in closed form.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <examples/support/compare.hpp>

namespace {

constexpr std::uint32_t kSize = 34;  // Points on a side, two of them on the rim.
constexpr std::uint32_t kCount = kSize * kSize;
constexpr std::uint32_t kStepsPerFrame = 100;  // Even, so that every frame begins with the same buffer.
constexpr std::uint32_t kMaxFrames = 100;
constexpr float kRate = 0.25F;
constexpr float kStill = 4e-7F;      // A smaller change in a step is none.
constexpr double kTolerance = 2e-4;  // Of a plate between 0 and 1.

/// Where the heat comes to rest: sin(pi x) on one side, 0 on the others, and between them the function of which every
/// point is the mean of its four neighbours.
std::vector<double> make_rest() {
  const double across = std::numbers::pi / (kSize - 1);
  const double along = std::acosh(2 - std::cos(across));
  std::vector<double> rest(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t row = i / kSize;
    const auto x = static_cast<double>(i % kSize);
    const auto y = static_cast<double>(row);
    rest[i] = std::sin(across * x) * std::sinh(along * y) / std::sinh(along * (kSize - 1));
  }
  return rest;
}

class Heat {
 public:
  Heat(vyre::Session& session, const std::vector<double>& rest)
      : session_{session},
        rest_{rest},
        before_{session.buffer<float>(kCount).value()},
        after_{session.buffer<float>(kCount).value()},
        largest_{session.buffer<std::uint32_t>(1).value()},
        cold_(kCount),
        plate_(kCount) {
    std::copy(rest.end() - kSize, rest.end(), cold_.end() - kSize);
  }

  vyre::RunReport run() {
    session_.write(before_, cold_).value();
    session_.write(after_, cold_).value();
    std::uint32_t change_bits = 0;
    frames_ = 0;
    do {
      session_.fill(largest_, 0).value();
      for (std::uint32_t step = 0; step < kStepsPerFrame; ++step) {
        session_.dispatch(step_, {before_, after_}, {.groups = {2, 2}, .params = vyre::params(kSize, kRate)}).value();
        std::swap(before_, after_);
      }
      session_
          .dispatch(change_, {before_, after_, largest_},
                    {.groups = {examples::groups_for(kCount, 256)}, .params = vyre::params(kCount)})
          .value();
      session_.read(largest_, {&change_bits, 1}).value();
      session_.wait(session_.flush().value()).value();
    } while (std::bit_cast<float>(change_bits) > kStill && ++frames_ < kMaxFrames);
    session_.read(before_, plate_).value();
    return session_.finish().value();
  }

  std::string check() const {
    double worst = 0;
    for (std::size_t i = 0; i < kCount; ++i) worst = std::max(worst, std::abs(plate_[i] - rest_[i]));
    const std::string found =
        examples::text("still after %u steps, at most %.1e from the solution", (frames_ + 1) * kStepsPerFrame, worst);
    if (frames_ == kMaxFrames || !(worst < kTolerance)) throw examples::WrongResult{found};
    return found;
  }

 private:
  vyre::Session& session_;
  const std::vector<double>& rest_;
  vyre::Program step_ = examples::load_kernel("step.comp");
  vyre::Program change_ = examples::load_kernel("change.comp");
  vyre::Buffer<float> before_;
  vyre::Buffer<float> after_;
  vyre::Buffer<std::uint32_t> largest_;
  std::vector<float> cold_;
  std::vector<float> plate_;
  std::uint32_t frames_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::compare<Heat>(argc, argv,
                                 {.name = "heat",
                                  .does = "the heat equation on a plate until nothing changes",
                                  .checked_against = "the solution in closed form"},
                                 make_rest);
}
