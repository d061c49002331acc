#include <examples/decode/decoder.hpp>

#include <algorithm>
#include <cstddef>

namespace decode {
namespace {

vyre::Params params_of(const Step& step) { return vyre::Params::from_bytes(std::as_bytes(std::span{step.params})); }

/// By which the captured dispatches of all layers get other parameters. Empty for those that keep theirs.
std::string_view label_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::Scores: return "scores";
    case Kernel::Softmax: return "softmax";
    case Kernel::Mix: return "mix";
    default: return {};
  }
}

}  // namespace

Decoder::Decoder(vyre::Session& session, const Network& network, const std::vector<Compiled>& kernels,
                 const DecoderOptions& options)
    : session_{session}, network_{network}, kernels_{kernels}, options_{options}, steps_{network.steps} {
  for (const std::vector<std::uint32_t>& words : network.buffers) {
    buffers_.push_back(session.buffer<std::uint32_t>(words).value());
  }
  state_ = vyre::Buffer<State>{buffers_[network.state]};
  logits_ = vyre::Buffer<float>{buffers_[network.logits]};
  host_logits_.resize(logits_.size());
  for (const Step& step : steps_) {
    std::vector<vyre::Argument>& own = arguments_.emplace_back();
    for (const std::uint32_t buffer : step.buffers) own.emplace_back(buffers_[buffer]);
  }
  if (options.calls == Calls::Enqueue) prepare();
  if (options.calls == Calls::Replay) capture();
}

std::span<const float> Decoder::next(State state) {
  if (options_.calls == Calls::Replay) {
    host_state_ = state;  // The capture writes it, and reads the logits.
    replay_token(state.position);
  } else {
    session_.write(state_, {&state, 1}).value();
    enqueue_token(state.position);
    if (!options_.map_logits) session_.read(logits_, host_logits_).value();
  }
  if (options_.map_logits) {
    const std::span<std::byte> bytes = session_.map(logits_).value();  // Waits for the token.
    return {reinterpret_cast<const float*>(bytes.data()), host_logits_.size()};
  }
  session_.wait(session_.flush().value()).value();
  return host_logits_;
}

vyre::DispatchOptions Decoder::options_of(const Step& step, std::uint32_t stage, std::string_view label) const {
  const std::array groups = network_.groups_in(step, stage);
  return {.groups = {groups[0], groups[1], groups[2]},
          .params = params_of(step),
          .values = kernel_of(step).values,
          .label = label};
}

void Decoder::dispatch(std::size_t i, std::uint32_t stage, std::string_view label) {
  session_.dispatch(kernel_of(steps_[i]).program, arguments_[i], options_of(steps_[i], stage, label)).value();
}

void Decoder::prepare() {
  for (std::uint32_t stage = 0; stage < network_.stages(); ++stage) {
    std::vector<vyre::Prepared>& own = prepared_.emplace_back();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (stage > 0 && network_.groups_in(step, stage) == network_.groups_in(step, stage - 1)) {
        own.push_back(prepared_[stage - 1][i]);
      } else {
        own.push_back(session_.prepare(kernel_of(step).program, arguments_[i], options_of(step, stage, {})).value());
      }
    }
  }
}

void Decoder::capture() {
  // A replay may have other parameters, but not other workgroups: there is a capture for each stage.
  for (std::uint32_t stage = 0; stage < network_.stages(); ++stage) {
    captures_.push_back(session_.capture([&] { return capture_token(stage); }).value());
  }
}

vyre::Result<void> Decoder::capture_token(std::uint32_t stage) {
  VYRE_TRY(session_.write(state_, {&host_state_, 1}));
  for (std::size_t i = 0; i < steps_.size(); ++i) dispatch(i, stage, label_of(steps_[i].kernel));
  if (options_.map_logits) return {};
  return session_.read(logits_, host_logits_);
}

void Decoder::enqueue_token(std::uint32_t position) {
  const std::uint32_t stage = network_.stage_of(position);
  const bool is_prepared = options_.calls == Calls::Enqueue;
  if (is_prepared && network_.growth == Growth::State) {
    session_.enqueue(prepared_[stage]).value();
    return;
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    network_.set_position(steps_[i], position);
    if (!is_prepared) {
      dispatch(i, stage, {});
    } else if (steps_[i].looks_back()) {
      session_.enqueue(prepared_[stage][i], params_of(steps_[i])).value();
    } else {
      session_.enqueue(prepared_[stage][i]).value();
    }
  }
}

void Decoder::replay_token(std::uint32_t position) {
  const vyre::Capture captured = captures_[network_.stage_of(position)];
  if (network_.growth == Growth::State) {
    session_.replay(captured).value();
    return;
  }
  // Dispatches with the same label have the same parameters: those of the first layer serve all.
  std::vector<vyre::CaptureParams> changes;
  for (const Kernel kernel : {Kernel::Scores, Kernel::Softmax, Kernel::Mix}) {
    Step& step = *std::ranges::find(steps_, kernel, &Step::kernel);
    network_.set_position(step, position);
    changes.push_back({.label = label_of(kernel), .params = params_of(step)});
  }
  session_.replay(captured, changes).value();
}

}  // namespace decode
