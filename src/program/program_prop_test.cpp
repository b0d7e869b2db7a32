#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "program/interpret.h"
#include "program/random_program.h"
#include "program/text.h"
#include "program/verify.h"

namespace cambium::program {
namespace {

constexpr std::uint64_t kCases = 1000;

std::vector<Array> arrays(const std::vector<std::vector<double>>& inputs) {
  std::vector<Array> all;
  for (const auto& values : inputs) all.push_back(Array::of(std::span<const double>(values)));
  return all;
}

TEST(RandomProgram, PrintsAndParsesTheSame) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Context cx;
    const Program program = scheduled_program(cx, random_formula(seed), seed);
    const std::string text = to_text(cx, program);
    const auto again = parse(cx, text);
    ASSERT_TRUE(again.ok()) << again.rejection().message() << "\n" << text;
    ASSERT_EQ(to_text(cx, *again), text) << "seed " << seed;
    ASSERT_EQ(fingerprint_of(*again), fingerprint_of(program)) << "seed " << seed << "\n" << text;
  }
}

// Every name of the text gets a prefix: loops, iterators, blocks and buffers.
std::string renamed(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || (!std::isalnum(static_cast<unsigned char>(text[i - 1])) &&
                                   text[i - 1] != '_' && text[i - 1] != '.');
    const bool named = i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]));
    const bool is_name =
        starts &&
        (((text[i] == 'l' || text[i] == 'i' || text[i] == 'k' || text[i] == 'b') && named) ||
         text.compare(i, 3, "out") == 0 || text.compare(i, 5, "stage") == 0);
    if (is_name && text.compare(i, 4, "outp") != 0) out += "z_";
    out += text[i];
  }
  return out;
}

TEST(RandomProgram, KeepsItsFingerprintUnderOtherNames) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Context cx;
    const Program program = scheduled_program(cx, random_formula(seed), seed);
    const std::string text = renamed(to_text(cx, program));
    const auto other = parse(cx, text);
    ASSERT_TRUE(other.ok()) << other.rejection().message() << "\n" << text;
    ASSERT_NE(to_text(cx, program), text);
    ASSERT_EQ(fingerprint_of(*other), fingerprint_of(program)) << "seed " << seed << "\n" << text;
  }
}

TEST(RandomProgram, IsEqualInAnotherContext) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Context from;
    Context to;
    const Program program = scheduled_program(from, random_formula(seed), seed);
    const Program copy = clone_into(to, program);
    ASSERT_EQ(to_text(to, copy), to_text(from, program));
    ASSERT_EQ(fingerprint_of(copy), fingerprint_of(program));
  }
}

TEST(RandomProgram, ComputesItsFormulaHoweverItIsScheduled) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Context cx;
    const RandomFormula formula = random_formula(seed);
    const auto inputs = random_inputs(formula, seed);
    const std::vector<double> want = evaluate(formula, inputs);
    for (const Program& program :
         {plain_program(cx, formula), scheduled_program(cx, formula, seed)}) {
      const auto got = interpret(cx, program, arrays(inputs));
      ASSERT_TRUE(got.ok()) << got.rejection().message() << "\n" << to_text(cx, program);
      ASSERT_EQ(got->at(0).as_doubles(), want) << "seed " << seed << "\n" << to_text(cx, program);
    }
  }
}

TEST(RandomProgram, HasNoViolationsAsLowered) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Context cx;
    const Program program = plain_program(cx, random_formula(seed));
    const auto sound = check(cx, program, Stage::Lowered);
    ASSERT_TRUE(sound.ok()) << sound.rejection().message() << "\n" << to_text(cx, program);
  }
}

// Changes one number of a text by a little.
std::string mutated(std::string text, Rng& rng) {
  std::vector<std::size_t> digits;
  for (std::size_t i = text.find('{'); i < text.size(); ++i) {
    const char before = text[i - 1];
    if (std::isdigit(static_cast<unsigned char>(text[i])) && (before == ' ' || before == '(')) {
      digits.push_back(i);
    }
  }
  if (digits.empty()) return text;
  const std::size_t at = digits[rng.below(digits.size())];
  text[at] = static_cast<char>('0' + (text[at] - '0' + static_cast<int>(rng.between(1, 9))) % 10);
  return text;
}

// The verifier is sound: what it lets through never leaves its buffers, never reads what was not
// written, and gives the same in every order of its parallel loops.
TEST(RandomProgram, RunsWhateverTheVerifierAccepts) {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 3 * kCases; ++seed) {
    Context cx;
    Rng rng = Rng(seed).split("mutate");
    const RandomFormula formula = random_formula(seed);
    const std::string text = mutated(to_text(cx, scheduled_program(cx, formula, seed)), rng);
    const auto program = parse(cx, text);
    if (!program.ok()) continue;
    if (!check(cx, *program, Stage::Scheduled).ok()) {
      ++refused;
      continue;
    }
    ++accepted;
    const auto inputs = random_inputs(formula, seed);
    const Interpreter compiled = Interpreter::compile(cx, *program).value();
    const auto got = compiled.run(arrays(inputs));
    ASSERT_TRUE(got.ok()) << "seed " << seed << ": " << got.rejection().message() << "\n" << text;
    const auto shuffled = compiled.run(arrays(inputs), seed);
    ASSERT_TRUE(shuffled.ok()) << shuffled.rejection().message() << "\n" << text;
    ASSERT_EQ(shuffled->at(0).as_doubles(), got->at(0).as_doubles()) << text;
  }
  EXPECT_GT(accepted, kCases / 4);
  EXPECT_GT(refused, kCases / 4);
}

}  // namespace
}  // namespace cambium::program
