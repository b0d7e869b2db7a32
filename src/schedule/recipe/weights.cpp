#include "schedule/recipe/weights.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "program/walk.h"
#include "schedule/neural/nest.h"
#include "schedule/recipe/function.h"
#include "schedule/recipe/nest_parts.h"

namespace cambium::schedule {
namespace {

using expr::Expr;
using neural::Digit;
using neural::Digits;
using program::Body;
using program::Buffer;

constexpr std::size_t kChannels = 1;      // of x and of the target, behind the samples
constexpr std::size_t kFirstOfSpace = 2;  // of x, the target and the filter
constexpr std::int64_t kNone = -1;
constexpr std::int64_t kNotMet = -2;

Rejection uncounted(std::string_view what) {
  return Rejection(Reason::NotAContraction, std::string(what), "its weights are not counted");
}

// Which multiply-adds an element of a weight takes part in: the position of the element, and the
// channels of the target and of x.
struct Use {
  std::int64_t element = 0, out = 0, in = 0;

  void add(const Use& step) {
    element += step.element;
    out += step.out;
    in += step.in;
  }
};

// A loop over elements of a weight, along channels or slabs.
struct UseLoop {
  std::int64_t extent = 1;
  Use step;
};

// A loop over taps: how far apart their elements lie, and by axis the rows of x that they read.
struct TapLoop {
  std::int64_t extent = 1, element = 0;
  Ints space;
};

// Loops over taps are apart, because they do the same for each pair of channels.
struct Uses {
  Use first;
  std::vector<UseLoop> channels;
  std::vector<TapLoop> taps;
  std::size_t space = 0;  // axes
};

std::int64_t place(const Digits& digits, Expr axis) {
  const Digit* const digit = digits.find(axis);
  return digit == nullptr ? 0 : digit->coefficient;
}

// Nothing where an index is no sum of digits.
std::optional<Uses> uses_of(Context& cx, const Body& body) {
  const NestParts parts = parts_of(body);
  const std::optional<Digits> out = neural::digits_of(cx, body.indices[kChannels]);
  const std::optional<Digits> in = neural::digits_of(cx, parts.x_at[kChannels]);
  if (!out || !in) return std::nullopt;
  std::vector<Digits> weights, space;
  for (const Expr e : parts.weights_at) {
    std::optional<Digits> digits = neural::digits_of(cx, e);
    if (!digits) return std::nullopt;
    weights.push_back(std::move(*digits));
  }
  for (const Expr e : parts.x_at.subspan(kFirstOfSpace)) {
    std::optional<Digits> digits = neural::digits_of(cx, e);
    if (!digits) return std::nullopt;
    space.push_back(std::move(*digits));
  }
  Uses uses;
  uses.space = space.size();
  uses.first.out = out->offset;
  uses.first.in = in->offset;
  for (std::size_t d = 0; d < weights.size(); ++d) {
    uses.first.element = uses.first.element * parts.weights->dims[d] + weights[d].offset;
  }
  for (const program::Iterator& it : body.iterators) {
    Use step;
    bool is_in_weights = false;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const std::int64_t of_axis = place(weights[d], it.axis);
      is_in_weights = is_in_weights || of_axis > 0;
      step.element = step.element * parts.weights->dims[d] + of_axis;
    }
    if (!is_in_weights) continue;
    step.out = place(*out, it.axis);
    step.in = place(*in, it.axis);
    // Slabs of rows are in the weights, too, but no taps.
    Ints rows(space.size(), 0);
    for (std::size_t d = 0; d < space.size() && it.kind == program::IteratorKind::Reduce; ++d) {
      rows[d] = place(space[d], it.axis);
    }
    const bool is_tap = std::any_of(rows.begin(), rows.end(), [](auto row) { return row != 0; });
    if (!is_tap) {
      uses.channels.push_back({it.extent(), step});
    } else if (step.out == 0 && step.in == 0) {
      uses.taps.push_back({it.extent(), step.element, std::move(rows)});
    } else {
      return std::nullopt;
    }
  }
  // In the order in which the elements lie.
  std::stable_sort(
      uses.channels.begin(), uses.channels.end(),
      [](const UseLoop& a, const UseLoop& b) { return a.step.element > b.step.element; });
  return uses;
}

template <class F>
void for_each_use(const Uses& uses, const F& f, std::size_t depth, Use at) {
  if (depth == uses.channels.size()) return f(at);
  const UseLoop& loop = uses.channels[depth];
  for (std::int64_t i = 0; i < loop.extent; ++i) {
    for_each_use(uses, f, depth + 1, at);
    at.add(loop.step);
  }
}

// A tap of a weight, behind the element of the first: its element, and its number in the original
// filter, which may have none (kNone).
struct Tap {
  std::int64_t element = 0, number = 0;
};

// The original filter, [Co, Ci / groups, taps...].
class Filter {
 public:
  // `ins`: channels of x; `outs`: output channels that are left, the first ones of each group.
  Filter(Ints dims, std::int64_t ins, std::int64_t outs, Ints dilations)
      : dims_(std::move(dims)), dilations_(std::move(dilations)) {
    const std::int64_t groups = ins / dims_[1];
    outs_of_group_ = dims_[0] / groups;
    left_of_group_ = outs / groups;
  }

  // The first of the elements that multiply channel `in` for channel `out`; one for each tap
  // follows. kNone where there is none.
  std::int64_t element(std::int64_t out, std::int64_t in) const {
    const std::int64_t group = out / left_of_group_;
    const std::int64_t whole = group * outs_of_group_ + out % left_of_group_;
    const std::int64_t of_group = in - group * dims_[1];
    if (whole >= dims_[0] || of_group < 0 || of_group >= dims_[1]) return kNone;
    std::int64_t element = whole * dims_[1] + of_group;
    for (std::size_t i = 0; i < dilations_.size(); ++i) element *= dims_[kFirstOfSpace + i];
    return element;
  }

  std::vector<Tap> taps_of(const Uses& uses) const {
    struct Place {
      std::int64_t element;
      Ints rows;
    };
    std::vector<Place> places = {{0, Ints(uses.space, 0)}};
    for (const TapLoop& loop : uses.taps) {
      std::vector<Place> next;
      for (const Place& place : places) {
        Place at = place;
        for (std::int64_t i = 0; i < loop.extent; ++i) {
          next.push_back(at);
          at.element += loop.element;
          for (std::size_t d = 0; d < at.rows.size(); ++d) at.rows[d] += loop.space[d];
        }
      }
      places = std::move(next);
    }
    std::vector<Tap> taps;
    for (const Place& place : places) taps.push_back({place.element, number_of(place.rows)});
    return taps;
  }

 private:
  std::int64_t number_of(const Ints& rows) const {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < dilations_.size(); ++i) {
      const std::int64_t taps = dims_[kFirstOfSpace + i], tap = rows[i] / dilations_[i];
      if (rows[i] % dilations_[i] != 0 || tap < 0 || tap >= taps) return kNone;
      number = number * taps + tap;
    }
    return number;
  }

  Ints dims_;
  Ints dilations_;
  std::int64_t outs_of_group_ = 1, left_of_group_ = 1;
};

// By axis of space: how far apart the rows of x are that neighbouring taps read.
std::optional<Ints> dilations_of(Context& cx, const Body& body) {
  const std::optional<Uses> uses = uses_of(cx, body);
  if (!uses) return std::nullopt;
  Ints dilations(uses->space, 1);
  for (const TapLoop& loop : uses->taps) {
    for (std::size_t i = 0; i < dilations.size(); ++i) {
      if (loop.space[i] > 0 && loop.extent > 1) dilations[i] = loop.space[i];
    }
  }
  return dilations;
}

Result<Filter> filter_of(Context& cx, const NeuralHalf& half, std::int64_t outs,
                         std::span<const std::int64_t> dims) {
  for (const std::string& name : half.blocks) {
    const program::Block* const block = program::find_block(half.before, name);
    if (block == nullptr) continue;
    const std::int64_t ins = parts_of(*block->body).x->dims[kChannels];
    const std::optional<Ints> dilations = dilations_of(cx, *block->body);
    const bool agrees = dilations && dims.size() == dilations->size() + kFirstOfSpace &&
                        ins % dims[1] == 0 && dims[0] % (ins / dims[1]) == 0 &&
                        outs % (ins / dims[1]) == 0;
    if (!agrees) return uncounted(name);
    return Filter(Ints(dims.begin(), dims.end()), ins, outs, *dilations);
  }
  return uncounted(half.before.name);
}

// Weights of nests that read x and make y. Of nests in a chain no element has an origin.
std::set<std::string> direct_weights(const Function& function) {
  std::set<std::string> chained;
  for (const Piece& piece : function.pieces) chained.insert(piece.source);
  std::set<std::string> names;
  for (const Piece& piece : function.pieces) {
    const bool is_direct = piece.source == "x" && !chained.contains(std::to_string(piece.target));
    if (is_direct) names.insert(piece.weights);
  }
  return names;
}

}  // namespace

Result<std::vector<WeightMap>> weight_maps_of(Context& cx, const NeuralHalf& half,
                                              std::span<const std::int64_t> filter) {
  const Program& program = half.schedule.program();
  CAMBIUM_TRY(const Function function, function_of(cx, program, half.blocks));
  CAMBIUM_TRY(const Filter original, filter_of(cx, half, function.outs, filter));
  const std::set<std::string> direct = direct_weights(function);
  std::vector<WeightMap> maps;
  for (const Buffer* parameter : program.parameters) {
    if (parameter->role != program::Role::Constant) continue;
    WeightMap map{
        std::string(parameter->name), Ints(parameter->dims.begin(), parameter->dims.end()),
        std::vector<std::int64_t>(static_cast<std::size_t>(parameter->elements()), kNotMet)};
    bool is_in_nest = false;
    for (const std::string& name : half.blocks) {
      const Body& body = *program::find_block(program, name)->body;
      if (parts_of(body).weights != parameter) continue;
      is_in_nest = true;
      if (!direct.contains(map.weight)) continue;
      const std::optional<Uses> uses = uses_of(cx, body);
      if (!uses) return uncounted(name);
      const std::vector<Tap> taps = original.taps_of(*uses);
      const auto meet = [&](const Use& use) {
        const std::int64_t first = original.element(use.out, use.in);
        for (const Tap& tap : taps) {
          std::int64_t& known = map.elements[static_cast<std::size_t>(use.element + tap.element)];
          const bool has_origin = first != kNone && tap.number != kNone;
          const std::int64_t origin = has_origin ? first + tap.number : kNone;
          known = known == kNotMet || known == origin ? origin : kNone;
        }
      };
      for_each_use(*uses, meet, 0, uses->first);
    }
    if (!is_in_nest) continue;
    std::replace(map.elements.begin(), map.elements.end(), kNotMet, kNone);
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace cambium::schedule
