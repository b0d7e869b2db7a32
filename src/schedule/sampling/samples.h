// Sampling instructions: each draws one decision by its own law and stands in the trace together
// with the decision. They do not change the program; later steps use the numbers. An instruction
// holds everything that its law needs, so a decision can be drawn, checked, mutated and repaired
// without the program. docs/sampling.md states the laws. Applying an instruction checks its
// decision and refuses BadDecision. CAMBIUM_SAMPLE lists the functions of every instruction.
#pragma once

#include "base/random.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// A decision: factors of a tile, or one number, which is the position of an option. `option` is the
// text of the option, by which it is found again if the options have changed.
struct Decision {
  Ints numbers;
  std::string option;

  friend bool operator==(const Decision&, const Decision&) = default;
};

// draw: a decision by the law. snap: the legal decision nearest to one from another time or shape.
// neighbours: the legal decisions one move away, which mutation and coordinate descent try.
// decision and decide: get and set the decision.
#define CAMBIUM_SAMPLE                                              \
  Result<Applied> apply(Context& cx, const Program& program) const; \
  Decision draw(Rng& rng) const;                                    \
  Decision snap(const Decision& stale) const;                       \
  std::vector<Decision> neighbours() const;                         \
  Decision decision() const;                                        \
  void decide(const Decision& decision);

// One of several options, by weight. `structural` decisions change which instructions follow; their
// combinations are the design spaces of a program.
struct SampleCategorical {
  static constexpr const char* kName = "sample_categorical";
  std::string key;
  Names options;
  Ints weights;  // relative; empty: all equal
  bool structural = false;
  std::int64_t choice = 0;
  CAMBIUM_FIELDS(f("key", s.key), f("options", s.options), f("weights", s.weights),
                 f("structural", s.structural), f("choice", s.choice))
  CAMBIUM_SAMPLE
};

// Factors with exactly the product `extent`, outermost first, the last at most `innermost`. All
// such factors are equally likely. (If there is only one part, it is the extent.)
struct SamplePerfectTile {
  static constexpr const char* kName = "sample_perfect_tile";
  std::string key;
  std::int64_t extent = 1;
  std::int64_t parts = 2;
  std::int64_t innermost = 64;
  Ints factors;
  CAMBIUM_FIELDS(f("key", s.key), f("extent", s.extent), f("parts", s.parts),
                 f("innermost", s.innermost), f("factors", s.factors))
  CAMBIUM_SAMPLE
};

// Factors whose product is at least `extent`: tiles need not divide it, so the last tile of each
// level may be a tail. From the innermost outwards, each inner factor is at most the rest (the
// extent over the factors so far, rounded up; the innermost also at most `innermost`) and is drawn
//   half of the time    among the divisors of the rest, all equally likely: no tail
//   a quarter           among 2^a and 3*2^a, all equally likely
//   a quarter           among all: an octave [2^a, 2^(a+1)), uniformly, then a number in it
// and the outermost factor is the rest that then remains.
struct SampleImperfectTile {
  static constexpr const char* kName = "sample_imperfect_tile";
  std::string key;
  std::int64_t extent = 1;
  std::int64_t parts = 2;
  std::int64_t innermost = 64;
  Ints factors;  // factors[0] is ceil(extent / the others)
  CAMBIUM_FIELDS(f("key", s.key), f("extent", s.extent), f("parts", s.parts),
                 f("innermost", s.innermost), f("factors", s.factors))
  CAMBIUM_SAMPLE
  Decision draw_alike(Rng& rng) const;  // each inner factor uniformly among its legal values
};

// Factors whose product is `extent`, rounded up to a multiple of `multiple` (then the outermost has
// a tail). The last is at most `innermost`, and the product of those from position `at` on is a
// multiple of `multiple`. All such factors are equally likely.
struct SamplePartitionedTile {
  static constexpr const char* kName = "sample_partitioned_tile";
  std::string key;
  std::int64_t extent = 1;
  std::int64_t parts = 2;
  std::int64_t at = 1;
  std::int64_t multiple = 1;
  std::int64_t innermost = 64;
  Ints factors;
  CAMBIUM_FIELDS(f("key", s.key), f("extent", s.extent), f("parts", s.parts), f("at", s.at),
                 f("multiple", s.multiple), f("innermost", s.innermost), f("factors", s.factors))
  CAMBIUM_SAMPLE
};

// Where a block is computed: "inline", "root" or one of the given loops, all equally likely. Places
// are ordered by depth. A place that no longer exists snaps to the place of the same depth, or else
// to the deepest loop.
struct SampleComputeLocation {
  static constexpr const char* kName = "sample_compute_location";
  std::string key;
  std::string block;
  Names places;  // root first, then loops from the outside in; inline last
  std::int64_t choice = 0;
  CAMBIUM_FIELDS(f("key", s.key), f("block", s.block), f("places", s.places), f("choice", s.choice))
  CAMBIUM_SAMPLE
};

// The memory order of a buffer: one of the given layouts, by weight. A layout is written as in
// SetLayout, with dimensions joined by ", ". "as it is" keeps the order.
struct SampleLayout {
  static constexpr const char* kName = "sample_layout";
  std::string key;
  std::string buffer;
  Names layouts;
  Ints weights;
  std::int64_t choice = 0;
  CAMBIUM_FIELDS(f("key", s.key), f("buffer", s.buffer), f("layouts", s.layouts),
                 f("weights", s.weights), f("choice", s.choice))
  CAMBIUM_SAMPLE
};

// The shape of a register tile: rows[i] by vectors[i], by weight. A shape that no longer exists
// snaps to the nearest shape, by the differences of log(rows) and log(vectors).
struct SampleMicroKernel {
  static constexpr const char* kName = "sample_micro_kernel";
  std::string key;
  Ints rows, vectors;  // one entry each per shape
  Ints weights;
  std::int64_t choice = 0;
  CAMBIUM_FIELDS(f("key", s.key), f("rows", s.rows), f("vectors", s.vectors),
                 f("weights", s.weights), f("choice", s.choice))
  CAMBIUM_SAMPLE
};

#undef CAMBIUM_SAMPLE

}  // namespace cambium::schedule
