#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <vyre/program/forms/form.hpp>

namespace vyre::choice {

/// How a batch is launched: its launch mode, and whether its list is made anew or was kept.
enum class Way : std::uint8_t {
  Plain,             ///< A submission for each operation.
  Batched,           ///< One list, made anew.
  Replay,            ///< One list that was kept.
  Merged,            ///< One list, made anew; alike independent dispatches are one launch.
  MergedReplay,      ///< The same, kept.
  Persistent,        ///< One list, made anew; a few workgroups run alike independent dispatches.
  PersistentReplay,  ///< The same, kept.
  Chain,             ///< One list, made anew; one workgroup runs alike dispatches in order, whether or not they wait.
  ChainReplay,       ///< The same, kept.
  Table,             ///< One list that was kept, with other buffers and parameters in its table.
};

inline constexpr std::size_t kWays = 10;
inline constexpr std::array<Way, kWays> kAllWays = {
    Way::Plain,      Way::Batched,          Way::Replay, Way::Merged,      Way::MergedReplay,
    Way::Persistent, Way::PersistentReplay, Way::Chain,  Way::ChainReplay, Way::Table};

/// Whether it runs a list that was kept for exactly this batch.
[[nodiscard]] constexpr bool is_replay(Way way) noexcept {
  return way == Way::Replay || way == Way::MergedReplay || way == Way::PersistentReplay || way == Way::ChainReplay;
}

/// The same with a list made anew.
[[nodiscard]] constexpr Way made_anew(Way way) noexcept {
  switch (way) {
    case Way::Replay: return Way::Batched;
    case Way::MergedReplay: return Way::Merged;
    case Way::PersistentReplay: return Way::Persistent;
    case Way::ChainReplay: return Way::Chain;
    default: return way;
  }
}

/// The same with a list that was kept, where there is such a way.
[[nodiscard]] constexpr Way kept_of(Way way) noexcept {
  switch (way) {
    case Way::Batched: return Way::Replay;
    case Way::Merged: return Way::MergedReplay;
    case Way::Persistent: return Way::PersistentReplay;
    case Way::Chain: return Way::ChainReplay;
    default: return way;
  }
}

/// A list of dispatches as they are written, kept or made anew as this one is.
[[nodiscard]] constexpr Way as_written(Way way) noexcept { return is_replay(way) ? Way::Replay : Way::Batched; }

/// The form that its dispatches are in, where that is not the one they are written in.
[[nodiscard]] constexpr program::FormKind form_of(Way way) noexcept {
  switch (way) {
    case Way::Merged:
    case Way::MergedReplay: return program::FormKind::Merged;
    case Way::Persistent:
    case Way::PersistentReplay: return program::FormKind::Persistent;
    case Way::Chain:
    case Way::ChainReplay: return program::FormKind::Chain;
    case Way::Table: return program::FormKind::Pointer;
    default: return program::FormKind::Descriptor;
  }
}

/// The way of a form, with a list made anew; of one in which each dispatch is a launch, a list as written.
[[nodiscard]] constexpr Way way_of(program::FormKind form) noexcept {
  switch (form) {
    case program::FormKind::Merged: return Way::Merged;
    case program::FormKind::Persistent: return Way::Persistent;
    case program::FormKind::Chain: return Way::Chain;
    default: return Way::Batched;
  }
}

/// Batches of one shape that were launched in one way and have completed.
struct UsedWay {
  std::uint64_t shape = 0;
  Way way = Way::Batched;
  std::uint32_t batches = 0;

  friend bool operator==(const UsedWay&, const UsedWay&) = default;
};

/// Whether alike dispatches are one launch.
[[nodiscard]] constexpr bool is_one_launch(Way way) noexcept { return program::is_one_launch(form_of(way)); }

/// `plain`, `batched`, `replay`, `merged`, `merged-replay`, `persistent`, `persistent-replay`, `chain`, `chain-replay`
/// or `table`.
[[nodiscard]] std::string_view to_string(Way way) noexcept;

}  // namespace vyre::choice
