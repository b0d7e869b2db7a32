// Classes of operators: all operators of a small space, sorted by what they compute. Two spaces
// that differ in their rules alone tell what the rules cost: how many operators they remove, how
// many equal ones they leave, and whether any class is lost. Tests and `cambium bench synth` ask
// this.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "spaces/coordinate/synthesis/enumerate.h"

namespace cambium::spaces::coordinate::synthesis {

struct Classes {
  struct Row {
    std::uint64_t operators = 0;
    std::uint64_t classes = 0;  // those whose smallest operator has this size
  };
  std::array<Row, kMaxPrimitives + 1> by_size{};  // in primitives
  std::uint64_t operators = 0;
  std::uint64_t unknown = 0;  // too large to tell what they compute; in no class
  struct Member {
    Operator op;
    int primitives;
  };
  std::unordered_map<Fingerprint, Member> first;  // the smallest of each class

  // One of each class that is not among the others.
  std::vector<const Operator*> lost_in(const Classes& others) const;
};

// Spaces that are small enough to list without any rule, and what is limited in each. Where there
// are both MERGEs and reductions they make sums inside of a weight (of low(r, s) where the data
// read high(r, s)), which the semantic fingerprint tells from the weight that they add up to: what
// such a space computes is told by spans (span.h), so it has one weight.
struct SmallSpace {
  const char* input;
  const char* output;
  const char* binding;
  int primitives, reductions, merges, weights;

  bool is_told_by_spans() const { return reductions > 0 && merges > 0; }
  Limits limits() const;
  std::string name() const;
};
std::span<const SmallSpace> small_spaces();

// What the exact rules do in a small space. Two of them remove weights, or sums inside of one: what
// remains computes the same of fewer numbers, which the semantic fingerprint tells apart. They are
// on on both sides, but for the second where spans tell. And an UNFOLD that only weights depend on
// is zero outside, which makes weights that no other form has: operators with one count on neither.
// Refuses (TooLarge) a space of too many operators.
struct Audit {
  Classes all, kept;
  std::vector<const Operator*> lost;  // one of each class
};
Result<Audit> audit(const SmallSpace& space, std::span<const std::string_view> more_rules = {});

}  // namespace cambium::spaces::coordinate::synthesis
