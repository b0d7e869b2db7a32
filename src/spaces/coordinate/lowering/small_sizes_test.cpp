#include "spaces/coordinate/lowering/small_sizes.h"

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/documents_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::make_problem;

std::string small(const Problem& problem, const std::string& document) {
  const Operator op = parse(problem, document).value();
  const expr::Binding found = small_like(op, problem.bindings[0]).value();
  EXPECT_TRUE(bind(op, found).ok());
  return problem.sizes.print(found);
}

TEST(SmallSizes, AreWholeAndHaveMoreThanOneElementWhereThePlaceHas) {
  const Problem problem = make_problem("[N, Ci, H, W]", "[N, Co, H, W]",
                                       {"N=1, Ci=64, Co=256, H=56, W=56, k=3, g=32, s=2"});
  // Ci/g is two, as is s; Co/(g*s), which is four, differs from g.
  EXPECT_EQ(small(problem,
                  "operator [N, Ci, H, W] -> [N, Co, H, W] out n, o, h, w sum G: g, i: Ci/g, a: k, "
                  "b: k, c: Co/(g*s) x n, split(G, i), unfold(h, a), unfold(w, b) w1 G, a, b, o, c "
                  "w2 split(G, i), b, c"),
            "N=1, Ci=8, H=6, W=6, Co=40, k=3, g=4, s=2");
}

TEST(SmallSizes, WindowsStayOnTheirSideOfWhatDecidesHowTheyAreLowered) {
  const Problem problem = make_problem("[N, H]", "[N, H]", {"N=8, H=96, k=19"});
  EXPECT_EQ(small(problem, "operator [N, H] -> [N, H] out n, h sum a: k x n, unfold(h, a) w1 a"),
            "N=5, H=4, k=17");
}

TEST(SmallSizes, DifferWhereThoseOfThePlaceDo) {
  const Problem problem = make_problem("[N, C]", "[N, C]", {"N=1, C=64, s=2, g=8, t=32"});
  const auto merged = [&](const std::string& block) {
    return small(problem, "operator [N, C] -> [N, C] out n, c x n, split(low(c, " + block +
                              "), high(c, " + block + "))");
  };
  // Variables that the operator does not hold stay as they are.
  EXPECT_EQ(merged("s"), "N=1, C=8, s=2, g=8, t=32");
  EXPECT_EQ(merged("t"), "N=1, C=8, s=2, g=8, t=4");    // C/t is two
  EXPECT_EQ(merged("g"), "N=1, C=16, s=2, g=4, t=32");  // and C/g is g at the place
}

TEST(SmallSizes, RefusesWhatIsNotWholeAtThePlace) {
  const Problem problem = make_problem("[N, H]", "[N, H]", {"N=8, H=96, s=2"});
  const Operator op =
      parse(problem, "operator [N, H] -> [N, H] out n, h x n, split(low(h, s), high(h, s))")
          .value();
  const expr::Binding odd = problem.sizes.parse_binding("N=8, H=95, s=2").value();
  EXPECT_EQ(small_like(op, odd).rejection().reason(), Reason::SizeNotInteger);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
