#include <vyre/runtime/host_transfers.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace vyre::runtime {
namespace {

/// With more staging memory than this, the session waits for the device instead of allocating more.
constexpr std::uint64_t kMaxStaging = std::uint64_t{64} << 20;

}  // namespace

HostTransfers::~HostTransfers() {
  uploads_.free(*device_);
  readbacks_.free(*device_);
}

Result<void> HostTransfers::read(Work work, const BufferView& from, std::span<std::byte> to) {
  const auto is_same_memory = [&](const PendingRead& read) {
    return std::less{}(read.to.data(), to.data() + to.size()) &&
           std::less{}(to.data(), read.to.data() + read.to.size());
  };
  const bool is_read_again = std::ranges::any_of(reads_, is_same_memory);
  const std::uint64_t batch = work.builder.number();
  reads_.push_back({.to = to, .buffer = from.index, .offset = from.offset, .batch = batch, .ticket = batch});
  // Two reads into the same memory must be delivered in order. They are if both are staged.
  return is_read_again ? stage_all(work) : Result<void>{};
}

Result<void> HostTransfers::read_staged(Work work, const BufferView& from, std::span<std::byte> to) {
  const std::uint64_t batch = work.builder.number();
  reads_.push_back({.to = to, .buffer = from.index, .offset = from.offset, .batch = batch, .ticket = batch});
  auto staged = stage(work, reads_.size() - 1);
  if (!staged) reads_.pop_back();
  return staged;
}

Result<void> HostTransfers::before_write(Work work, std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
  // An index, because staging a large read appends its parts to `reads_`, which invalidates iterators.
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    const PendingRead& read = reads_[i];
    const bool is_hit =
        read.is_direct() && read.buffer == buffer && backend::overlap(read.offset, read.to.size(), offset, size);
    if (!is_hit) continue;
    // The program reads ahead, so further reads of this buffer will be staged in their own batch.
    if (read.ticket < work.builder.number()) work.buffers[buffer].is_read_ahead = true;
    VYRE_TRY(stage(work, i));
  }
  return {};
}

Result<void> HostTransfers::stage(Work work, std::size_t index) {
  const PendingRead whole = reads_[index];
  const std::size_t count = reads_.size();
  PendingRead rest = whole;
  bool is_first = true;
  while (!rest.to.empty()) {
    const std::uint64_t part = std::min<std::uint64_t>(rest.to.size(), Staging::kMaxPiece);
    Result<Staging::Piece> taken = readbacks_.take(*device_, part, work.builder.number(), work.done);
    if (!taken) {
      reads_.resize(count);
      reads_[index] = whole;
      return std::unexpected{std::move(taken).error()};
    }
    const Staging::Piece piece = *taken;
    const PendingRead staged{.to = rest.to.first(part),
                             .buffer = whole.buffer,
                             .from = piece.bytes,
                             .batch = work.builder.number(),
                             .ticket = whole.ticket};
    if (is_first) {
      reads_[index] = staged;
    } else {
      reads_.push_back(staged);
    }
    is_first = false;
    work.buffers.note_use(rest.buffer, rest.offset, part, work.builder.number());
    work.builder.add(backend::Copy{.from = work.buffers[rest.buffer].handle,
                                   .to = piece.buffer,
                                   .from_offset = rest.offset,
                                   .to_offset = piece.offset,
                                   .size = part});
    rest.to = rest.to.subspan(part);
    rest.offset += part;
  }
  return {};
}

Result<void> HostTransfers::stage_all(Work work) {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    if (reads_[i].is_direct()) VYRE_TRY(stage(work, i));
  }
  return {};
}

Result<void> HostTransfers::stage_for_flush(Work work) {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    const bool is_new = reads_[i].is_direct() && reads_[i].ticket == work.builder.number();
    if (is_new && work.buffers[reads_[i].buffer].is_read_ahead) VYRE_TRY(stage(work, i));
  }
  return {};
}

void HostTransfers::promise(std::uint64_t last) noexcept {
  for (PendingRead& each : reads_) {
    each.ticket = std::min(each.ticket, last);
    if (each.is_direct()) each.batch = std::min(each.batch, last);
  }
}

std::uint64_t HostTransfers::awaited_for(std::uint64_t ticket) const noexcept {
  std::uint64_t awaited = ticket;
  for (const PendingRead& each : reads_) {
    if (each.ticket <= ticket) awaited = std::max(awaited, each.batch);
  }
  return awaited;
}

void HostTransfers::note_wait(BufferTable& buffers, std::uint64_t ticket) const noexcept {
  for (const PendingRead& read : reads_) {
    // A read that was staged in a later batch than its own shows that the program reads ahead, so it is left out.
    if (read.is_direct() || read.ticket > ticket || read.batch != read.ticket) continue;
    BufferSlot& slot = buffers[read.buffer];
    if (slot.last_batch <= read.batch) slot.is_read_ahead = false;
  }
}

void HostTransfers::deliver_staged(std::uint64_t completed) {
  if (reads_.empty()) return;
  std::erase_if(reads_, [&](const PendingRead& read) {
    if (read.is_direct() || read.batch > completed) return false;
    std::memcpy(read.to.data(), read.from, read.to.size());
    return true;
  });
}

void HostTransfers::deliver_direct(const BufferTable& buffers, std::uint64_t ticket) {
  if (reads_.empty()) return;
  std::erase_if(reads_, [&](const PendingRead& read) {
    if (!read.is_direct() || read.ticket > ticket) return false;
    std::memcpy(read.to.data(), buffers[read.buffer].mapped + read.offset, read.to.size());
    return true;
  });
}

void HostTransfers::drop_failed(std::uint64_t failed) noexcept {
  std::erase_if(reads_, [&](const PendingRead& read) { return read.batch >= failed || read.is_direct(); });
}

Result<Staging::Piece> HostTransfers::upload(Work work, std::span<const std::byte> bytes) {
  VYRE_ASSIGN(const Staging::Piece piece, uploads_.take(*device_, bytes.size(), work.builder.number(), work.done));
  std::memcpy(piece.bytes, bytes.data(), bytes.size());
  return piece;
}

bool HostTransfers::must_trim() const noexcept {
  return uploads_.size() > kMaxStaging || readbacks_.size() > kMaxStaging;
}

void HostTransfers::trim() noexcept {
  if (uploads_.size() > kMaxStaging) uploads_.free(*device_);
  if (readbacks_.size() > kMaxStaging) readbacks_.free(*device_);
}

}  // namespace vyre::runtime
