// Shared by the steps of this folder: unused names, statements over other loops, bodies over other
// iterators, and the rules of the verifier that a step could have broken.
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

// Names that neither the program has nor were given before: `base`, or `base.2`, `base.3` ... Most
// steps ask for few names of one kind: taken names are listed when the first of a kind is asked
// for, and looked through, which for so few is faster than hashing them.
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
// The conjuncts of a predicate as one, without those that hold everywhere. Comparisons keep their
// sides, so that the verifier still sees which binding a predicate bounds.
Expr tidy(Context& cx, Expr predicate);

// Every block below s with bindings and predicate over other loops; s keeps its loops. `guard`, if
// there, joins the predicates.
Stmt rebound(Context& cx, Stmt s, std::span<const expr::Replacement> loops, Expr guard = nullptr);
Stmt with_predicate(Context& cx, const Block& block, Expr predicate);

// Other axes and other buffers for a body. A select whose condition is then decided is gone.
struct Mapping {
  Replacements axes;
  std::unordered_map<const Buffer*, const Buffer*> buffers;
};
const Body* mapped(Context& cx, const Body& body, std::span<const Iterator> iterators,
                   const Mapping& mapping);

// The program with one buffer in the place of another, in its lists and in all blocks.
Program with_buffer(Context& cx, const Program& program, const Buffer* old, const Buffer* by);

// A copy of s in which all loops and blocks have names of their own, over the mapping's loops and
// buffers.
Stmt copied(Context& cx, Fresh& fresh, Stmt s, Mapping mapping);

// Without those of the locals that nothing reads, and without what filled them.
std::vector<const Buffer*> read_locals(const Program& program);
Program without_unread(Context& cx, Program program, std::vector<const Buffer*> candidates);

// Whether the iterations of loops around `loop` that run at once still keep apart in what a step
// has made of it. Refuses as the verifier does.
Status stays_apart(Context& cx, const Program& before, const Loop* loop, const Program& after);

// The first violation of these rules of the verifier. `only`: of the kind of this loop, where
// nothing else has changed.
using RuleFunction = void (*)(program::Inspection&);
Status holds(Context& cx, const Program& program, std::initializer_list<RuleFunction> rules,
             const Loop* only = nullptr);

}  // namespace cambium::schedule
