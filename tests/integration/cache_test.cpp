#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vyre/store/store.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/temporary_folder.hpp"

// `vyre cache` as a user types it.

namespace vyre::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CacheCommand : public testing::Test {
 protected:
  [[nodiscard]] std::string folder() const { return temporary_.path() / "vyre"; }
  [[nodiscard]] std::string file() const { return folder() + "/store.sqlite"; }
  [[nodiscard]] CommandResult cache(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "cache");
    arguments.insert(arguments.end(), {"--store", folder()});
    return run_vyre(arguments);
  }
  void fill() const {
    const auto store = Store::open({.folder = folder()});
    store->put({.kind = "spirv", .scope = "", .key = "1"}, 1, std::vector<std::byte>(100));
    store->put({.kind = "spirv", .scope = "", .key = "2"}, 1, std::vector<std::byte>(200));
    store->put({.kind = "shape", .scope = "a device", .key = "3"}, 1, std::vector<std::byte>(30));
  }

 private:
  using Store = store::Store;
  TemporaryFolder temporary_;
};

TEST_F(CacheCommand, ShowsWhatIsKept) {
  fill();
  const CommandResult shown = cache({});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.err, "");
  EXPECT_THAT(shown.out, AllOf(HasSubstr(file()), HasSubstr("spirv            2 entries"),
                               HasSubstr("shape            1 entry"), HasSubstr("for a device")));
  const auto json = nlohmann::json::parse(cache({"show", "--json"}).out);
  EXPECT_EQ(json["path"], file());
  EXPECT_EQ(json["exists"], true);
  ASSERT_EQ(json["kinds"].size(), 2U);
  EXPECT_EQ(json["kinds"][0]["scope"], "a device");
  EXPECT_EQ(json["kinds"][1]["entries"], 2);
  EXPECT_GT(json["kinds"][1]["bytes"], 300);
}

TEST_F(CacheCommand, MakesNothingWhereNothingIs) {
  EXPECT_EQ(cache({"show"}).out, "there is no store at " + file() + "\n");
  EXPECT_EQ(cache({"clear"}).out, "there is no store at " + file() + "\n");
  EXPECT_EQ(cache({"path"}).out, file() + "\n");
  EXPECT_EQ(nlohmann::json::parse(cache({"path", "--json"}).out)["path"], file());
  EXPECT_EQ(nlohmann::json::parse(cache({"show", "--json"}).out)["exists"], false);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(CacheCommand, Clears) {
  fill();
  EXPECT_EQ(cache({"clear"}).out, file() + ": 3 entries forgotten\n");
  EXPECT_THAT(cache({}).out, HasSubstr("nothing is kept yet"));
  EXPECT_EQ(nlohmann::json::parse(cache({"clear", "--json"}).out)["forgotten"], 0);
}

TEST_F(CacheCommand, ADamagedStoreIsAnErrorUntilItIsCleared) {
  fill();
  std::ofstream{file(), std::ios::trunc} << std::string(5'000, 'x');
  const CommandResult shown = cache({"show"});
  EXPECT_EQ(shown.exit_code, 9);
  EXPECT_THAT(shown.err, HasSubstr("error[corrupt]"));
  EXPECT_EQ(cache({"clear"}).exit_code, 0);
  EXPECT_EQ(cache({"show"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(file() + ".damaged"));
}

TEST_F(CacheCommand, MistakesAreRefused) {
  EXPECT_EQ(run_vyre({"cache", "eat"}).exit_code, 2);
  EXPECT_EQ(run_vyre({"cache", "--store", "off"}).exit_code, 2);
  EXPECT_EQ(run_vyre({"cache", "--store", ""}).exit_code, 2);
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::all);
  const CommandResult shown = cache({"show"});
  EXPECT_EQ(shown.exit_code, 4);
  EXPECT_THAT(shown.err, HasSubstr("others can write to"));
}

}  // namespace
}  // namespace vyre::tests
