#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <vyre/runtime/captures.hpp>
#include <vyre/runtime/dispatch_check.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// A dispatch that was checked once and is enqueued by name.
struct PreparedDispatch {
  bool is_alive = false;
  std::uint32_t program = 0;
  std::vector<backend::BufferRange> ranges = {};
  std::vector<std::uint32_t> buffers = {};  ///< Of each range: the number of its buffer.
  backend::Groups groups = {1, 1, 1};
  std::vector<std::byte> params = {};
  std::uint64_t hash = 0;
  std::uint32_t repeat = 1;
  std::string label = {};

  [[nodiscard]] CheckedDispatch checked() const noexcept;
};

/// Prepared dispatches and captures, which the user names. One ends when one of its buffers is freed.
///
/// Thread safety: one thread at a time.
class PreparedWork {
 public:
  explicit PreparedWork(std::uint64_t session) noexcept : session_{session}, captures_{session} {}

  [[nodiscard]] Captures& captures() noexcept { return captures_; }

  [[nodiscard]] Prepared add(const CheckedDispatch& dispatch);
  /// `InvalidArgument` for a name of another session, one that was never given, or one whose buffers are gone.
  [[nodiscard]] Result<const PreparedDispatch*> find(Prepared name) const {
    if (has(name)) [[likely]]
      return &prepared_[name.index];
    return refused(name);
  }
  [[nodiscard]] bool has(Prepared name) const noexcept {
    return name.session == session_ && name.index < prepared_.size() && prepared_[name.index].is_alive;
  }
  [[nodiscard]] const PreparedDispatch& at(std::uint32_t index) const noexcept { return prepared_[index]; }
  /// The buffers of prepared dispatches, each once.
  [[nodiscard]] std::vector<std::uint32_t> buffers_of(std::span<const std::uint32_t> prepared) const;

  /// Ends the dispatches and captures that use a buffer.
  void forget_buffer(std::uint32_t buffer);
  /// Whether a prepared dispatch or a capture that has not ended runs a program.
  [[nodiscard]] bool needs_program(std::uint32_t program) const noexcept;

 private:
  [[nodiscard]] std::unexpected<Error> refused(Prepared name) const;

  std::uint64_t session_;
  std::vector<PreparedDispatch> prepared_;
  Captures captures_;
};

}  // namespace vyre::runtime
