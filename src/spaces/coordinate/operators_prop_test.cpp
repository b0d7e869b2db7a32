// Claims about all operators, tried on random ones: documents read back as what they print, order
// never matters, fingerprints agree with exact knowledge, bounds are bounds.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "spaces/coordinate/all_terms.h"
#include "spaces/coordinate/canonical.h"
#include "spaces/coordinate/cost.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/random_testing.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::random_operator;
using testing::RandomOperator;
using testing::shuffled;

constexpr int kCases = 1000;

TEST(OperatorsPropTest, DocumentsReadBackAndOrderDoesNotMatter) {
  Rng rng(11);
  for (int i = 0; i < kCases; ++i) {
    const RandomOperator r = random_operator(rng, 10, 3);
    const Operator fixed = canonical(r.op);
    const std::string text = to_text(r.problem, r.op);
    const auto read = parse(r.problem, text);
    ASSERT_TRUE(read.ok()) << text << read.rejection().message();
    ASSERT_EQ(*read, fixed) << text;
    ASSERT_EQ(*parse(r.problem, to_json(r.problem, r.op)), fixed) << text;
    const Operator other = shuffled(r.op, rng);
    ASSERT_EQ(to_text(r.problem, other), text);
  }
}

TEST(OperatorsPropTest, FingerprintsDoNotDependOnOrder) {
  Rng rng(12);
  for (int i = 0; i < kCases; ++i) {
    const RandomOperator r = random_operator(rng, 10, 3);
    SemanticHasher hasher(r.problem);
    const auto first = hasher.fingerprint(r.op);
    const auto second = hasher.fingerprint(shuffled(r.op, rng));
    ASSERT_TRUE(first.ok() && second.ok()) << to_text(r.problem, r.op);
    ASSERT_EQ(*first, *second) << to_text(r.problem, r.op);
  }
}

// The function of an operator with at most one weight, exactly and in another way: for every
// element of the weight the pairs (o, p) that it connects and how often, in sorted order. Equal for
// two operators if and only if they are the same up to a permutation of the weight.
using Meaning = std::vector<std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>>;
struct ExactMeaning {
  std::int64_t averaged = 1;
  Meaning elements;
};

ExactMeaning exact_meaning(const BoundOperator& op) {
  const auto flat = [&](const std::vector<CoordinateIndex>& axes,
                        const std::vector<std::int64_t>& values) {
    std::int64_t place = 0;
    for (const CoordinateIndex i : axes) {
      place = place * op.domain(i) + values[static_cast<std::size_t>(i)];
    }
    return place;
  };
  std::map<std::int64_t, std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>> found;
  std::vector<std::int64_t> values(op.coordinates.size(), 0);
  const std::size_t leaves = op.outputs + op.reductions;
  std::vector<CoordinateIndex> outputs;
  for (std::size_t i = 0; i < op.outputs; ++i) outputs.push_back(static_cast<CoordinateIndex>(i));
  bool more = true;
  while (more) {
    bool zero = false;
    for (std::size_t i = leaves; i < values.size() && !zero; ++i) {
      values[i] = op.value(static_cast<CoordinateIndex>(i), values.data());
      zero = values[i] < 0;
    }
    if (!zero) {
      const std::int64_t element = op.weights.empty() ? 0 : flat(op.weights[0], values);
      ++found[element][{flat(outputs, values), flat(op.data, values)}];
    }
    more = false;
    for (std::size_t i = leaves; i > 0 && !more; --i) {
      more = ++values[i - 1] < op.coordinates[i - 1].domain;
      if (!more) values[i - 1] = 0;
    }
  }
  ExactMeaning out;
  // How often and what averages divide by, in lowest terms.
  std::int64_t common = op.weights.empty() ? op.averaged : 0;
  for (const auto& [element, pairs] : found) {
    for (const auto& [pair, count] : pairs) common = std::gcd(common, count);
  }
  out.averaged = op.weights.empty() ? op.averaged / common : 1;  // a weight absorbs any factor
  for (auto& [element, pairs] : found) {
    for (auto& [pair, count] : pairs) count /= common;
    out.elements.push_back(pairs);
  }
  std::sort(out.elements.begin(), out.elements.end());
  return out;
}

// Compares fingerprints with exact knowledge at the same small sizes. `points` of the output are
// seen by the fingerprint, all by the other.
TEST(OperatorsPropTest, FingerprintsAgreeWithExactKnowledge) {
  Rng rng(13);
  struct Seen {
    std::map<Fingerprint, std::size_t> prints;  // to classes
    std::map<std::pair<std::int64_t, Meaning>, std::size_t> classes;
    std::vector<std::string> texts;
    std::map<Fingerprint, std::string> first_text;
  };
  std::map<std::string, Seen> by_shape;
  int compared = 0;
  int merged = 0;
  int split = 0;
  for (int i = 0; i < 2 * kCases; ++i) {
    const RandomOperator r = random_operator(rng, 6, 1);
    const Operator op = canonical(r.op);
    SemanticHasher hasher(r.problem);
    const auto print = hasher.fingerprint(op);
    ASSERT_TRUE(print.ok()) << print.rejection().message();
    const auto bound = bind(op, hasher.sizes().front());
    double points = 1;
    for (std::size_t l = 0; l < bound->outputs + bound->reductions; ++l) {
      points *= static_cast<double>(bound->coordinates[l].domain);
    }
    if (points > 4000) continue;
    const ExactMeaning exact = exact_meaning(*bound);
    Seen& seen =
        by_shape[shape_text(r.problem.sizes, r.problem.input) + std::to_string(op.weights.size())];
    const auto [place, is_new] =
        seen.classes.emplace(std::pair(exact.averaged, exact.elements), seen.classes.size());
    const auto [known, is_new_print] = seen.prints.emplace(*print, place->second);
    ++compared;
    if (is_new && !is_new_print) {
      ++merged;
      ADD_FAILURE() << "merged:\n" << to_text(r.problem, op) << seen.first_text[*print];
    }
    if (!is_new && is_new_print) {
      ++split;
      ADD_FAILURE() << "split:\n" << to_text(r.problem, op) << seen.texts[place->second];
    }
    if (is_new) seen.texts.push_back(to_text(r.problem, op));
    seen.first_text.emplace(*print, to_text(r.problem, op));
  }
  EXPECT_GT(compared, kCases);
  EXPECT_EQ(merged, 0);
  EXPECT_EQ(split, 0);
}

// With several weights, by another program that lists all terms.
TEST(OperatorsPropTest, FingerprintsAgreeWithAllTerms) {
  Rng rng(16);
  struct Seen {
    std::map<Fingerprint, Fingerprint> exact_of, print_of;
    std::map<Fingerprint, std::string> text_of;
  };
  std::map<std::string, Seen> by_shape;
  int compared = 0;
  for (int i = 0; i < 2 * kCases; ++i) {
    const RandomOperator r = random_operator(rng, 8, 3);
    SemanticHasher hasher(r.problem);
    const auto exact = fingerprint_of_all_terms(r.op, r.problem.bindings[0], 6000);
    if (!exact.ok()) continue;
    const Fingerprint print = hasher.fingerprint(r.op).value();
    Seen& seen = by_shape[shape_text(r.problem.sizes, r.problem.input)];
    const std::string text = to_text(r.problem, r.op);
    seen.text_of.emplace(print, text);
    ASSERT_EQ(seen.exact_of.emplace(print, *exact).first->second, *exact)
        << "merged:\n"
        << text << seen.text_of[print];
    const Fingerprint known = seen.print_of.emplace(*exact, print).first->second;
    ASSERT_EQ(known, print) << "split:\n" << text << seen.text_of[known];
    ++compared;
  }
  EXPECT_GT(compared, kCases / 2);
}

// Where terms are too many for that: many points at larger sizes.
TEST(OperatorsPropTest, FewPointsAtSmallSizesSeeWhatManyAtLargeSizesSee) {
  Rng rng(14);
  std::map<std::string, std::map<Fingerprint, Fingerprint>> few_to_all;
  std::map<std::string, std::map<Fingerprint, Fingerprint>> all_to_few;
  for (int i = 0; i < kCases; ++i) {
    const RandomOperator r = random_operator(rng, 9, 2);
    SemanticHasher few(r.problem);
    SemanticHasher all(r.problem, {99, 400, 1 << 20});
    const auto a = few.fingerprint(r.op);
    const auto b = all.fingerprint(r.op);
    ASSERT_TRUE(a.ok()) << a.rejection().message();
    if (!b.ok()) continue;
    const std::string shape = shape_text(r.problem.sizes, r.problem.input);
    EXPECT_EQ(few_to_all[shape].emplace(*a, *b).first->second, *b) << to_text(r.problem, r.op);
    EXPECT_EQ(all_to_few[shape].emplace(*b, *a).first->second, *a) << to_text(r.problem, r.op);
  }
}

TEST(OperatorsPropTest, BoundsAreNeverAboveTheBestStages) {
  Rng rng(15);
  int exact = 0;
  int compared = 0;
  for (int i = 0; i < kCases; ++i) {
    const RandomOperator r = random_operator(rng, 9, 2);
    const auto best = fewest_macs(r.op, r.problem.bindings);
    if (!best.ok()) continue;
    const double bound = cost_bounds(r.op, r.problem.bindings)->macs;
    ASSERT_LE(bound, *best * (1 + 1e-12)) << to_text(r.problem, r.op);
    ++compared;
    exact += bound == *best ? 1 : 0;
  }
  EXPECT_GT(compared, kCases / 2);
  EXPECT_GT(exact, compared / 2) << "the bound is good for most";
}

}  // namespace
}  // namespace cambium::spaces::coordinate
