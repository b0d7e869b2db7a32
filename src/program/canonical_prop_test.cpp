#include <cctype>
#include <map>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "program/random_program.h"
#include "program/text.h"
#include "program/verify.h"
#include "program/walk.h"

namespace cambium::program {
namespace {

constexpr std::uint64_t kPrograms = 500;

// A random name for each name of the program; what shares a name shares the new one.
std::map<std::string, std::string> other_names(const Program& program, Rng& random) {
  std::map<std::string, std::string> names;
  const auto add = [&](std::string_view name) {
    names.try_emplace(std::string(name), "n" + std::to_string(random.below(1000)) + "." +
                                             std::to_string(names.size()));
  };
  for (const Buffer* b : program.parameters) add(b->name);
  for (const Buffer* b : program.locals) add(b->name);
  for_each_stmt(program, [&](Stmt s, const auto&) {
    if (const Loop* loop = as_loop(s)) add(loop->name());
    const Block* block = as_block(s);
    if (block == nullptr) return;
    add(block->name);
    for (const Iterator& it : block->body->iterators) add(expr::name_of(it.axis));
  });
  return names;
}

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const std::string word = text.substr(i, std::max(end, i + 1) - i);
    const auto found = names.find(word);
    out += found == names.end() ? word : found->second;
    i += word.size();
  }
  return out;
}

// The locals declared in another order, and one that nothing uses among them.
std::string with_other_locals(const std::string& text) {
  const std::size_t body = text.find(") {\n") + 4;
  std::size_t end = body;
  std::string declarations;
  while (text.compare(end, 8, "  local ") == 0) {
    const std::size_t next = text.find('\n', end) + 1;
    declarations.insert(0, text.substr(end, next - end));
    end = next;
  }
  return text.substr(0, body) + "  local unused: f32[3]\n" + declarations + text.substr(end);
}

TEST(Canonical, KeepsTheFingerprintAndWhatTheVerifierSays) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    Context cx;
    const Program program = scheduled_program(cx, random_formula(seed), seed);
    const Program named = canonical(cx, program);
    ASSERT_EQ(fingerprint_of(named), fingerprint_of(program)) << to_text(cx, program);
    // The marks of random loops are often unsound; that stays so.
    ASSERT_EQ(violations(cx, named, Stage::Scheduled).size(),
              violations(cx, program, Stage::Scheduled).size())
        << to_text(cx, named);
    const auto again = parse(cx, to_text(cx, named));
    ASSERT_TRUE(again.ok()) << again.rejection().message() << "\n" << to_text(cx, named);
    ASSERT_EQ(fingerprint_of(*again), fingerprint_of(program)) << to_text(cx, named);
    ASSERT_EQ(to_text(cx, canonical(cx, named)), to_text(cx, named)) << "seed " << seed;
  }
}

TEST(Canonical, IsOneTextForAllNames) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    Context cx;
    Rng random(seed);
    const Program program = scheduled_program(cx, random_formula(seed), seed);
    const std::string want = to_text(cx, canonical(cx, program));
    for (int version = 0; version < 3; ++version) {
      const std::string text =
          with_other_locals(renamed(to_text(cx, program), other_names(program, random)));
      Context other_cx;
      const auto other = parse(other_cx, text);
      ASSERT_TRUE(other.ok()) << other.rejection().message() << "\n" << text;
      ASSERT_EQ(fingerprint_of(*other), fingerprint_of(program)) << text;
      ASSERT_EQ(to_text(other_cx, canonical(other_cx, *other)), want) << "seed " << seed;
    }
  }
}

TEST(Canonical, TellsDifferentProgramsApart) {
  std::map<std::string, Fingerprint> seen;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    Context cx;
    const Program program = scheduled_program(cx, random_formula(seed), seed);
    const auto [place, is_new] =
        seen.try_emplace(to_text(cx, canonical(cx, program)), fingerprint_of(program));
    ASSERT_EQ(place->second, fingerprint_of(program)) << place->first;
  }
  EXPECT_GT(seen.size(), kPrograms / 2);
}

TEST(Canonical, NamesByRoleKindAndPosition) {
  Context cx;
  const auto program = parse(cx, R"(
program mine(data: f32[4, 8] input, weight: f32[8, 2] constant, out: f32[4, 2] output) {
  local spare: f32[2]
  local scaled: f32[4, 8]
  for a in 4 {
    for b in 8 {
      block scale(spatial a = a, spatial b = b) {
        scaled[a, b] = data[a, b] * 2.0
      }
    }
  }
  for n in 4 {
    for c in 8 {
      for m in 2 {
        block sum(spatial a = n, reduce b = c, spatial m = m) {
          out[a, m] += scaled[a, b] * weight[b, m] init 0.0
        }
      }
    }
  }
}
)");
  ASSERT_TRUE(program.ok()) << program.rejection().message();
  EXPECT_EQ(to_text(cx, canonical(cx, *program)), R"(program kernel(x0: f32[4, 8] input,
               w0: f32[8, 2] constant,
               y0: f32[4, 2] output) {
  local t0: f32[4, 8]
  for l0 in 4 {
    for l1 in 8 {
      block b0(spatial i0 = l0, spatial i1 = l1) {
        t0[i0, i1] = x0[i0, i1] * 2.0
      }
    }
  }
  for l2 in 4 {
    for l3 in 8 {
      for l4 in 2 {
        block b1(spatial i0 = l2, reduce k0 = l3, spatial i1 = l4) {
          y0[i0, i1] += t0[i0, k0] * w0[k0, i1] init 0.0
        }
      }
    }
  }
}
)");
}

}  // namespace
}  // namespace cambium::program
