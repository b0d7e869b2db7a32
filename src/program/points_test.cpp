#include "program/points.h"

#include <gtest/gtest.h>

#include "expr/text.h"

namespace cambium::program {
namespace {

// The point at which indices over i, j, k (8, 64, 3) become those over a, b (8, 64): "a; b; -".
std::string point(const std::vector<std::string>& pattern, const std::vector<std::string>& at) {
  Context cx;
  const Iterator iterators[] = {{cx.axis("i", 8), IteratorKind::Spatial},
                                {cx.axis("j", 64), IteratorKind::Spatial},
                                {cx.axis("k", 3), IteratorKind::Reduce}};
  cx.axis("a", 8);
  cx.axis("b", 64);
  const auto parsed = [&](const std::vector<std::string>& texts) {
    std::vector<Expr> all;
    for (const std::string& text : texts) all.push_back(expr::parse(cx.indices(), text).value());
    return all;
  };
  const auto found = point_at(cx, iterators, parsed(pattern), parsed(at));
  if (!found) return "none";
  std::string text;
  for (Expr e : *found) {
    text += (text.empty() ? "" : "; ") + (e == nullptr ? "-" : expr::print(cx.indices(), e));
  }
  return text;
}

TEST(Points, AreFoundByReadingIndicesBackwards) {
  EXPECT_EQ(point({"i", "j"}, {"a", "b"}), "a; b; -");
  EXPECT_EQ(point({"j", "i"}, {"b + 1", "7 - a"}), "-a + 7; b + 1; -");
  EXPECT_EQ(point({"i + 2"}, {"a"}), "a - 2; -; -");
  EXPECT_EQ(point({"i", "i + j"}, {"a", "b"}), "a; b - a; -");
  EXPECT_EQ(point({"3 - i"}, {"a"}), "-a + 3; -; -");
}

TEST(Points, JoinDigitsAndLookInsideOfTiles) {
  EXPECT_EQ(point({"j / 16", "i", "j % 16"}, {"b / 16", "a", "b % 16"}), "a; b; -");
  EXPECT_EQ(point({"j / 16", "j % 16"}, {"2", "b % 16"}), "-; b % 16 + 32; -");
  EXPECT_EQ(point({"i % 6"}, {"(a + b) % 6"}), "a + b; -; -");
  EXPECT_EQ(point({"64*i + j"}, {"64*a + b"}), "a; b; -");
}

TEST(Points, AreNotFoundWhereIndicesDiffer) {
  EXPECT_EQ(point({"i", "i"}, {"a", "b"}), "none");  // not the same twice
  EXPECT_EQ(point({"i", "0"}, {"a", "1"}), "none");  // another constant
  EXPECT_EQ(point({"2*i"}, {"a"}), "none");          // every other element
  EXPECT_EQ(point({"i + k"}, {"a"}), "none");        // a window
  EXPECT_EQ(point({"i % 6"}, {"a % 5"}), "none");
  EXPECT_EQ(point({"i"}, {"a", "b"}), "none");  // another rank
}

}  // namespace
}  // namespace cambium::program
