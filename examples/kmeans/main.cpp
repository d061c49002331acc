// The sixteen colours that tell most about a picture, by k-means: give every pixel to the nearest colour, move the
// colours into the middle of their pixels, and again until no pixel changes its colour.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <examples/support/compare.hpp>

namespace {

constexpr std::uint32_t kPixels = 4'096;
constexpr std::uint32_t kColours = 16;
constexpr std::uint32_t kIterationsPerFrame = 10;
constexpr std::uint32_t kMaxFrames = 100;
constexpr double kTolerance = 0.01;  // Of a colour between 0 and 255.

using Colour = std::array<float, 4>;  // Red, green, blue, and how many pixels have it.

struct Task {
  std::vector<std::uint32_t> pixels = {};
  std::vector<Colour> start = {};
  std::vector<std::array<double, 4>> expected = {};
  std::uint32_t iterations = 0;
};

double channel(std::uint32_t pixel, std::size_t index) { return static_cast<double>(pixel >> (8 * index) & 0xff); }

/// Lloyd's algorithm in double precision.
void settle(Task& task) {
  for (const Colour& colour : task.start) task.expected.push_back({colour[0], colour[1], colour[2], 0});
  std::vector<std::size_t> labels(kPixels);
  for (bool has_moved = true; has_moved; ++task.iterations) {
    has_moved = false;
    std::vector<std::array<double, 4>> sums(kColours);
    for (std::size_t i = 0; i < kPixels; ++i) {
      const auto distance = [&](const std::array<double, 4>& colour) {
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) sum += std::pow(channel(task.pixels[i], c) - colour[c], 2);
        return sum;
      };
      const auto nearest =
          static_cast<std::size_t>(std::ranges::min_element(task.expected, {}, distance) - task.expected.begin());
      has_moved |= nearest != labels[i];
      labels[i] = nearest;
      for (std::size_t c = 0; c < 3; ++c) sums[nearest][c] += channel(task.pixels[i], c);
      sums[nearest][3] += 1;
    }
    for (std::size_t k = 0; k < kColours; ++k) {
      if (sums[k][3] == 0) continue;
      for (std::size_t c = 0; c < 3; ++c) task.expected[k][c] = sums[k][c] / sums[k][3];
      task.expected[k][3] = sums[k][3];
    }
  }
}

/// Pixels around twelve colours, and sixteen pixels to start from.
Task make_task() {
  Task task;
  std::mt19937 random{3};
  const auto pick = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  std::vector<std::array<std::uint32_t, 3>> centres(12);
  for (auto& centre : centres) centre = {pick(256), pick(256), pick(256)};
  for (std::uint32_t i = 0; i < kPixels; ++i) {
    std::uint32_t pixel = 0;
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t noise = pick(24) + pick(24) + pick(24);
      pixel |= (std::clamp(centres[i % centres.size()][c] + noise, 36U, 291U) - 36U) << 8 * c;
    }
    task.pixels.push_back(pixel);
  }
  for (std::uint32_t k = 0; k < kColours; ++k) {
    const std::uint32_t pixel = task.pixels[std::size_t{k} * 7];
    task.start.push_back({static_cast<float>(channel(pixel, 0)), static_cast<float>(channel(pixel, 1)),
                          static_cast<float>(channel(pixel, 2)), 0});
  }
  settle(task);
  return task;
}

class KMeans {
 public:
  KMeans(vyre::Session& session, const Task& task)
      : session_{session},
        task_{task},
        pixels_{session.buffer<std::uint32_t>(task.pixels).value()},
        labels_{session.buffer<std::uint32_t>(kPixels).value()},
        colours_{session.buffer<Colour>(task.start).value()},
        sums_{session.buffer<std::array<std::uint32_t, 4>>(kColours).value()},
        moved_{session.buffer<std::uint32_t>(1).value()},
        found_(kColours) {}

  vyre::RunReport run() {
    session_.write(colours_, task_.start).value();
    session_.fill(labels_, 0).value();
    std::uint32_t moved = 1;
    for (frames_ = 0; moved > 0 && frames_ < kMaxFrames; ++frames_) {
      for (std::uint32_t i = 0; i < kIterationsPerFrame; ++i) {
        // Only the last iteration of a frame is asked how many pixels it moved.
        session_.fill(moved_, 0).value();
        session_
            .dispatch(assign_, {pixels_, colours_, labels_, sums_, moved_},
                      {.groups = {kPixels / 128}, .params = vyre::params(kPixels)})
            .value();
        session_.dispatch(update_, {sums_, colours_}).value();
      }
      session_.read(moved_, {&moved, 1}).value();
      session_.wait(session_.flush().value()).value();
    }
    session_.read(colours_, found_).value();
    return session_.finish().value();
  }

  std::string check() const {
    double worst = 0;
    for (std::size_t k = 0; k < kColours; ++k) {
      for (std::size_t c = 0; c < 4; ++c) worst = std::max(worst, std::abs(found_[k][c] - task_.expected[k][c]));
    }
    const std::string found = examples::text(
        "%u pixels, %u colours, settled within %u iterations (%u in double precision), at most %.1e apart", kPixels,
        kColours, frames_ * kIterationsPerFrame, task_.iterations, worst);
    if (frames_ == kMaxFrames || !(worst < kTolerance)) throw examples::WrongResult{found};
    return found;
  }

 private:
  vyre::Session& session_;
  const Task& task_;
  vyre::Program assign_ = examples::load_kernel("assign.comp");
  vyre::Program update_ = examples::load_kernel("update.comp");
  vyre::Buffer<std::uint32_t> pixels_;
  vyre::Buffer<std::uint32_t> labels_;
  vyre::Buffer<Colour> colours_;
  vyre::Buffer<std::array<std::uint32_t, 4>> sums_;
  vyre::Buffer<std::uint32_t> moved_;
  std::vector<Colour> found_;
  std::uint32_t frames_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::compare<KMeans>(argc, argv,
                                   {.name = "kmeans",
                                    .does = "the sixteen main colours of 4,096 pixels by k-means",
                                    .checked_against = "Lloyd's algorithm in double precision"},
                                   make_task);
}
