#include <vyre/runtime/recording_cache.hpp>

#include <tuple>
#include <utility>

namespace vyre::runtime {

KeptBatch* RecordingCache::find(const plan::Batch& batch, choice::Way way) {
  for (KeptBatch& each : kept_) {
    if (each.hash != batch.hash || each.way != way) continue;
    if (each.found_for == batch.name() || each.list == batch.list) {
      each.found_for = batch.name();
      touch(each);
      return &each;
    }
  }
  return nullptr;
}

Result<KeptBatch*> RecordingCache::keep(KeptBatch made, std::span<const backend::CommandList> arms) {
  const std::size_t bytes = made.list.bytes();
  const auto is_too_much = [&] {
    return bounded_ >= std::max<std::size_t>(bounds_.recordings, 1) || bytes_ + bytes > bounds_.bytes;
  };
  while (!made.is_captured && bounded_ > 0 && is_too_much()) {
    drop(*std::ranges::min_element(kept_, {},
                                   [](const KeptBatch& each) { return std::pair{each.is_captured, each.last_used}; }));
  }
  for (std::size_t i = 0; i < arms.size(); ++i) {
    auto recording = device_->record(arms[i], {.updatable = made.way == choice::Way::Table});
    if (!recording) {
      while (i > 0) std::ignore = device_->free(made.recordings[--i]);
      return std::unexpected{std::move(recording).error()};
    }
    made.recordings[i] = *recording;
  }
  made.names = backend::names_of(made.list);
  touch(made);
  if (!made.is_captured) {
    ++bounded_;
    bytes_ += bytes;
  }
  kept_.push_back(std::move(made));
  return &kept_.back();
}

template <typename Names, typename Handle>
void RecordingCache::forget(Names names, Handle handle) {
  for (std::size_t i = kept_.size(); i > 0; --i) {
    if (std::ranges::binary_search(kept_[i - 1].names.*names, handle)) drop(kept_[i - 1]);
  }
}

void RecordingCache::forget(backend::BufferHandle buffer) { forget(&backend::ListNames::buffers, buffer); }
void RecordingCache::forget(backend::PipelineHandle pipeline) { forget(&backend::ListNames::pipelines, pipeline); }

void RecordingCache::clear() {
  while (!kept_.empty()) drop(kept_.back());
}

void RecordingCache::drop(KeptBatch& dropped) {
  if (!dropped.is_captured) {
    --bounded_;
    bytes_ -= dropped.list.bytes();
  }
  for (std::size_t i = 0; i < dropped.plan.arms; ++i) std::ignore = device_->free(dropped.recordings[i]);
  std::swap(dropped, kept_.back());
  kept_.pop_back();
}

}  // namespace vyre::runtime
