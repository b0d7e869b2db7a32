// Shared by the steps of this folder: makes new names, rewrites statements over other loops and
// bodies over other iterators, and checks the rules of the verifier that a step may have broken.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/substitute.h"
#include "program/verify_rules.h"
#include "program/walk.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

using expr::Expr;
using program::Block;
using program::Body;
using program::Buffer;
using program::Iterator;
using program::Loop;
using program::Scalar;
using program::Site;
using program::Stmt;
using Replacements = std::vector<expr::Replacement>;

inline constexpr std::int64_t kMostIterations = std::int64_t{1} << 40;  // of one loop

// Gives out unused names: `base`, or `base.2`, `base.3` ... Most steps need few names, so used
// names are listed on the first request and searched linearly, which is faster than hashing.
class Fresh {
 public:
  Fresh(Context& cx, const Program& program) : cx_(cx), program_(program) {}

  std::string_view loop(std::string_view base) { return take(loops(), base); }
  std::string_view block(std::string_view base);
  std::string_view buffer(std::string_view base);
  Expr axis(std::string_view base, std::int64_t extent) { return cx_.axis(loop(base), extent); }
  void forget_loop(std::string_view name) { std::erase(loops(), name); }  // it may be given again

 private:
  using Taken = std::vector<std::string_view>;
  Taken& loops();
  std::string_view take(Taken& taken, std::string_view base);

  Context& cx_;
  const Program program_;
  std::optional<Taken> loops_, blocks_, buffers_;
};

// The loop, block or buffer of that name. Refuse UnknownName.
Result<const Loop*> loop_named(const Program& program, std::string_view name);
Result<const Block*> block_named(const Program& program, std::string_view name);
const Site& site_of(const std::vector<Site>& sites, const Block* block);

bool is_plain(const Loop& loop);  // serial, without annotations
// Refuses LoopNotPlain.
Status require_plain(const Loop& loop);

// e with axes replaced, simplified.
Expr replaced(Context& cx, Expr e, std::span<const expr::Replacement> axes);
// A predicate without conjuncts that always hold. Comparisons keep their sides, so that the
// verifier still sees which binding a predicate bounds.
Expr tidy(Context& cx, Expr predicate);

// s with the bindings and predicates of all its blocks over other loops; s keeps its own loops.
// `guard`, if given, is added to the predicates.
Stmt rebound(Context& cx, Stmt s, std::span<const expr::Replacement> loops, Expr guard = nullptr);
Stmt with_predicate(Context& cx, const Block& block, Expr predicate);

// New axes and buffers for a body. A select whose condition becomes constant is replaced by the
// chosen side.
struct Mapping {
  Replacements axes;
  std::unordered_map<const Buffer*, const Buffer*> buffers;
};
const Body* mapped(Context& cx, const Body& body, std::span<const Iterator> iterators,
                   const Mapping& mapping);

// The program with one buffer replaced by another, in its lists and in all blocks.
Program with_buffer(Context& cx, const Program& program, const Buffer* old, const Buffer* by);

// A copy of s with new names for all loops and blocks, over the loops and buffers of the mapping.
Stmt copied(Context& cx, Fresh& fresh, Stmt s, Mapping mapping);

// without_unread removes those candidates that nothing reads, and the blocks that fill them.
std::vector<const Buffer*> read_locals(const Program& program);
Program without_unread(Context& cx, Program program, std::vector<const Buffer*> candidates);

// Checks that after a step, iterations of loops around `loop` that run at once still write and read
// separate elements. Refuses as the verifier does.
Status stays_apart(Context& cx, const Program& before, const Loop* loop, const Program& after);

// Refuses with the first violation of these rules of the verifier. `only`: the loop whose kind
// changed, if nothing else did.
using RuleFunction = void (*)(program::Inspection&);
Status holds(Context& cx, const Program& program, std::initializer_list<RuleFunction> rules,
             const Loop* only = nullptr);

}  // namespace cambium::schedule
