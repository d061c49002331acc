#include <vyre/program/large_stack.hpp>

#include <pthread.h>

#include <system_error>

#include <fmt/format.h>

#include <vyre/base/check.hpp>

namespace vyre::program {
namespace {

void* run(void* work) noexcept {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

Result<void> run_on_large_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  VYRE_CHECK(pthread_attr_init(&attributes) == 0, "attributes need no memory");
  VYRE_CHECK(pthread_attr_setstacksize(&attributes, kLargeStackBytes) == 0, "the size is a multiple of a page");
  pthread_t thread{};
  // The thread is joined below, so `work` outlives it.
  const int status = pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (status != 0) {
    return fail(ErrorCode::OutOfMemory, fmt::format("cannot start a thread with a stack of {} bytes: {}",
                                                    kLargeStackBytes, std::generic_category().message(status)));
  }
  VYRE_CHECK(pthread_join(thread, nullptr) == 0, "the thread was just started");
  return {};
}

}  // namespace vyre::program
