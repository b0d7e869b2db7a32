// Documents as people may write them - random neural steps and loop steps on any loop, walks of
// moves before anybody brought them into canonical form, names - and what identities claim of them:
// the canonical text computes what was written, and so does every other document of that identity.
// Weights are matched by what they do (weight_uses.h).
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nest_draws.h"
#include "program/interpret.h"
#include "program/walk.h"
#include "schedule/recipe/document.h"
#include "schedule/recipe/moves.h"
#include "spaces/loopnest/nest.h"
#include "spaces/loopnest/walks.h"
#include "weight_uses.h"

namespace cambium::tests {
namespace {

using schedule::Names;
using schedule::Trace;

constexpr std::uint64_t kUsualMeanings = 4000;
constexpr std::uint64_t kWrittenForOneShape = 200;  // so that many compute the same
constexpr int kMostRefused = 40;

template <class T>
const T& one_of(const std::vector<T>& all, Rng& rng) {
  return all[static_cast<std::size_t>(rng.below(all.size()))];
}

loopnest::Shape small_shape(Rng& rng) {
  const std::vector<std::int64_t> channels{2, 4, 4, 6, 8}, places{2, 4, 4, 6, 8}, taps{1, 1, 2, 3};
  loopnest::Shape shape;
  model::Conv& conv = shape.conv;
  conv.groups = rng.chance(0.25) ? 2 : 1;
  const std::int64_t kh = one_of(taps, rng), kw = one_of(taps, rng);
  const std::int64_t stride = rng.chance(0.2) ? 2 : 1;
  conv.strides = {stride, stride};
  conv.dilations = {1, 1};
  conv.pads = {kh / 2, kw / 2, (kh - 1) / 2, (kw - 1) / 2};
  const std::int64_t ins = one_of(channels, rng);
  shape.filter = {one_of(channels, rng), ins / conv.groups, kh, kw};
  shape.input = {rng.chance(0.2) ? 2 : 1, ins, stride * one_of(places, rng),
                 stride * (rng.chance(0.5) ? 1 : one_of(places, rng))};
  return shape;
}

// ---- what people write

struct LoopNow {
  std::string name;
  std::int64_t extent = 1;
};

std::vector<LoopNow> loops_now(const schedule::Schedule& schedule,
                               const schedule::Original& original) {
  std::vector<LoopNow> loops;
  const program::Program& program = schedule.program();
  for (const std::string& name : schedule::nests_of(original.program, program, original.block)) {
    for (const program::Loop* loop : program::find_site(program, name).loops) {
      loops.push_back({std::string(loop->name()), loop->extent()});
    }
  }
  return loops;
}

// One that the loops may take, or not.
schedule::Step random_step(const std::vector<LoopNow>& loops, Rng& rng) {
  const LoopNow &a = one_of(loops, rng), &b = one_of(loops, rng);
  const std::int64_t factor = rng.chance(0.8) ? 2 : rng.between(2, 4);
  const auto point = [&] { return a.extent > 1 ? rng.between(1, a.extent - 1) : 1; };
  switch (rng.below(12)) {
    case 0:
    case 1: {
      const bool is_outer = rng.chance(0.5);
      return schedule::Split{a.name,
                             is_outer ? schedule::Ints{factor, 0} : schedule::Ints{0, factor},
                             schedule::Tail::Exact};
    }
    case 2:
    case 3: return schedule::Partition{a.name, {point()}};
    case 4: return schedule::Reorder{{a.name, b.name}};
    case 5: return schedule::Fuse{{a.name, b.name}};
    case 6: return schedule::Bottleneck{a.name, factor, true};
    case 7: return schedule::Group{a.name, b.name, factor, rng.chance(0.2) ? 1 : 0};
    case 8: return schedule::Depthwise{a.name, b.name};
    case 9: return schedule::GroupChannels{a.name, b.name};
    case 10:
      if (rng.chance(0.1)) return schedule::Separate{{a.name, b.name}, rng.chance(0.5)};
      [[fallthrough]];
    default: return schedule::GroupSlabs{a.name};
  }
}

Trace written_by_hand(program::Context& cx, const schedule::Original& original, Rng& rng) {
  schedule::Schedule schedule =
      schedule::begin_document(cx, original.program, original.block).value();
  Trace written;
  const auto wanted = static_cast<std::size_t>(rng.between(1, 5));
  for (int refused = 0; written.size() < wanted && refused < kMostRefused;) {
    const schedule::Record record{random_step(loops_now(schedule, original), rng), {}};
    const schedule::Schedule::Mark mark = schedule.mark();
    if (schedule::apply_written(schedule, record).ok()) {
      written.push_back(record);
    } else {
      schedule.back_to(mark);
      ++refused;
    }
  }
  return written;
}

Trace written_as_moves(program::Context& cx, const schedule::Original& original, Rng& rng) {
  schedule::Walk walk = schedule::Walk::from(cx, original).value();
  schedule::MoveLimits limits;
  limits.narrows_outputs = true;
  for (std::int64_t moves = rng.between(1, 4); moves > 0; --moves) {
    const auto move = walk.random(limits, rng);
    if (!move || !walk.take(*move).ok()) break;
  }
  return walk.document();
}

Trace written(program::Context& cx, const schedule::Original& original, Rng& rng) {
  if (rng.chance(0.6)) return written_by_hand(cx, original, rng);
  if (rng.chance(0.8)) return written_as_moves(cx, original, rng);
  const auto named = schedule::steps_of(loopnest::random_sequence(rng), original.sizes);
  return named.ok() ? *named : Trace{};
}

// ---- what they compute

// Equal where two programs compute the same with the same weights, whatever these are called.
struct Effect {
  std::vector<std::uint64_t> uses;
  std::vector<double> y;

  friend bool operator==(const Effect&, const Effect&) = default;
};

Effect effect_of(program::Context& cx, const program::Program& program, std::uint64_t seed) {
  const WeightUses uses = weight_uses_of(program, seed);
  std::vector<program::Array> arguments;
  std::size_t constant = 0;
  for (const program::Buffer* parameter : program.parameters) {
    std::vector<float> elements;
    if (parameter->role == program::Role::Input) {
      Rng rng(seed);
      for (std::int64_t i = 0; i < parameter->elements(); ++i) {
        elements.push_back(static_cast<float>(rng.between(-3, 3)));
      }
    } else if (parameter->role == program::Role::Constant) {
      for (const std::uint64_t use : uses.derivatives[constant++]) {
        elements.push_back(static_cast<float>(use % 7) - 3);
      }
    } else {
      continue;
    }
    arguments.push_back(program::Array::of(std::move(elements)));
  }
  const auto outputs = program::interpret(cx, program, arguments);
  EXPECT_TRUE(outputs.ok()) << outputs.rejection().message();
  return {uses.sorted(), outputs.ok() ? (*outputs)[0].as_doubles() : std::vector<double>{}};
}

struct First {
  std::string document;
  Effect effect;
};

TEST(Meanings, AreThoseOfTheCanonicalTextAndOfEqualIdentities) {
  const std::uint64_t count = cases_asked("CAMBIUM_NEST_DOCUMENTS", kUsualMeanings);
  std::uint64_t compared = 0, refused = 0, rewritten = 0, equal = 0;
  for (std::uint64_t batch = 0; batch * kWrittenForOneShape < count; ++batch) {
    Rng rng = Rng(20211019).split(batch);
    const loopnest::Shape shape = small_shape(rng);
    program::Context cx;
    const loopnest::Nest nest =
        loopnest::nest_of(cx, shape.conv, shape.filter, shape.input).value();
    const schedule::Original original = schedule::original_of(cx, nest.program, nest.block).value();
    std::map<Fingerprint, First> by_identity;
    for (std::uint64_t i = 0; i < kWrittenForOneShape; ++i) {
      const Trace steps = written(cx, original, rng);
      SCOPED_TRACE(shape.words() + "\n" + to_text(steps));
      std::fprintf(stderr, "%s\n", (shape.words() + "\n" + to_text(steps)).c_str());
      const auto raw = schedule::replayed(cx, original, steps);
      if (!raw.ok()) {
        ++refused;
        continue;
      }
      const auto document = schedule::document_of(cx, original, steps);
      ASSERT_TRUE(document.ok()) << document.rejection().message();
      ASSERT_EQ(document->is_original(), document->identity == original.identity);
      const Effect as_written = effect_of(cx, raw->half.schedule.program(), batch);
      ASSERT_EQ(effect_of(cx, document->half.schedule.program(), batch), as_written)
          << "against its canonical text\n"
          << document->text;
      for (const Fingerprint& identity : {raw->identity, document->identity}) {
        const auto [first, is_new] =
            by_identity.emplace(identity, First{to_text(steps), as_written});
        ASSERT_EQ(first->second.effect, as_written) << "against\n" << first->second.document;
        equal += is_new ? 0 : 1;
      }
      ++compared;
      rewritten += document->text == to_text(steps) ? 0 : 1;
    }
  }
  std::printf(
      "%llu documents compared with their canonical texts, %llu of them differ in text; "
      "%llu with an equal identity; %llu refused\n",
      static_cast<unsigned long long>(compared), static_cast<unsigned long long>(rewritten),
      static_cast<unsigned long long>(equal), static_cast<unsigned long long>(refused));
  EXPECT_GT(compared * 4, count);
  EXPECT_GT(rewritten * 4, compared);
}

}  // namespace
}  // namespace cambium::tests
