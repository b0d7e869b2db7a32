#include "schedule/recipe/function.h"

#include <algorithm>
#include <map>
#include <optional>

#include "expr/text.h"
#include "program/analysis.h"
#include "program/walk.h"
#include "schedule/neural/nest.h"
#include "schedule/recipe/accesses.h"

namespace cambium::schedule {
namespace {

using expr::Expr;
using neural::Digit;
using neural::Digits;
using neural::digits_of;
using program::Block;
using program::Body;
using program::Buffer;
using program::Iterator;
using program::Role;
using program::Scalar;
using program::ScalarKind;

constexpr std::size_t kChannels = 1;                           // the dimension behind the samples
constexpr std::size_t kFirstOfSpace = 2;                       // the first dimension of space
constexpr std::int64_t kMostChannels = std::int64_t{1} << 20;  // identities list them

using Exprs = std::span<const Expr>;

bool any_uses(Exprs exprs, Expr axis) {
  return std::any_of(exprs.begin(), exprs.end(), [&](Expr e) { return program::uses(e, axis); });
}

class Reading {
 public:
  Reading(Context& cx, const Program& program, std::span<const std::string> blocks)
      : cx_(cx), program_(program), blocks_(blocks) {}

  Result<Function> run() {
    Function function;
    for (const Buffer* parameter : program_.parameters) {
      if (parameter->role == Role::Input) function.ins = parameter->dims[kChannels];
      if (parameter->role != Role::Output) continue;
      function.outs = parameter->dims[kChannels];
      function.coarse.assign(parameter->dims.size() - kFirstOfSpace, 1);
    }
    const std::int64_t channels = std::max(function.ins, function.outs);
    if (channels > kMostChannels) {
      return Rejection(Reason::SizeOutOfRange, "the number of channels", {}, channels, 1,
                       kMostChannels);
    }
    std::vector<Accesses> sums;
    for (const program::Site& site : program::sites_of(program_)) {
      const Block& block = *site.block;
      if (is_sum(block)) {
        sums.push_back(accesses_of(block));
      } else if (block.body->value->kind == ScalarKind::Load) {
        read_repetition(*block.body, function);
      }
    }
    join_parts(sums);
    for (const Accesses& sum : sums) {
      CAMBIUM_TRY(Piece piece, piece_of(sum));
      function.pieces.push_back(std::move(piece));
    }
    tell_unusual_weights(sums, function.pieces);
    std::stable_sort(function.pieces.begin(), function.pieces.end(),
                     [](const Piece& a, const Piece& b) {
                       return std::pair(a.target, a.first_out) < std::pair(b.target, b.first_out);
                     });
    return function;
  }

 private:
  bool is_sum(const Block& block) const {
    return std::find(blocks_.begin(), blocks_.end(), block.name) != blocks_.end();
  }

  // A partition alone changes nothing: parts that no neural step told apart are one sum again.
  void join_parts(std::vector<Accesses>& sums) const {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t k = 0; k < sums.size(); ++k) {
        if (k == i) continue;
        std::optional<Accesses> whole = joined(cx_, sums[i], sums[k]);
        if (!whole) continue;
        sums[i] = std::move(*whole);
        sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(k));
        return join_parts(sums);
      }
    }
  }

  static Rejection no_digits(const Accesses& at) {
    return Rejection(Reason::NotAContraction, std::string(at.block),
                     "its channels are not counted by digits");
  }

  Result<Piece> piece_of(const Accesses& at) {
    Piece piece;
    piece.weights = std::string(at.weights->name);
    piece.source = source_of(at.x);
    piece.target = number_of(at.y);
    const std::optional<Digits> out = digits_of(cx_, at.y_at[kChannels]);
    const std::optional<Digits> in = digits_of(cx_, at.x_at[kChannels]);
    if (!out || !in) return no_digits(at);
    piece.first_out = out->offset;
    piece.first_in = in->offset;
    const auto place = [](const Digits& digits, Expr axis) {
      const Digit* const digit = digits.find(axis);
      return digit == nullptr ? 0 : digit->coefficient;
    };
    const Exprs y_space = Exprs(at.y_at).subspan(kFirstOfSpace);
    for (const Iterator& it : at.iterators) {
      if (it.extent() == 1) continue;
      const ChannelDigit digit{it.extent(), place(*out, it.axis), place(*in, it.axis)};
      const bool moves_rows = any_uses(y_space, it.axis);
      if (moves_rows && digit.out > 0) {
        piece.channel_slabs *= it.extent();
        continue;
      }
      if (moves_rows && any_uses(at.weights_at, it.axis)) piece.weight_slabs *= it.extent();
      if (digit.out > 0 || digit.in > 0) piece.digits.push_back(digit);
    }
    std::sort(piece.digits.begin(), piece.digits.end(),
              [](const ChannelDigit& a, const ChannelDigit& b) {
                return std::pair(-a.out, -a.in) < std::pair(-b.out, -b.in);
              });
    read_space(at, piece);
    return piece;
  }

  void read_space(const Accesses& at, Piece& piece) {
    for (Expr e : Exprs(at.x_at).subspan(kFirstOfSpace)) {
      std::int64_t taps = 1;
      for (const Iterator& it : at.iterators) {
        const bool is_tap = it.kind == program::IteratorKind::Reduce && program::uses(e, it.axis);
        if (is_tap) taps *= it.extent();
      }
      piece.taps.push_back(taps);
      piece.space += "x " + print(e) + "; ";
    }
    for (Expr e : Exprs(at.y_at).subspan(kFirstOfSpace)) piece.space += "y " + print(e) + "; ";
    for (Expr e : at.conditions) piece.space += "if " + print(e) + "; ";
  }

  void tell_unusual_weights(const std::vector<Accesses>& sums, std::vector<Piece>& pieces) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      bool is_shared = false;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        is_shared = is_shared || (k != i && share_weights(sums[i], sums[k]));
      }
      if (is_shared || !have_usual_weights(cx_, sums[i])) pieces[i].uses = text_of(cx_, sums[i]);
    }
  }

  std::string print(Expr e) const { return expr::print(cx_.indices(), e); }

  // Through padding, which a block copies into a local.
  std::string source_of(const Buffer* x) {
    if (x->role == Role::Input) return "x";
    for (const program::Site& site : program::sites_of(program_)) {
      if (site.block->body->target != x || is_sum(*site.block)) continue;
      for (const Buffer* read : site.block->body->buffers) {
        if (read != x) return source_of(read);
      }
    }
    return std::to_string(number_of(x));
  }

  // Buffers in the order in which they are met.
  std::int64_t number_of(const Buffer* buffer) {
    return numbers_.emplace(buffer, static_cast<std::int64_t>(numbers_.size())).first->second;
  }

  void read_repetition(const Body& body, Function& function) const {
    const Scalar load = body.value;
    if (load->buffer->role == Role::Input) return;
    for (std::size_t d = kFirstOfSpace; d < body.target->dims.size(); ++d) {
      function.coarse[d - kFirstOfSpace] *= body.target->dims[d] / load->buffer->dims[d];
      function.repetition += print(numbered(body, load->indices[d])) + "; ";
    }
    if (repeats_places_alone(body)) return;
    for (const Iterator& it : body.iterators) {
      function.repetition += "for " + std::to_string(it.extent()) + "; ";
    }
    for (Expr e : body.indices) function.repetition += "y " + print(numbered(body, e)) + "; ";
    for (Expr e : load->indices) function.repetition += "of " + print(numbered(body, e)) + "; ";
  }

  // Whether there is an iterator for each dimension, and samples and channels stay what they are.
  static bool repeats_places_alone(const Body& body) {
    if (body.iterators.size() != body.indices.size()) return false;
    for (std::size_t i = 0; i < body.indices.size(); ++i) {
      if (body.indices[i] != body.iterators[i].axis) return false;
      if (i < kFirstOfSpace && body.value->indices[i] != body.indices[i]) return false;
    }
    return true;
  }

  // With iterators named by their places: their names depend on the order of the steps.
  Expr numbered(const Body& body, Expr e) const {
    Replacements named;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      const Iterator& it = body.iterators[i];
      named.push_back({it.axis, cx_.axis(cx_.name("at" + std::to_string(i)), it.extent())});
    }
    return replaced(cx_, e, named);
  }

  Context& cx_;
  const Program& program_;
  std::span<const std::string> blocks_;
  std::map<const Buffer*, std::int64_t> numbers_;
};

// ---- the fingerprint

// Every number that is first + sum of places of these digits.
std::vector<std::int64_t> values_of(std::int64_t first, std::span<const std::int64_t> places,
                                    std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> values{first};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t before = values.size();
    for (std::int64_t d = 1; d < extents[i]; ++d) {
      for (std::size_t v = 0; v < before; ++v) values.push_back(values[v] + d * places[i]);
    }
  }
  return values;
}

// A set of hashes, in whatever order they are added.
struct SetHash {
  std::uint64_t high = 0, low = 0;

  void add(const Fingerprint& f) {
    high += f.high;
    low += f.low;
  }
};

std::int64_t at(const std::vector<std::int64_t>& extents, std::size_t i, std::int64_t number,
                std::int64_t* rest) {
  *rest = number / extents[i];
  return number % extents[i];
}

// Which pieces share elements of the weights, where that is not the usual way; constants have no
// names here. Nothing of the usual way is added.
void add_uses(const Function& function, Hasher& hasher) {
  std::map<std::string_view, SetHash> by_constant;
  for (const Piece& piece : function.pieces) {
    if (piece.uses.empty()) continue;
    by_constant[piece.weights].add(
        fingerprint_of(std::string_view(piece.source), piece.target, std::string_view(piece.uses)));
  }
  if (by_constant.empty()) return;
  SetHash all;
  for (const auto& [name, uses] : by_constant) all.add(fingerprint_of(uses.high, uses.low));
  hasher.add(all.high).add(all.low);
}

// Output channels, each with the set of input channels that it reads.
void add_channels(const Piece& piece, SetHash& all) {
  std::vector<std::int64_t> free_out, out_extents, free_in, in_extents, group_out, group_in, groups;
  std::int64_t group_count = 1;
  for (const ChannelDigit& digit : piece.digits) {
    if (digit.out > 0 && digit.in > 0) {
      group_out.push_back(digit.out);
      group_in.push_back(digit.in);
      groups.push_back(digit.extent);
      group_count *= digit.extent;
    } else if (digit.out > 0) {
      free_out.push_back(digit.out);
      out_extents.push_back(digit.extent);
    } else {
      free_in.push_back(digit.in);
      in_extents.push_back(digit.extent);
    }
  }
  Hasher space;
  space.add(std::string_view(piece.source)).add(piece.target).add(std::string_view(piece.space));
  space.add_range(piece.taps).add(piece.weight_slabs).add(piece.channel_slabs);
  const Fingerprint rest = space.done();
  for (std::int64_t g = 0; g < group_count; ++g) {
    std::int64_t out = piece.first_out, in = piece.first_in, number = g;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::int64_t digit = at(groups, i, number, &number);
      out += digit * group_out[i];
      in += digit * group_in[i];
    }
    SetHash reads;
    for (const std::int64_t channel : values_of(in, free_in, in_extents)) {
      reads.add(fingerprint_of(channel));
    }
    for (const std::int64_t channel : values_of(out, free_out, out_extents)) {
      all.add(fingerprint_of(channel, reads.high, reads.low, rest));
    }
  }
}

}  // namespace

std::int64_t Piece::outs() const {
  std::int64_t count = 1;
  for (const ChannelDigit& digit : digits) count *= digit.out > 0 ? digit.extent : 1;
  return count;
}

Result<Function> function_of(Context& cx, const Program& program,
                             std::span<const std::string> blocks) {
  return Reading(cx, program, blocks).run();
}

Fingerprint identity_of(const Function& function) {
  SetHash channels;
  for (const Piece& piece : function.pieces) add_channels(piece, channels);
  Hasher hasher;
  hasher.add(function.outs).add(function.ins).add(channels.high).add(channels.low);
  hasher.add_range(function.coarse).add(std::string_view(function.repetition));
  add_uses(function, hasher);
  return hasher.done();
}

}  // namespace cambium::schedule
