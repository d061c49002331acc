#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <examples/decode/network.hpp>
#include <vyre/vyre.hpp>

namespace decode {

/// How a program hands the dispatches of a token to a session.
enum class Calls : std::uint8_t {
  Dispatch,  ///< `dispatch`, each of them anew.
  Enqueue,   ///< `enqueue` of prepared dispatches, with other parameters where they change.
  Replay,    ///< `replay` of a capture, with other parameters for the labels whose parameters change.
};

struct DecoderOptions {
  Calls calls = Calls::Dispatch;
  bool map_logits = false;  ///< Whether logits are looked at where the device wrote them, instead of being read.
};

/// A network in a session. Throws `std::bad_expected_access` for what a session refuses.
class Decoder {
 public:
  Decoder(vyre::Session& session, const Network& network, const std::vector<Compiled>& kernels,
          const DecoderOptions& options);

  /// The logits that follow a token, until the next call. Positions of a sequence come one after another, from 0.
  [[nodiscard]] std::span<const float> next(State state);

 private:
  [[nodiscard]] const Compiled& kernel_of(const Step& step) const {
    return kernels_[static_cast<std::size_t>(step.kernel)];
  }
  [[nodiscard]] vyre::DispatchOptions options_of(const Step& step, std::uint32_t stage, std::string_view label) const;
  void dispatch(std::size_t step, std::uint32_t stage, std::string_view label);
  void prepare();
  void capture();
  [[nodiscard]] vyre::Result<void> capture_token(std::uint32_t stage);
  void enqueue_token(std::uint32_t position);
  void replay_token(std::uint32_t position);

  vyre::Session& session_;
  const Network& network_;
  const std::vector<Compiled>& kernels_;
  DecoderOptions options_;
  std::vector<Step> steps_;
  std::vector<std::vector<vyre::Argument>> arguments_;  ///< By step.
  std::vector<vyre::BufferView> buffers_;
  vyre::Buffer<State> state_;
  vyre::Buffer<float> logits_;
  std::vector<float> host_logits_;
  State host_state_ = {};
  std::vector<std::vector<vyre::Prepared>> prepared_;  ///< By stage and step.
  std::vector<vyre::Capture> captures_;                ///< By stage.
};

}  // namespace decode
