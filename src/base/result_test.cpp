#include "base/result.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace cambium {
namespace {

Result<int> halve(int n) {
  if (n % 2 != 0) return Rejection(Reason::WrongFileSize, "odd.bin", "", n, n + 1);
  return n / 2;
}

Result<int> quarter(int n) {
  CAMBIUM_TRY(const int half, halve(n));
  CAMBIUM_TRY(const int fourth, halve(half));
  return fourth;
}

TEST(Result, CarriesEitherTheThingOrTheReason) {
  EXPECT_EQ(*quarter(12), 3);
  const Result<int> refused = quarter(6);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::WrongFileSize);
  EXPECT_EQ(refused.rejection().message(), "odd.bin holds 3 bytes, expected 4");
}

TEST(Result, PlacesReadFromTheOutsideIn) {
  const Result<int> refused = quarter(6).at("node 'conv1'").at("model.onnx");
  EXPECT_EQ(refused.rejection().message(),
            "model.onnx: node 'conv1': odd.bin holds 3 bytes, expected 4");
  EXPECT_EQ(refused.rejection().places().front(), "model.onnx");
}

TEST(Result, HoldsWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, ReadingARefusedValueIsABug) {
  EXPECT_DEATH((void)quarter(6).value(), "odd.bin holds 3 bytes");
}

TEST(Rejection, ShowsALongTextShort) {
  const std::string name = "x" + std::string(3'000'000, 'y') + "z";
  const Rejection refused = Rejection(Reason::Unwritable, name, "why").at(name);
  EXPECT_LT(refused.message().size(), 3000U);
  EXPECT_EQ(refused.message().substr(0, 3), "xyy");
  EXPECT_NE(refused.message().find("yz: xyy"), std::string::npos);
  EXPECT_NE(refused.message().find("why"), std::string::npos);
}

}  // namespace
}  // namespace cambium
