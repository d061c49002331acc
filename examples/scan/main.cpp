// Looks for four patterns in a file of 64 MiB, which is mapped and goes to the device in parts: while the device looks
// through some of them, the host copies the next. What differs between parts travels with their bytes, so that the
// dispatches are the same every time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <examples/support/compare.hpp>

namespace {

constexpr std::size_t kFileBytes = std::size_t{64} << 20;
constexpr std::size_t kPartBytes = std::size_t{1} << 20;
constexpr std::size_t kOverlap = 32;  // A pattern may begin in one part and end in the next.
constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kSlots = 4;  // Parts on the device at once.
constexpr std::size_t kMaxFound = 16'384;
constexpr std::array<std::string_view, 4> kPatterns{"vyre", "breadth-first", "sixteen letters!", "q#%z"};

/// A file that is mapped, and gone at the end.
class Text {
 public:
  Text() {
    std::string name = (std::filesystem::temp_directory_path() / "vyre_scan_XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw std::runtime_error{"a file of 64 MiB cannot be made in " + name};
    unlink(name.c_str());
    const std::vector<char> letters = make_letters();
    std::size_t written = 0;
    while (written < kFileBytes) {
      const ssize_t count = ::write(file, letters.data() + written, kFileBytes - written);
      if (count <= 0) throw std::runtime_error{"64 MiB cannot be written to " + name};
      written += static_cast<std::size_t>(count);
    }
    bytes_ = mmap(nullptr, kFileBytes, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes_ == MAP_FAILED) throw std::runtime_error{name + " cannot be mapped"};
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { munmap(bytes_, kFileBytes); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(bytes_), kFileBytes}; }

 private:
  /// Random small letters, and every pattern in a thousand places.
  static std::vector<char> make_letters() {
    std::vector<char> letters(kFileBytes);
    std::mt19937_64 random{1};
    for (std::size_t i = 0; i < kFileBytes; i += 8) {
      const std::uint64_t bits = random();
      for (std::size_t k = 0; k < 8; ++k) letters[i + k] = static_cast<char>('a' + (bits >> (8 * k) & 0xf));
    }
    for (const std::string_view pattern : kPatterns) {
      for (int i = 0; i < 1'000; ++i) {
        std::memcpy(&letters[random() % (kFileBytes - pattern.size())], pattern.data(), pattern.size());
      }
      // Across the border of two parts, and at the very end.
      std::memcpy(&letters[kPartBytes * (5 + pattern.size()) - 1], pattern.data(), pattern.size());
      std::memcpy(&letters[kFileBytes - pattern.size()], pattern.data(), pattern.size());
    }
    return letters;
  }

  void* bytes_ = nullptr;
};

/// A pattern, and where it is.
using Place = std::array<std::uint32_t, 2>;

struct Task {
  Text text = {};
  std::vector<Place> places = {};  ///< Sorted.

  Task() {
    const auto* begin = reinterpret_cast<const char*>(text.bytes().data());
    const char* end = begin + kFileBytes;
    for (std::uint32_t p = 0; p < kPatterns.size(); ++p) {
      const auto find = [&](const char* from) {
        return static_cast<const char*>(
            memmem(from, static_cast<std::size_t>(end - from), kPatterns[p].data(), kPatterns[p].size()));
      };
      for (const char* at = find(begin); at != nullptr; at = find(at + 1)) {
        places.push_back({p, static_cast<std::uint32_t>(at - begin)});
      }
    }
  }
};

/// As the kernel lays it out.
struct Push {
  std::array<std::array<char, 16>, 4> patterns = {};
  std::array<std::uint32_t, 4> sizes = {};
};

struct Found {
  std::uint32_t count = 0;
  std::uint32_t unused = 0;
  std::array<Place, kMaxFound> places = {};
};

class Scan {
 public:
  Scan(vyre::Session& session, const Task& task)
      : session_{session}, task_{task}, found_{session.buffer<Found>(1).value()}, host_found_(1) {
    for (Slot& slot : slots_) slot.part = session.bytes(kHeaderBytes + kPartBytes + kOverlap).value();
    Push push;
    for (std::size_t p = 0; p < kPatterns.size(); ++p) {
      std::ranges::copy(kPatterns[p], push.patterns[p].begin());
      push.sizes[p] = static_cast<std::uint32_t>(kPatterns[p].size());
    }
    params_ = vyre::params_block(push);
  }

  vyre::RunReport run() {
    session_.fill(found_, 0).value();
    for (std::size_t begin = 0; begin < kFileBytes; begin += kPartBytes) {
      Slot& slot = slots_[begin / kPartBytes % kSlots];
      session_.wait(slot.done).value();
      const auto bytes = task_.text.bytes().subspan(begin).first(std::min(kPartBytes + kOverlap, kFileBytes - begin));
      const std::array<std::uint32_t, 2> header{static_cast<std::uint32_t>(begin),
                                                static_cast<std::uint32_t>(kFileBytes - begin)};
      session_.write_bytes(slot.part.bytes(0, kHeaderBytes), std::as_bytes(std::span{header})).value();
      session_.write_bytes(slot.part.bytes(kHeaderBytes, bytes.size()), bytes).value();
      session_.dispatch(find_, {slot.part, found_}, {.groups = {kPartBytes / 4 / 128}, .params = params_}).value();
      slot.done = session_.flush().value();
    }
    session_.read(found_, host_found_).value();
    vyre::RunReport report = session_.finish().value();
    overlapped_ = report.bytes_overlapped;
    return report;
  }

  std::string check() const {
    const Found& found = host_found_.front();
    const auto listed = std::span{found.places}.first(std::min<std::size_t>(found.count, kMaxFound));
    std::vector<Place> places{listed.begin(), listed.end()};
    std::ranges::sort(places);
    if (places != task_.places) {
      throw examples::WrongResult{
          examples::text("%u places are found, memmem finds %zu, or others", found.count, task_.places.size())};
    }
    return examples::text("%zu places in 64 MiB, those memmem finds; %.0f%% copied while the device was at work",
                          places.size(), 100 * static_cast<double>(overlapped_) / kFileBytes);
  }

 private:
  struct Slot {
    vyre::BufferView part = {};
    vyre::runtime::SessionTicket done = {};
  };

  vyre::Session& session_;
  const Task& task_;
  vyre::Program find_ = examples::load_kernel("find.comp");
  std::array<Slot, kSlots> slots_ = {};
  vyre::Buffer<Found> found_;
  std::vector<Found> host_found_;
  vyre::Params params_;
  std::uint64_t overlapped_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::compare<Scan>(argc, argv,
                                 {.name = "scan",
                                  .does = "four patterns in a mapped file of 64 MiB, copied in parts",
                                  .checked_against = "memmem"},
                                 [] { return Task{}; });
}
