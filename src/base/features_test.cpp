#include "base/features.h"

#include <set>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Features, EveryHeavyLibraryIsNamedAndOnlyThoseInHaveAVersion) {
  std::set<std::string_view> names;
  for (const Feature& feature : features()) {
    names.insert(feature.name);
    EXPECT_EQ(feature.in, !feature.version.empty()) << feature.name;
    EXPECT_FALSE(feature.purpose.empty());
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"onnx", "llvm", "torch", "xgboost", "cuda"}));
  EXPECT_FALSE(version().empty());
  EXPECT_FALSE(compiler().empty());
}

}  // namespace
}  // namespace cambium
