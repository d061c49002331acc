// Blurs an image with eight filters as large as itself, by Fourier transforms: image and filters there, products, and
// back. The filters do not depend on each other, so that their passes may run side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include <fftw3.h>

#include <examples/support/compare.hpp>

namespace {

using Complex = std::complex<float>;
using Picture = std::vector<Complex>;

constexpr std::uint32_t kSize = 64;  // A power of 4.
constexpr std::uint32_t kCount = kSize * kSize;
constexpr std::size_t kFilters = 8;
constexpr double kTolerance = 1e-5;  // Of the largest value.

struct Task {
  Picture image = {};
  std::array<Picture, kFilters> filters = {};
  std::array<std::vector<std::complex<double>>, kFilters> blurred = {};
};

std::vector<std::complex<double>> transform(std::vector<std::complex<double>> values, int direction) {
  auto* data = reinterpret_cast<fftw_complex*>(values.data());
  fftw_plan plan = fftw_plan_dft_2d(kSize, kSize, data, data, direction, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return values;
}

/// Noise, and bells of growing width around the corner, since the plane is closed at its ends; with FFTW's
/// convolutions.
Task make_task() {
  Task task;
  std::mt19937 random{1};
  for (std::size_t i = 0; i < kCount; ++i) task.image.emplace_back(static_cast<float>(random() % 256) / 255, 0.0F);
  const auto image = transform({task.image.begin(), task.image.end()}, FFTW_FORWARD);
  for (std::size_t f = 0; f < kFilters; ++f) {
    const double width = 0.5 + static_cast<double>(f);
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto x = static_cast<double>(std::min(i % kSize, kSize - i % kSize));
      const auto y = static_cast<double>(std::min(i / kSize, kSize - i / kSize));
      const double bell = std::exp(-(x * x + y * y) / (2 * width * width)) / (2 * std::numbers::pi * width * width);
      task.filters[f].emplace_back(static_cast<float>(bell), 0.0F);
    }
    auto product = transform({task.filters[f].begin(), task.filters[f].end()}, FFTW_FORWARD);
    for (std::size_t i = 0; i < kCount; ++i) product[i] *= image[i] / static_cast<double>(kCount);
    task.blurred[f] = transform(std::move(product), FFTW_BACKWARD);
  }
  return task;
}

Picture make_roots() {
  Picture roots;
  for (std::uint32_t i = 0; i < kSize; ++i) roots.emplace_back(std::polar(1.0, -2 * std::numbers::pi * i / kSize));
  return roots;
}

class Convolution {
 public:
  Convolution(vyre::Session& session, const Task& task)
      : session_{session},
        task_{task},
        roots_{session.buffer<Complex>(make_roots()).value()},
        image_{session.buffer<Complex>(kCount).value()},
        spare_{session.buffer<Complex>(kCount).value()} {
    for (std::size_t f = 0; f < kFilters; ++f) {
      filters_[f] = session.buffer<Complex>(kCount).value();
      spares_[f] = session.buffer<Complex>(kCount).value();
      blurred_[f].resize(kCount);
    }
  }

  vyre::RunReport run() {
    session_.write(image_, task_.image).value();
    transform(image_, spare_, 1.0F);
    for (std::size_t f = 0; f < kFilters; ++f) {
      session_.write(filters_[f], task_.filters[f]).value();
      transform(filters_[f], spares_[f], 1.0F);
      session_
          .dispatch(multiply_, {image_, filters_[f], spares_[f]},
                    {.groups = {kCount / 64}, .params = vyre::params(kCount, 1.0F / kCount)})
          .value();
      transform(spares_[f], filters_[f], -1.0F);
      session_.read(spares_[f], blurred_[f]).value();
    }
    return session_.finish().value();
  }

  std::string check() const {
    double worst = 0;
    double largest = 0;
    for (std::size_t f = 0; f < kFilters; ++f) {
      for (std::size_t i = 0; i < kCount; ++i) {
        worst = std::max(worst, std::abs(std::complex<double>{blurred_[f][i]} - task_.blurred[f][i]));
        largest = std::max(largest, std::abs(task_.blurred[f][i]));
      }
    }
    const std::string found =
        examples::text("%zu filters on %u x %u points, at most %.1e of the largest value from FFTW", kFilters, kSize,
                       kSize, worst / largest);
    if (!(worst < kTolerance * largest)) throw examples::WrongResult{found};
    return found;
  }

 private:
  /// Transforms rows and then columns; `spare` is used on the way. An even number of passes, so that it ends in `data`.
  void transform(vyre::Buffer<Complex> data, vyre::Buffer<Complex> spare, float sign) {
    for (const bool is_row : {true, false}) {
      for (std::uint32_t done = 1; done < kSize; done *= 4) {
        const auto step = is_row ? 1U : kSize;
        const auto next_line = is_row ? kSize : 1U;
        session_
            .dispatch(
                pass_, {roots_, data, spare},
                {.groups = {kSize / 4 / 16, kSize / 4}, .params = vyre::params(kSize, done, step, next_line, sign)})
            .value();
        std::swap(data, spare);
      }
    }
  }

  vyre::Session& session_;
  const Task& task_;
  vyre::Program pass_ = examples::load_kernel("fft_pass.comp");
  vyre::Program multiply_ = examples::load_kernel("multiply.comp");
  vyre::Buffer<Complex> roots_;
  vyre::Buffer<Complex> image_;
  vyre::Buffer<Complex> spare_;
  std::array<vyre::Buffer<Complex>, kFilters> filters_ = {};
  std::array<vyre::Buffer<Complex>, kFilters> spares_ = {};
  std::array<Picture, kFilters> blurred_ = {};
};

}  // namespace

int main(int argc, char** argv) {
  return examples::compare<Convolution>(argc, argv,
                                        {.name = "convolution",
                                         .does = "convolution with eight filters by Fourier transforms",
                                         .checked_against = "FFTW"},
                                        make_task);
}
