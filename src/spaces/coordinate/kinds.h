// The primitives of the coordinate space and the kinds of coordinates that they make, each in one
// list. The enums, the counts and limits of a synthesis, the words of documents and the generated
// page docs/spaces/primitives.md all follow from these lists. Every switch over a kind names all
// of them, so the compiler asks for what a new kind means. To add one, read
// docs/howto/add_primitive.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// clang-format off

// X(Name, "NAME", counts, default, most, "what the limit counts"): `counts` names the member of
// Counts and of Limits, `default` and `most` are the default and the largest value of that limit.
// Steps are offered in this order, so it decides what a seed draws.
#define CAMBIUM_FOR_EACH_PRIMITIVE(X)                                                             \
  X(Reduce, "REDUCE", reductions, 5, 6,   "most REDUCEs: coordinates that are summed over")       \
  X(Split,  "SPLIT",  splits,     3, 100, "most SPLITs: axes cut into blocks")                    \
  X(Merge,  "MERGE",  merges,     1, 4,   "most MERGEs: pairs of axes flattened into one")        \
  X(Shift,  "SHIFT",  shifts,     2, 100, "most SHIFTs: axes rolled by one")                      \
  X(Unfold, "UNFOLD", unfolds,    4, 100, "most UNFOLDs: sliding windows")                        \
  X(Stride, "STRIDE", strides,    0, 100, "most STRIDEs: axes read with gaps")                    \
  X(Expand, "EXPAND", expands,    0, 8,   "most EXPANDs: repetitions that no weight takes part in")

// X(Name, primitive, "word", operands, has parameter): the primitive that makes the coordinate,
// what documents call it, and what it is made of. Leaves have no operands and no word.
// Append only: keys of coordinates start with the number of their kind.
#define CAMBIUM_FOR_EACH_COORDINATE(X)                          \
  X(Output,    std::nullopt,          "",       0, false)       \
  X(Reduce,    PrimitiveKind::Reduce, "",       0, false)       \
  X(Split,     PrimitiveKind::Split,  "split",  2, false)       \
  X(MergeHigh, PrimitiveKind::Merge,  "high",   1, true)        \
  X(MergeLow,  PrimitiveKind::Merge,  "low",    1, true)        \
  X(Shift,     PrimitiveKind::Shift,  "shift",  1, false)       \
  X(Unfold,    PrimitiveKind::Unfold, "unfold", 2, false)       \
  X(Stride,    PrimitiveKind::Stride, "stride", 1, true)

// clang-format on

namespace cambium::spaces::coordinate {

// A SHARE is part of a CONTRACTION. Both are about weights, which a synthesis chooses last.
#define CAMBIUM_X(name, text, counts, usual, most, what) name,
enum class PrimitiveKind : std::uint8_t {
  CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X) Share,
  Contraction,
};
#undef CAMBIUM_X
inline constexpr std::size_t kPrimitiveKinds =
    static_cast<std::size_t>(PrimitiveKind::Contraction) + 1;

// The largest limit on a primitive; nothing counts SHAREs, and CONTRACTIONs are weights.
constexpr std::size_t most_of(PrimitiveKind kind) {
  switch (kind) {
#define CAMBIUM_X(name, text, counts, usual, most, what) \
  case PrimitiveKind::name: return most;
    CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
#undef CAMBIUM_X
    case PrimitiveKind::Share:
    case PrimitiveKind::Contraction: break;
  }
  return 0;
}

#define CAMBIUM_X(name, primitive, word, operands, has_parameter) name,
enum class CoordinateKind : std::uint8_t { CAMBIUM_FOR_EACH_COORDINATE(CAMBIUM_X) };
#undef CAMBIUM_X

struct CoordinateInfo {
  CoordinateKind kind;
  std::optional<PrimitiveKind> primitive;  // none: an output
  std::string_view word;
  int operands;
  bool has_parameter;
};
#define CAMBIUM_X(name, primitive, word, operands, has_parameter) \
  {CoordinateKind::name, primitive, word, operands, has_parameter},
inline constexpr CoordinateInfo kCoordinateInfos[] = {CAMBIUM_FOR_EACH_COORDINATE(CAMBIUM_X)};
#undef CAMBIUM_X
constexpr const CoordinateInfo& info_of(CoordinateKind kind) {
  return kCoordinateInfos[static_cast<std::size_t>(kind)];
}

std::string_view name_of(PrimitiveKind kind);   // `SPLIT`
std::string_view name_of(CoordinateKind kind);  // of its primitive, MERGE for both halves; `OUTPUT`

// The kind that a document calls by this word, such as `unfold`.
std::optional<CoordinateKind> view_named(std::string_view word);
// The primitives whose words a text document has, each once: `UNFOLD`. Reads no equations, so what
// is no document may have some too.
std::vector<std::string> primitives_in(std::string_view document);

}  // namespace cambium::spaces::coordinate
