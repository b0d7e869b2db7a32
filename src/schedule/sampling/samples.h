// Sampling instructions: each draws one decision by its own law and stands in the trace together
// with the decision. They do not change the program; later steps use the numbers. An instruction
// holds everything that its law needs, so a decision can be drawn, checked, mutated and repaired
// without the program. docs/sampling.md states the laws. Applying an instruction checks its
// decision and refuses BadDecision. CAMBIUM_SAMPLE lists the functions of every instruction.
#pragma once

#include "base/random.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// A decision: factors of a tile, or one number that is the position among options. `option` is the
// text of the option, which finds it again when the options have changed.
struct Decision {
  Ints numbers;
  std::string option;

  friend bool operator==(const Decision&, const Decision&) = default;
};

// A decision by the law; the legal one nearest to a decision of another time or shape; the legal
// ones one move away, which mutation and coordinate descent try; the one that was made, and making
// it.
#define CAMBIUM_SAMPLE                                              \
  Result<Applied> apply(Context& cx, const Program& program) const; \
  Decision draw(Rng& rng) const;                                    \
  Decision snap(const Decision& stale) const;                       \
  std::vector<Decision> neighbours() const;                         \
  Decision decision() const;                                        \
  void decide(const Decision& decision);

// One of several, by weight. `structural` decisions change which instructions follow: the
// combinations of them are the design spaces of a program.
struct SampleCategorical {
  static constexpr const char* kName = "sample_categorical";
  std::string key;
  Names options;
  Ints weights;  // relative; empty: all alike
  bool structural = false;
  std::int64_t choice = 0;
  CAMBIUM_FIELDS(f("key", s.key), f("options", s.options), f("weights", s.weights),
                 f("structural", s.structural), f("choice", s.choice))
  CAMBIUM_SAMPLE
};

// Factors with exactly the product `extent`, outermost first, the last at most `innermost`: all
// such factors are alike. (One part alone is the extent.)
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

// Factors whose product is at least `extent`: tiles need not divide it, the last of each may be a
// tail. From the innermost outwards, each inner factor is at most what is left (the extent over the
// factors so far, rounded up; the innermost also at most `innermost`) and is drawn
//   half of the time    among the divisors of what is left, all alike: no tail
//   a quarter           among 2^a and 3*2^a, all alike
//   a quarter           among all: an octave [2^a, 2^(a+1)), all alike, then a number in it
// and the outermost is what is then left.
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
  Decision draw_alike(Rng& rng) const;  // by size alone: where no law is wanted
};

// Factors whose product is `extent`, rounded up to a multiple of `multiple` (then the outermost has
// a tail), the last at most `innermost`, and of which those from position `at` on have a product
// that is a multiple of `multiple`: all such factors are alike.
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

// Where a block is computed: "inline", "root" or one of the loops given, all alike. The places are
// in the order of their depth, and a place that is gone snaps to the one of its depth, or else to
// the deepest loop.
struct SampleComputeLocation {
  static constexpr const char* kName = "sample_compute_location";
  std::string key;
  std::string block;
  Names places;  // root first, then loops from the outside in; inline last
  std::int64_t choice = 0;
  CAMBIUM_FIELDS(f("key", s.key), f("block", s.block), f("places", s.places), f("choice", s.choice))
  CAMBIUM_SAMPLE
};

// The order in memory of a buffer: one of the layouts given, by weight. A layout is written as
// SetLayout writes it, dimensions joined by ", "; "as it is" leaves it.
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

// The shape of a register tile: rows[i] by vectors[i], by weight. A shape that is gone snaps to the
// nearest: least difference in log(rows) and log(vectors).
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
