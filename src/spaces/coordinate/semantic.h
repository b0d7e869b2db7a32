// The semantic fingerprint: equal for operators that compute the same function up to the order of
// their weights and a permutation or reshaping of the elements of each, however they were built.
// Sampling and counting call this for every operator, so it takes about a tenth of a millisecond.
//
// At small sizes (small_sizes.h) and some output points, boundaries among them, and for each some
// of the input elements, the terms (o, p, q1, q2, ...) of the operator are listed: output element,
// input element, elements of the weights. How many is decided by numbers that are equal for equal
// operators. Elements of weights have no names, so they get colours: the sum, over the terms that
// an element is in, of a hash of o, p and the colours of the other elements. After as many rounds
// as there are weights, the fingerprint is the sum over all terms of a hash of o, p and the
// colours. Sums are taken in the field of integers modulo 2^61 - 1 and divided by what averages
// divide by: no order matters, equal terms add up.
//
// Equal operators have equal fingerprints whenever they stand on the same rung of the ladder of
// sizes; different ones have different fingerprints unless they agree on all chosen points, or
// differ in a way that colours do not see. docs/spaces/coordinate.md has the measured rates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/field.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/structure.h"
#include "spaces/coordinate/terms.h"

namespace cambium::spaces::coordinate {

struct SemanticOptions {
  std::uint64_t seed = 1;
  // At most so many points of the output, a sixteenth of them at least, and of each so many
  // elements of the input, a quarter at least: as few as keep the number of terms near the third
  // number.
  std::size_t points = 128;
  std::size_t elements = 64;
  std::size_t terms = 4096;
  std::size_t first_rung = 0;  // higher: larger sizes, where fewer things coincide
};

// Holds the sizes of one problem and scratch memory; one for each thread.
class SemanticHasher {
 public:
  explicit SemanticHasher(const Problem& problem, const SemanticOptions& options = {});

  // Expects a legal operator of the problem. Refuses SizeOutOfRange where one point has more than
  // kMostTerms terms, or a weight as many elements.
  Result<Fingerprint> fingerprint(const Operator& op);

  static constexpr std::int64_t kMostTerms = 1 << 22;
  std::size_t terms() const { return terms_; }  // of the last operator
  std::size_t rung() const { return rung_; }    // that the last operator stood on

 private:
  struct Point {
    std::vector<std::int64_t> values;  // of the outputs
    std::uint64_t label = 0;
  };

  Result<BoundOperator> bind_small(const Operator& op);
  // How many points, and the share of the elements of the input at each: what both follow from is
  // the same for equal operators.
  struct Effort {
    std::size_t points;
    std::uint64_t share;  // of 2^32
  };
  Effort effort_for(const BoundOperator& op, TermLoops& loops);
  Status list_terms(const BoundOperator& op);
  void list_point(const BoundOperator& op, TermLoops& loops, const Point& point, std::size_t most,
                  std::uint64_t share);
  // Colours the elements and sums over the terms, for a number of weights that the compiler knows.
  template <std::size_t kWeights>
  std::uint64_t color_and_sum(FieldElement scale);
  template <std::size_t... kCounts>
  std::uint64_t color_and_sum(std::size_t weights, FieldElement scale,
                              std::index_sequence<kCounts...>);

  std::vector<expr::Binding> rungs_;
  std::vector<std::vector<Point>> points_;  // by rung
  SemanticOptions options_;
  std::size_t first_rung_;
  std::size_t rung_ = 0;
  // Scratch memory, as large as the largest operator before needed. Few points meet few of the
  // elements of a weight: those are numbered from one as they are met.
  struct Weight {
    std::vector<std::uint32_t> numbers;       // by element
    std::uint32_t met = 0;                    // how many elements
    std::vector<std::uint32_t> touched;       // by number, less one: the element
    std::vector<std::uint32_t> elements;      // by term: the number of its element, less one
    std::vector<std::uint64_t> colors, sums;  // by number, less one
  };
  std::vector<std::uint32_t> places_;
  std::size_t terms_ = 0;
  std::vector<std::uint64_t> pairs_;  // by term: the hash of (o, p)
  std::array<Weight, kMaxWeights> weights_;
};

}  // namespace cambium::spaces::coordinate
