// The rules of the verifier as a table, and the data that each rule inspects. Used by the
// verify*.cpp files, and by schedule/steps/rebuild.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "program/verify.h"
#include "program/walk.h"

namespace cambium::program {

// X(function, name, first stage, last stage, text). The other rules are only checked if the first
// four hold.
// clang-format off
#define CAMBIUM_FOR_EACH_PROGRAM_RULE(X)                                                           \
  X(names_unique, "names-unique", Lowered, Ready,                                                  \
    "no two loops, blocks or buffers share a name")                                                \
  X(axes_in_scope, "axes-in-scope", Lowered, Ready,                                                \
    "bindings and predicates use only the loops around them, bodies only their iterators")         \
  X(buffers_declared, "buffers-declared", Lowered, Ready,                                          \
    "blocks use only buffers of the program, each declared in its role")                           \
  X(read_only_kept, "read-only-kept", Lowered, Ready,                                              \
    "no block writes an input or a constant")                                                      \
  X(loops_plain, "loops-plain", Lowered, Lowered,                                                  \
    "loops are serial and carry no annotations")                                                   \
  X(bindings_in_range, "bindings-in-range", Lowered, Ready,                                        \
    "an iterator stays below its extent wherever the predicate holds")                             \
  X(points_once, "points-once", Lowered, Ready,                                                    \
    "each point is computed only once during the life of its target buffer")                       \
  X(writes_apart, "writes-apart", Lowered, Ready,                                                  \
    "different spatial points of a block write different elements during the life of the target")  \
  X(reductions_complete, "reductions-complete", Lowered, Ready,                                    \
    "every reduced element sees all points of its reduction")                                      \
  X(accesses_in_bounds, "accesses-in-bounds", Lowered, Ready,                                      \
    "reads and writes stay inside their buffers, given the conditions around them")                \
  X(reads_after_writes, "reads-after-writes", Lowered, Ready,                                      \
    "elements of locals and outputs are read only after they are completely written")              \
  X(outputs_written, "outputs-written", Lowered, Ready,                                            \
    "every element of every output is written")                                                    \
  X(parallel_independent, "parallel-independent", Scheduled, Ready,                                \
    "no element written in one iteration of a parallel or vectorized loop is used in another")     \
  X(vectorized_innermost, "vectorized-innermost", Scheduled, Ready,                                \
    "a vectorized loop contains only blocks")                                                      \
  X(hints_known, "hints-known", Ready, Ready,                                                      \
    "every annotation is a hint that code generation knows")                                       \
  X(inits_decomposed, "inits-decomposed", Ready, Ready,                                            \
    "separate blocks store initial values")                                                        \
  X(unroll_bounded, "unroll-bounded", Ready, Ready,                                                \
    "unrolled loops copy a block at most 4096 times")
// clang-format on

inline constexpr int kFirstRules = 4;

struct Inspection {
  Inspection(Context& context, const Program& inspected);

  // One of the functions of the table.
  void apply(void (*function)(Inspection&));

  void refuse(Rejection why) { found.push_back({rule, std::move(why)}); }
  void not_proved(const std::string& where, const std::string& what) {
    refuse(Rejection(Reason::NotProved, where, what));
  }

  // Calls f, unless the current rule found this key sound before. The key must name everything that
  // f looks at. Refusals are not remembered, because their messages contain names.
  template <class F>
  void unless_known(const Fingerprint& key, const F& f) {
    if (!is_done()) unless_known(cx.sound()[key], f);
  }
  // The same, if the caller already has the entry of the key.
  template <class F>
  void unless_known(std::uint32_t& sound, const F& f) {
    const std::uint32_t bit = std::uint32_t{1} << (rule - rules().data());
    if (is_done() || (sound & bit) != 0) return;
    const std::size_t before = found.size();
    f();
    if (found.size() == before) sound |= bit;
  }

  bool is_done() const { return first_only && !found.empty(); }

  // A key for a block with its loops and the sizes of its buffers.
  const Fingerprint& key_of(const Site& site);
  // The same, plus the loop in which the buffer that it writes lives.
  Fingerprint key_at_home(const Site& site);
  const Loop* home_of(const Site& site);
  // The entries of these keys. They are kept, because rules that check one site after another ask
  // for the same keys.
  std::uint32_t& sound(const Site& site);
  std::uint32_t& sound_at_home(const Site& site);

  Context& cx;
  const Program& program;
  std::vector<Site> sites;
  const Rule* rule = nullptr;  // the rule that is being checked
  std::vector<Violation> found;
  bool first_only = false;     // whether one violation is enough
  const Loop* only = nullptr;  // if set, rules about kinds of loops check only this loop

 private:
  // Facts about a site, computed on request: most rules need only a few.
  struct Known {
    std::optional<Fingerprint> key;
    std::optional<const Loop*> home;  // of the buffer that it writes
    std::uint32_t *sound = nullptr, *sound_at_home = nullptr;
  };
  std::vector<Known> known_;
};

#define CAMBIUM_X(function, name, from, until, text) void function(Inspection& i);
CAMBIUM_FOR_EACH_PROGRAM_RULE(CAMBIUM_X)
#undef CAMBIUM_X

inline std::string called(const Block& block) {
  return "block '" + std::string(block.name) + "'";
}

}  // namespace cambium::program
