#include "schedule/recipe/replay.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "program/walk.h"

namespace cambium::schedule {
namespace {

using program::Site;

// The loops that a step of a document wants outermost; nothing: a document may not hold it.
struct Outermost {
  std::optional<Names> operator()(const Reorder&) const { return Names(); }
  std::optional<Names> operator()(const Split& s) const {
    if (s.tail != Tail::Exact) return std::nullopt;
    return Names();
  }
  std::optional<Names> operator()(const Fuse& s) const { return s.loops; }
  std::optional<Names> operator()(const Partition& s) const { return Names{s.loop}; }
  std::optional<Names> operator()(const Unroll&) const { return Names(); }
  std::optional<Names> operator()(const Bottleneck& s) const { return Names{s.loop}; }
  std::optional<Names> operator()(const Group& s) const { return Names{s.outer, s.inner}; }
  std::optional<Names> operator()(const Depthwise& s) const { return Names{s.outer, s.inner}; }
  std::optional<Names> operator()(const GroupSlabs& s) const { return Names{s.rows}; }
  std::optional<Names> operator()(const GroupChannels& s) const { return Names{s.rows, s.outer}; }
  std::optional<Names> operator()(const Separate&) const { return Names(); }
  template <class Other>
  std::optional<Names> operator()(const Other&) const {
    return std::nullopt;
  }
};

// All loops around the block that this loop stands around, in their order; none: no such loop.
Names nest_of(const Program& program, const std::string& loop) {
  const program::Loop* const found = program::find_loop(program, loop);
  if (found == nullptr) return {};
  for (const Site& site : program::sites_of(program)) {
    if (!site.is_under(found)) continue;
    Names names;
    for (const program::Loop* around : site.loops) names.emplace_back(around->name());
    return names;
  }
  return {};
}

// Does nothing where a loop is missing: the step says so.
Status bring_outside(Schedule& schedule, const Names& loops) {
  if (loops.empty()) return Ok{};
  const Names nest = nest_of(schedule.program(), loops[0]);
  const auto stands = [&](const std::string& loop) {
    return std::find(nest.begin(), nest.end(), loop) != nest.end();
  };
  if (!std::all_of(loops.begin(), loops.end(), stands)) return Ok{};
  if (std::equal(loops.begin(), loops.end(), nest.begin())) return Ok{};
  Names order = loops;
  for (const std::string& loop : nest) {
    if (std::find(loops.begin(), loops.end(), loop) == loops.end()) order.push_back(loop);
  }
  CAMBIUM_TRY([[maybe_unused]] const Names made, schedule.apply(Reorder{std::move(order)}));
  return Ok{};
}

}  // namespace

Status apply_written(Schedule& schedule, const Record& record) {
  const std::optional<Names> outermost = std::visit(Outermost(), record.step);
  if (!outermost) {
    return Rejection(Reason::UnknownStep,
                     std::visit([](const auto& s) { return std::string(s.kName); }, record.step))
        .at("a document holds neural steps, reorder, split without a tail, fuse, partition and "
            "unroll, no other step of the loop half");
  }
  CAMBIUM_REQUIRE(bring_outside(schedule, *outermost));
  CAMBIUM_TRY(const Names made, schedule.apply(record.step));
  if (record.made.empty() || record.made == made) return Ok{};
  return Rejection(Reason::TraceDiffers, join(record.made, ", "), join(made, ", "));
}

namespace {

bool has_select(const program::Block& block) {
  bool found = false;
  program::for_each_scalar(block.body->value, [&](program::Scalar s) {
    found = found || s->kind == program::ScalarKind::Select;
  });
  return found;
}

}  // namespace

Names nests_of(const Program& before, const Program& after, std::string_view block) {
  std::set<std::string_view> others;
  for (const Site& site : program::sites_of(before)) others.insert(site.block->name);
  others.erase(block);
  Names names;
  for (const Site& site : program::sites_of(after)) {
    if (!others.contains(site.block->name)) names.emplace_back(site.block->name);
  }
  return names;
}

Result<Schedule> begin_document(Context& cx, const Program& program, std::string_view block,
                                StepMemory* memory) {
  Schedule schedule(cx, program, memory);
  CAMBIUM_TRY([[maybe_unused]] const Names named, schedule.apply(Normalize{std::string(block)}));
  return schedule;
}

// The sums are among the block and what the document added.
Result<Names> normalize_sums(Schedule& schedule, const Program& program, std::string_view block) {
  Names sums;
  for (const std::string& name : nests_of(program, schedule.program(), block)) {
    // Copies and initial values. A sum that has no normal form must not be passed over: it would be
    // missing from all that is read of the sums.
    const program::Block* const found = program::find_block(schedule.program(), name);
    if (found->body->combine != program::Combine::Sum) continue;
    CAMBIUM_TRY([[maybe_unused]] const Names made, schedule.apply(Normalize{name}));
    sums.push_back(name);
    if (!has_select(*program::find_block(schedule.program(), name))) continue;
    CAMBIUM_TRY([[maybe_unused]] const Names none, schedule.apply(LiftSelect{name}));
  }
  return sums;
}

Result<NeuralHalf> finish_document(Schedule schedule, const Program& program,
                                   std::string_view block) {
  CAMBIUM_TRY(Names sums, normalize_sums(schedule, program, block));
  return NeuralHalf{std::move(schedule), std::move(sums), program};
}

Result<NeuralHalf> replay_document(Context& cx, const Program& program, std::string_view block,
                                   const Trace& document, StepMemory* memory) {
  CAMBIUM_TRY(Schedule schedule, begin_document(cx, program, block, memory));
  for (std::size_t i = 0; i < document.size(); ++i) {
    Status applied = apply_written(schedule, document[i]);
    if (applied.ok()) continue;
    return std::move(applied).rejection().at(
        fmt::format("step {}, {}", i + 1, to_text(document[i].step)));
  }
  return finish_document(std::move(schedule), program, block);
}

}  // namespace cambium::schedule
