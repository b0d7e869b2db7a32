// The semantic fingerprint: equal for operators that compute the same function up to the order of
// their weights and a permutation or reshaping of the elements of each, however they were built.
// Sampling and counting call this for every operator, so the first look takes a fraction of a
// millisecond.
//
// It takes several looks, each at one of the problem's bindings (probe_sizes.h). A look takes some
// output points and some input elements of each (probe_points.h), and lists the terms (o, p, q1,
// q2, ...) of the operator: output element, input element, elements of the weights. Their number
// follows from numbers that are equal for equal operators. Elements of weights have no names, so
// they get colours: the sum, over the terms that contain an element, of a hash of o, p and the
// colours of the other elements. There are as many rounds as weights. The fingerprint is the sum
// over all terms of a hash of o, p and the colours, together with a sum over o and p alone, which
// can afford more points. Sums are taken in the integers modulo 2^61 - 1, so the order does not
// matter and equal terms add up. They are divided by what averages divide by. If there is a weight,
// which absorbs any factor, they are divided by the number of terms instead.
//
// Equal operators have equal fingerprints, because all are looked at with the same sizes. Different
// operators have different fingerprints unless they agree on all chosen points, or differ in a way
// that colours do not show. docs/spaces/coordinate.md has the measured rates.
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
  // For the first look. Further looks take a few times as many.
  std::size_t points = 96;   // of the output, at most
  std::size_t terms = 3072;  // about so many per operator, if few points suffice
};

// Holds the sizes of one problem and scratch memory. Use one for each thread.
class SemanticHasher {
 public:
  explicit SemanticHasher(const Problem& problem, const SemanticOptions& options = {});

  // Expects a legal operator of the problem. Refuses (SizeOutOfRange) an operator with more than
  // kMostTerms terms at one point.
  Result<Fingerprint> fingerprint(const Operator& op);
  // The same in two steps: the hash at the first sizes, and the fingerprint that starts with it.
  // The second step is needed only if hashes agree (seen.h).
  Result<std::uint64_t> first_hash(const Operator& op);
  Result<Fingerprint> fingerprint(const Operator& op, std::uint64_t first_hash);

  static constexpr std::int64_t kMostTerms = 1 << 22;
  std::size_t terms() const { return all_terms_; }  // of the last operator
  const std::vector<expr::Binding>& sizes() const { return sizes_; }

 private:
  struct Point {
    std::vector<std::int64_t> values;  // of the outputs
    std::uint64_t label = 0;
  };
  struct Probe {
    expr::Binding sizes;
    double terms = 0;  // about this many terms are listed
    double terms_at_one_point =
        0;  // with more terms at one point, elements of the input are skipped
    std::vector<Point> points;
    std::vector<std::int64_t> input;                // its shape
    std::vector<std::vector<std::uint8_t>> levels;  // of the places on each axis of the input
  };

  Result<std::uint64_t> hash_at(const Probe& probe, const Operator& op);
  double different_terms(const Probe& probe, const BoundOperator& op, TermLoops& loops);
  // Skips elements of the input if the operator has more terms than wanted at the first point.
  // Returns how many elements remain. The choice is the same for equal operators.
  double thin(const Probe& probe, TermLoops& loops, double terms, double wanted);
  std::uint64_t support(const Probe& probe, const BoundOperator& op, TermLoops& loops,
                        double terms);
  void list_terms(const Probe& probe, const BoundOperator& op, TermLoops& loops,
                  double at_one_point);
  void list_point(const BoundOperator& op, TermLoops& loops, const Point& point);
  // Colours the elements and sums over the terms, for a number of weights that the compiler knows.
  template <std::size_t kWeights>
  std::uint64_t color_and_sum(FieldElement scale);
  template <std::size_t... kCounts>
  std::uint64_t color_and_sum(std::size_t weights, FieldElement scale,
                              std::index_sequence<kCounts...>);

  std::vector<expr::Binding> sizes_;
  std::vector<Probe> probes_;
  // Scratch memory, as large as the largest operator before needed. Few points meet few of the
  // elements of a weight: those are numbered from one as they are met.
  struct Entry {
    std::uint64_t element = 0;
    std::uint32_t number = 0;  // zero: free
  };
  struct Weight {
    std::vector<Entry> table;                 // open
    std::vector<std::uint32_t> touched;       // by number, less one: the place in the table
    std::uint32_t met = 0;                    // how many elements
    std::vector<std::uint32_t> elements;      // by term: the number of its element, less one
    std::vector<std::uint64_t> colors, sums;  // by number, less one

    void forget();
    void make_room(std::size_t more);  // for so many elements that may be new
    std::uint32_t find(std::uint64_t element) const;
    std::uint32_t number(std::uint64_t element);
  };
  std::vector<std::uint64_t> places_;
  std::vector<char> met_;
  std::size_t terms_ = 0, all_terms_ = 0;
  std::vector<std::uint64_t> pairs_;  // by term: the hash of (o, p)
  std::array<Weight, kMaxWeights> weights_;
};

}  // namespace cambium::spaces::coordinate
