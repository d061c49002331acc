#include <vyre/choice/way.hpp>

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace vyre::choice {
namespace {

TEST(Way, HasAnotherThatKeepsItsListWhereListsCanBeKept) {
  for (const Way way : kAllWays) {
    if (is_replay(way)) {
      EXPECT_EQ(kept_of(made_anew(way)), way);
      EXPECT_EQ(form_of(made_anew(way)), form_of(way));
    } else {
      EXPECT_EQ(made_anew(way), way);
    }
  }
}

TEST(Way, OfAFormHasThatForm) {
  for (const program::FormKind form : program::kAllForms) {
    if (!program::is_one_launch(form)) continue;
    EXPECT_EQ(form_of(way_of(form)), form);
  }
}

TEST(Way, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Way way : kAllWays) names.insert(to_string(way));
  EXPECT_EQ(names.size(), kWays);
  EXPECT_TRUE(names.contains("merged-replay"));
}

}  // namespace
}  // namespace vyre::choice
