// The rules of the verifier as a table, and what each sees. Used by the verify*.cpp files only.
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

// X(function, name, first stage, last stage, what it says). The first four hold for anything that
// the others can look at.
// clang-format off
#define CAMBIUM_FOR_EACH_PROGRAM_RULE(X)                                                           \
  X(names_unique, "names-unique", Lowered, Ready,                                                  \
    "no two loops, blocks or buffers share a name")                                                \
  X(axes_in_scope, "axes-in-scope", Lowered, Ready,                                                \
    "bindings and predicates are over the loops around them, bodies over their iterators")         \
  X(buffers_declared, "buffers-declared", Lowered, Ready,                                          \
    "blocks use parameters and locals of the program, each declared in its role")                  \
  X(read_only_kept, "read-only-kept", Lowered, Ready,                                              \
    "no block writes an input or a constant")                                                      \
  X(loops_plain, "loops-plain", Lowered, Lowered,                                                  \
    "loops are serial and carry no annotations")                                                   \
  X(bindings_in_range, "bindings-in-range", Lowered, Ready,                                        \
    "an iterator stays below its extent wherever the predicate holds")                             \
  X(points_once, "points-once", Lowered, Ready,                                                    \
    "a point is computed once in the life of the buffer that it is written to")                    \
  X(writes_apart, "writes-apart", Lowered, Ready,                                                  \
    "different spatial points of a block write different elements in the life of the buffer")      \
  X(reductions_complete, "reductions-complete", Lowered, Ready,                                    \
    "an element that is reduced sees all points of the reduction")                                 \
  X(accesses_in_bounds, "accesses-in-bounds", Lowered, Ready,                                      \
    "reads and writes stay inside their buffers, given the conditions around them")                \
  X(reads_after_writes, "reads-after-writes", Lowered, Ready,                                      \
    "what is read from a local or an output was written, and completely, before")                  \
  X(outputs_written, "outputs-written", Lowered, Ready,                                            \
    "every element of every output is written")                                                    \
  X(parallel_independent, "parallel-independent", Scheduled, Ready,                                \
    "iterations of parallel and vectorized loops touch no common element that one of them writes") \
  X(vectorized_innermost, "vectorized-innermost", Scheduled, Ready,                                \
    "a vectorized loop holds blocks only")                                                         \
  X(hints_known, "hints-known", Ready, Ready,                                                      \
    "annotations are hints that code generators know")                                             \
  X(inits_decomposed, "inits-decomposed", Ready, Ready,                                            \
    "initial values are stored by blocks of their own")                                            \
  X(unroll_bounded, "unroll-bounded", Ready, Ready,                                                \
    "unrolled loops make at most 4096 copies of a block")
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

  // Calls f, unless the rule at work found this sound before: the key must name all that f looks
  // at. What is refused is looked at again each time, for the names in the message.
  template <class F>
  void unless_known(const Fingerprint& key, const F& f) {
    if (!is_done()) unless_known(cx.sound()[key], f);
  }
  // The same where the entry of the key is at hand.
  template <class F>
  void unless_known(std::uint32_t& sound, const F& f) {
    const std::uint32_t bit = std::uint32_t{1} << (rule - rules().data());
    if (is_done() || (sound & bit) != 0) return;
    const std::size_t before = found.size();
    f();
    if (found.size() == before) sound |= bit;
  }

  bool is_done() const { return first_only && !found.empty(); }

  // Names a block with its loops, and how large the buffers are that it uses.
  const Fingerprint& key_of(const Site& site);
  // The same, and where the buffer that it writes lives.
  Fingerprint key_at_home(const Site& site);
  const Loop* home_of(const Site& site);
  // The entries of these keys: rules that look at one site after another ask for the same ones.
  std::uint32_t& sound(const Site& site);
  std::uint32_t& sound_at_home(const Site& site);

  Context& cx;
  const Program& program;
  std::vector<Site> sites;
  const Rule* rule = nullptr;  // the one at work
  std::vector<Violation> found;
  bool first_only = false;     // whether one violation is enough
  const Loop* only = nullptr;  // if there, rules about the kinds of loops look at this one alone

 private:
  // Of a site, once somebody asked: many rules look at few of them.
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
