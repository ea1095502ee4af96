#include "jade/base/atomic_file.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace jade {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("jade_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(AtomicFile, HoldsEveryByteThatWasWritten) {
  std::string text(300'000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31);
  write_file(folder_ / "a", text);
  EXPECT_EQ(read_file(folder_ / "a"), text);
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, ReplacesTheOldOne) {
  write_file(folder_ / "a", "a long first text");
  write_file(folder_ / "a", "short");
  EXPECT_EQ(read_file(folder_ / "a"), "short");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, LeavesNothingBehindWhenItFails) {
  fs::create_directories(folder_ / "taken" / "inside");
  EXPECT_THROW(write_file(folder_ / "taken", "text"), fs::filesystem_error);
  EXPECT_EQ(entries(), 1);
  EXPECT_THROW(write_file(folder_ / "missing" / "a", "text"), fs::filesystem_error);
}

TEST_F(AtomicFile, NamesWhatCannotBeRead) {
  try {
    read_file(folder_ / "nothing.json");
    FAIL() << "a missing file was read";
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(error.path1(), folder_ / "nothing.json");
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
  }
  EXPECT_THROW(read_file(folder_), fs::filesystem_error);
}

}  // namespace
}  // namespace jade
