#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"

// Many dispatches that are told a second time are taken as they were. Whatever is not quite the same must be seen.

namespace vyre::tests {
namespace {

using runtime::Buffer;
using runtime::BufferView;
using runtime::LaunchMode;
using runtime::Session;

using Word = std::uint32_t;

constexpr std::size_t kItems = 12;
constexpr std::size_t kWords = 128;  // Of each view: two workgroups.

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class ToldAgain : public testing::TestWithParam<std::tuple<std::string, LaunchMode>> {
 protected:
  /// An item of y = 3 y + x + k, as it is told and as the model knows it.
  struct Item {
    std::size_t place = 0;
    Word k = 0;
    Word groups = 2;
    bool is_block = false;
  };

  void SetUp() override {
    device_ = open_device(std::get<0>(GetParam()));
    session_.emplace(must(Session::open(device_, {.mode = std::get<1>(GetParam()), .calibrate_after = {}})));
    for (std::size_t i = 0; i < kItems; ++i) items_.push_back({.place = i, .k = static_cast<Word>(i)});
    x_ = must(session_->buffer<Word>(x_model_));
    y_ = must(session_->buffer<Word>(y_model_));
  }

  void TearDown() override {
    session_.reset();
    EXPECT_TRUE(device_->wait_idle());
    EXPECT_EQ(device_->usage(), backend::DeviceUsage{});
  }

  Result<void> tell() {
    std::vector<std::array<BufferView, 2>> views;
    std::vector<runtime::DispatchItem> told;
    views.reserve(items_.size());
    for (const Item& each : items_) {
      views.push_back({x_.part(each.place * kWords, kWords), y_.part(each.place * kWords, kWords)});
      told.push_back({.buffers = views.back(),
                      .groups = {.x = each.groups},
                      .params = each.is_block ? runtime::params_block(each.k) : runtime::params(each.k)});
    }
    return session_->dispatch_many(named("mix"), told);
  }

  void model() {
    for (const Item& each : items_) {
      for (std::size_t i = 0; i < std::size_t{each.groups} * kWorkgroup; ++i) {
        Word& y = y_model_[each.place * kWords + i];
        y = 3 * y + x_model_[each.place * kWords + i] + each.k;
      }
    }
  }

  void run() {
    must(tell());
    model();
  }

  void expect_as_modelled() {
    std::vector<Word> found(y_model_.size());
    must(session_->read(y_, found));
    must(session_->finish());
    EXPECT_EQ(found, y_model_);
  }

  void run_and_compare(std::size_t times = 3) {
    for (std::size_t i = 0; i < times; ++i) {
      run();
      must(session_->finish());
    }
    run();
    expect_as_modelled();
  }

  static std::vector<Word> make(Word factor) {
    std::vector<Word> values(kItems * kWords);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Word>(i) * factor + 1;
    return values;
  }

  std::shared_ptr<backend::Device> device_;
  std::optional<Session> session_;
  std::vector<Item> items_;
  std::vector<Word> x_model_ = make(7);
  std::vector<Word> y_model_ = make(13);
  Buffer<Word> x_;
  Buffer<Word> y_;
};

TEST_P(ToldAgain, TheSame) { run_and_compare(8); }

TEST_P(ToldAgain, WithAnotherParameterOfTheLast) {
  run_and_compare();
  items_.back().k = 1000;
  run_and_compare();
  items_.back().is_block = true;
  run_and_compare();
  items_.back().k = 1001;
  run_and_compare();
}

TEST_P(ToldAgain, WithAnotherGroupCountOrder) {
  run_and_compare();
  items_.back().groups = 1;
  run_and_compare();
  std::swap(items_.front(), items_.back());
  run_and_compare();
  items_.pop_back();
  run_and_compare();
  items_.push_back({.place = 0, .k = 5});  // Behind another of the same bytes.
  run_and_compare();
}

TEST_P(ToldAgain, WithOthersBehindIt) {
  for (int i = 0; i < 4; ++i) {
    run();
    const std::array one{x_.part(0, kWords).view(), y_.part(0, kWords).view()};
    must(session_->dispatch(named("mix"), {one[0], one[1]}, {.groups = {2}, .params = runtime::params(3U)}));
    for (std::size_t j = 0; j < kWords; ++j) y_model_[j] = 3 * y_model_[j] + x_model_[j] + 3;
    // The batch before is longer than this, and has this at its beginning.
    expect_as_modelled();
    run_and_compare(1);
  }
}

TEST_P(ToldAgain, TwiceInABatch) {
  for (int i = 0; i < 4; ++i) {
    run();
    run();
    expect_as_modelled();
  }
}

TEST_P(ToldAgain, WhatWasCapturedAsALongBatch) {
  constexpr std::size_t kMost = 5;
  Session session = must(Session::open(device_, {.mode = std::get<1>(GetParam()), .max_batch = kMost}));
  std::swap(session, *session_);
  const Buffer<Word> x = must(session_->buffer<Word>(x_model_));
  const Buffer<Word> y = must(session_->buffer<Word>(y_model_));
  x_ = x;
  y_ = y;
  must(session_->capture([&] { return tell(); }));
  run();
  std::vector<Word> found(y_model_.size());
  must(session_->read(y_, found));
  EXPECT_EQ(must(session_->finish()).batches, (kItems + kMost - 1) / kMost);
  EXPECT_EQ(found, y_model_);
}

TEST_P(ToldAgain, BetweenWritesAndReads) {
  run_and_compare();
  for (Word i = 0; i < 4; ++i) {
    run();
    // Behind what was told, before what comes.
    const std::vector<Word> values(kWords, i);
    must(session_->write(y_.part(kWords, kWords), values));
    std::copy(values.begin(), values.end(), y_model_.begin() + kWords);
    must(session_->finish());
    // What is read comes before what is told again behind it.
    run();
    must(session_->finish());
    const std::vector<Word> before = y_model_;
    std::vector<Word> found(before.size());
    must(session_->read(y_, found));
    run();
    must(session_->finish());
    EXPECT_EQ(found, before);
    expect_as_modelled();
  }
}

TEST_P(ToldAgain, OfABufferThatWasFreed) {
  run_and_compare();
  must(session_->free(x_.view()));
  const Result<void> refused = tell();
  ASSERT_FALSE(refused);
  EXPECT_NE(to_string(refused.error()).find("freed"), std::string::npos) << to_string(refused.error());
  // In the place of the old one, which is named by another view.
  x_model_ = make(3);
  const Buffer<Word> made = must(session_->buffer<Word>(x_model_));
  EXPECT_FALSE(tell());
  x_ = made;
  run_and_compare();
}

INSTANTIATE_TEST_SUITE_P(All, ToldAgain,
                         testing::Combine(testing::Values("fake", "vulkan"),
                                          testing::Values(LaunchMode::Auto, LaunchMode::Batched, LaunchMode::Replay,
                                                          LaunchMode::Persistent, LaunchMode::Bindless)),
                         [](const auto& each) {
                           return std::get<0>(each.param) + "_" + std::string{to_string(std::get<1>(each.param))};
                         });

}  // namespace
}  // namespace vyre::tests
