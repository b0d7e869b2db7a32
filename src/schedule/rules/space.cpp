#include "schedule/rules/space.h"

#include <algorithm>

#include "program/code_size.h"
#include "program/verify.h"
#include "program/walk.h"
#include "schedule/rules/initial_values.h"

namespace cambium::schedule {
namespace {

// Every rule on every block. Refusals of rules are no refusals: they had nothing to do there.
Draft run_rules(Context& cx, const Program& program, const Machine& machine, const Space& space,
                const DraftOptions& options) {
  Draft draft(cx, program, machine, options);
  program::Stmt seen = nullptr;  // what `sites` are of: most rules leave most programs as they are
  std::vector<program::Site> sites;
  for (const Rule& rule : space.rules) {
    if (seen != draft.program().root) {
      sites = program::sites_of(draft.program());
      seen = draft.program().root;
    }
    for (std::size_t i = sites.size(); i-- > 0;) {
      const std::string block(sites[i].block->name);
      program::Site moved{nullptr, {}, 0};
      const program::Site* site = &sites[i];
      if (seen != draft.program().root) {
        moved = program::find_site(draft.program(), block);
        if (moved.block == nullptr) continue;
        site = &moved;
      }
      const Schedule::Mark before = draft.schedule().mark();
      draft.enter(rule.name, *site);
      if (!rule.apply(draft, block).ok()) draft.schedule().back_to(before);
    }
  }
  return draft;
}

Decisions structure_of(const Trace& trace) {
  Trace structural;
  for (const Record& record : trace) {
    if (is_structural(record.step)) structural.push_back(record);
  }
  return decisions_of(structural);
}

// Depth first over the structural decisions, in the order in which the rules ask for them.
class Structures {
 public:
  Structures(Context& cx, const Program& program, const Machine& machine, const Space& space,
             std::size_t most)
      : cx_(cx), program_(program), machine_(machine), space_(space), most_(most) {}

  void fork(Decisions wanted) {
    if (found_.size() >= most_ || ++runs_ > kRunsPerStructure * most_) return;
    const DraftOptions options{1, Otherwise::Preferred, std::move(wanted), 1};
    const Draft draft = run_rules(cx_, program_, machine_, space_, options);
    if (!draft.fault().ok()) return;
    for (const Record& record : draft.schedule().trace()) {
      if (!is_structural(record.step)) continue;
      const auto& sample = std::get<SampleCategorical>(record.step);
      if (options.wanted.contains(sample.key)) continue;
      std::vector<Decision> ways = sample.neighbours();
      ways.insert(ways.begin(), sample.decision());
      for (const Decision& way : ways) {
        Decisions more = options.wanted;
        more[sample.key] = way;
        fork(std::move(more));
      }
      return;
    }
    // Where a rule refused, what it had asked for is not in the trace: no combination.
    if (structure_of(draft.schedule().trace()) == options.wanted) keep(options.wanted);
  }

  std::vector<Decisions> take() { return std::move(found_); }

 private:
  // Combinations that are refused also cost a run.
  static constexpr std::size_t kRunsPerStructure = 16;
  static constexpr std::uint64_t kSeeds = 8;

  void keep(const Decisions& wanted) {
    // What is preferred may not fit this structure; then some schedule of it must.
    for (std::uint64_t seed = 0; seed <= kSeeds; ++seed) {
      const DraftOptions options{seed, seed == 0 ? Otherwise::Preferred : Otherwise::Drawn, wanted,
                                 1};
      if (!generate(cx_, program_, machine_, space_, options).ok()) continue;
      found_.push_back(wanted);
      return;
    }
  }

  Context& cx_;
  const Program& program_;
  const Machine& machine_;
  const Space& space_;
  std::size_t most_, runs_ = 0;
  std::vector<Decisions> found_;
};

}  // namespace

std::vector<std::string> space_names() {
  return {"whole", "stock"};
}

Result<Space> space_named(const std::string& name) {
  if (name == "whole") return whole_space();
  if (name == "stock") return stock_space();
  std::string all;
  for (const std::string& each : space_names()) all += (all.empty() ? "" : ", ") + each;
  return Rejection(Reason::BadOption, "there is no space '" + name + "'", "there are " + all);
}

Result<Space> without(Space space, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto is_it = [&](const Rule& rule) { return rule.name == name; };
    const auto found = std::find_if(space.rules.begin(), space.rules.end(), is_it);
    if (found == space.rules.end()) {
      std::string all;
      for (const Rule& rule : space.rules) all += (all.empty() ? "" : ", ") + rule.name;
      return Rejection(Reason::UnknownRule, name, all.empty() ? "none" : all);
    }
    space.rules.erase(found);
  }
  return space;
}

// Keys begin with the name of the rule that asked.
bool is_of(const Space& space, const Trace& trace) {
  return std::all_of(trace.begin(), trace.end(), [&](const Record& record) {
    const std::string* key = key_of(record.step);
    if (key == nullptr) return true;
    const std::string_view rule = std::string_view(*key).substr(0, key->find('/'));
    return std::any_of(space.rules.begin(), space.rules.end(),
                       [rule](const Rule& each) { return each.name == rule; });
  });
}

std::vector<Decisions> structures(Context& cx, const Program& program, const Machine& machine,
                                  const Space& space, std::size_t most) {
  Structures search(cx, program, machine, space, most);
  search.fork({});
  return search.take();
}

Result<Schedule> generate(Context& cx, const Program& program, const Machine& machine,
                          const Space& space, const DraftOptions& options) {
  Draft draft = run_rules(cx, program, machine, space, options);
  CAMBIUM_REQUIRE(draft.fault());
  CAMBIUM_REQUIRE(decompose_all(draft.schedule()));
  CAMBIUM_REQUIRE(program::check(cx, draft.program(), program::Stage::Ready));
  CAMBIUM_REQUIRE(program::check_code_size(draft.program(), machine.lanes()));
  return std::move(draft.schedule());
}

}  // namespace cambium::schedule
