#include "program/elements_written.h"

#include <gtest/gtest.h>

#include "program/text.h"

namespace cambium::program {
namespace {

// The elements of output y that a program writes: "#" where it does, "." where not.
std::string written(std::string_view dims, std::string_view statements) {
  Context cx;
  const auto program = parse(cx, "program p(y: f32[" + std::string(dims) + "] output) { " +
                                     std::string(statements) + " }");
  if (!program.ok()) return program.rejection().message();
  const std::vector<Site> sites = sites_of(*program);
  const auto bits = elements_written(cx, sites, program->parameters[0], sites.size());
  if (!bits) return "too many";
  std::string text;
  for (const bool bit : *bits) text += bit ? '#' : '.';
  return text;
}

TEST(ElementsWritten, AreTheProductOfWhatSeparateLoopsReach) {
  EXPECT_EQ(written("3, 4",
                    "for i in 2 { for j in 2 { block b(spatial i in 3 = i + 1, "
                    "spatial j in 4 = 2*j) { y[i, j] = 1.0 } } }"),
            "....#.#.#.#.");
}

TEST(ElementsWritten, FollowLoopsThatDimensionsAndConditionsShare) {
  EXPECT_EQ(written("2, 3",
                    "for p in 6 { block b(spatial p = p) if p < 4 "
                    "{ y[p/3, p % 3] = 1.0 } }"),
            "####..");
  EXPECT_EQ(written("3, 3",
                    "for i in 3 { for j in 3 { block b(spatial i = i, spatial j = j) "
                    "if i < j { y[i, j] = 1.0 } } }"),
            ".##..#...");
}

TEST(ElementsWritten, ComeFromAllBlocksThatDoNotAdd) {
  const std::string first = "for i in 2 { block a(spatial i in 4 = i) { y[i] = 1.0 } } ";
  EXPECT_EQ(written("4", first + "for j in 1 { block b(spatial i in 4 = j + 3) "
                                 "{ y[i] = 1.0 } }"),
            "##.#");
  EXPECT_EQ(written("4", first + "for j in 1 { block b(spatial i in 4 = j + 3, reduce k in 1 = j) "
                                 "{ y[i] += 1.0 } }"),
            "##..");
}

TEST(ElementsWritten, AreNotLookedAtWhenThereAreTooMany) {
  EXPECT_EQ(written("4194305", "for i in 4194305 { block b(spatial i = i) { y[i] = 1.0 } }"),
            "too many");
}

}  // namespace
}  // namespace cambium::program
