// Classes of operators: all operators of a small space, sorted by what they compute. Two spaces
// that differ only in their rules show the effect of the rules: how many operators they remove, how
// many equal ones they leave, and whether a class is lost. Tests and `cambium bench synth` use
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
    std::uint64_t classes = 0;  // classes whose smallest operator has this size
  };
  std::array<Row, kMaxPrimitives + 1> by_size{};  // in primitives
  std::uint64_t operators = 0;
  std::uint64_t unknown = 0;  // too large to fingerprint; in no class
  struct Member {
    Operator op;
    int primitives;
  };
  std::unordered_map<Fingerprint, Member> first;  // the smallest of each class

  // One operator of each class that `others` does not have.
  std::vector<const Operator*> lost_in(const Classes& others) const;
};

// Spaces that are small enough to list without any rule, with the limits of each. MERGEs together
// with reductions make sums inside a weight (over low(r, s) if the data reads high(r, s)). The
// semantic fingerprint distinguishes such a sum from the weight that it adds up to. So these spaces
// are compared by spans (span.h), and have one weight.
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

// The effect of the exact rules in a small space. Two of the rules remove weights, or sums inside
// one. The remaining operator computes the same from fewer numbers, and the semantic fingerprint
// does not recognize that. So both sides of the comparison have these rules, except for the second
// one if spans are compared. An UNFOLD that only weights depend on is zero outside its border,
// which makes weights that no other form has; operators with one count on neither side. Refuses
// (TooLarge) a space with too many operators.
struct Audit {
  Classes all, kept;
  std::vector<const Operator*> lost;  // one of each class
};
Result<Audit> audit(const SmallSpace& space, std::span<const std::string_view> more_rules = {});

}  // namespace cambium::spaces::coordinate::synthesis
