#include "data/idx.h"

#include <gtest/gtest.h>

#include "data/gzip.h"
#include "data/test_files.h"

namespace cambium::data {
namespace {

using test::gzip;
using test::idx;
using test::ramp;

TEST(Idx, ReadsPlainAndGzipAlike) {
  const std::string plain = idx({2, 3, 4}, ramp(24));
  const Result<IdxArray> a = parse_idx(bytes_of(plain), 3, "plain");
  const std::string packed = gzip(plain);
  const Result<IdxArray> b = parse_idx(bytes_of(packed), 3, "packed");
  ASSERT_TRUE(a.ok());
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(a->dims, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(a->values, b->values);
  EXPECT_EQ(a->values[23], static_cast<std::uint8_t>(23 * 7));
}

TEST(Idx, RefusesATruncatedFileWithPathAndBothSizes) {
  const std::string whole = idx({2, 3, 4}, ramp(24));
  for (const std::string& cut : {whole.substr(0, 30), gzip(whole.substr(0, 30))}) {
    const auto result = parse_idx(bytes_of(cut), 3, "a/b-idx3");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.rejection().message(), "a/b-idx3 holds 30 bytes, expected 40");
  }
  const auto headless = parse_idx(bytes_of(whole.substr(0, 9)), 3, "h");
  ASSERT_FALSE(headless.ok());
  EXPECT_EQ(headless.rejection().message(), "h holds 9 bytes, expected 16");
}

TEST(Idx, RefusesASurplus) {
  const std::string plain = idx({4}, ramp(5));
  for (const std::string& file : {plain, gzip(plain)}) {
    const auto result = parse_idx(bytes_of(file), 1, "x");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.rejection().reason(), Reason::WrongFileSize);
  }
}

TEST(Idx, RefusesAnotherElementTypeOrRank) {
  std::string floats = idx({4}, ramp(16));
  floats[2] = 0x0d;
  EXPECT_EQ(parse_idx(bytes_of(floats), 1, "x").rejection().reason(), Reason::WrongMagic);
  const std::string vector = idx({4}, ramp(16));
  EXPECT_EQ(parse_idx(bytes_of(vector), 3, "x").rejection().reason(), Reason::WrongMagic);
}

TEST(Idx, RefusesDimensionsWhoseProductIsAbsurd) {
  const std::string huge = idx({0xffffffff, 0xffffffff, 0xffffffff}, "");
  EXPECT_EQ(parse_idx(bytes_of(huge), 3, "x").rejection().reason(), Reason::SizeOutOfRange);
  const std::string none = idx({3, 0, 3}, "");
  EXPECT_EQ(parse_idx(bytes_of(none), 3, "x").rejection().reason(), Reason::SizeOutOfRange);
}

TEST(Idx, InflatesNoMoreOfABombThanTheHeaderAnnounces) {
  const std::string bomb = gzip(idx({10}, std::string(std::size_t{64} << 20, 'x')));
  ASSERT_LT(bomb.size(), std::size_t{100} << 10);
  const auto result = parse_idx(bytes_of(bomb), 1, "bomb");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().message(), "bomb holds 19 bytes, expected 18");
}

TEST(Idx, RefusesAGzipStreamWhoseEndIsDamagedOrMissing) {
  const std::string packed = gzip(idx({10}, ramp(10)));
  std::string checksum = packed;
  checksum[checksum.size() - 6] ^= 1;
  EXPECT_EQ(parse_idx(bytes_of(checksum), 1, "x").rejection().reason(), Reason::Unreadable);
  const std::string cut = packed.substr(0, packed.size() - 4);
  EXPECT_EQ(parse_idx(bytes_of(cut), 1, "x").rejection().reason(), Reason::Unreadable);
}

TEST(Gzip, KeepsWhatCameOutBeforeTheStreamBroke) {
  const std::string packed = gzip(ramp(1000));
  const Inflated cut = inflate_gzip(bytes_of(packed).first(packed.size() / 2), 5000);
  EXPECT_FALSE(cut.ended);
  EXPECT_FALSE(cut.problem.empty());
  EXPECT_LT(cut.bytes.size(), 1000U);
  const Inflated whole = inflate_gzip(bytes_of(packed), 5000);
  EXPECT_TRUE(whole.ended);
  EXPECT_EQ(whole.bytes.size(), 1000U);
}

}  // namespace
}  // namespace cambium::data
