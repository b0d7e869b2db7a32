#include "schedule/recipe/canonical.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "program/walk.h"

namespace cambium::schedule {
namespace {

constexpr std::int64_t kLargestDenominator = 8;
constexpr std::array<const char*, 3> kSpaceNames = {"d", "h", "w"};

// The number as a part of a size where that is short: Co/2, 3*Co/4; otherwise itself.
std::string part_of(std::int64_t number, std::int64_t size, const char* name) {
  const std::int64_t common = std::gcd(number, size);
  const std::int64_t above = number / common, below = size / common;
  if (below > kLargestDenominator) return std::to_string(number);
  std::string text = above == 1 ? name : fmt::format("{}*{}", above, name);
  if (below > 1) text += fmt::format("/{}", below);
  return text;
}

const char* space_name(std::size_t axis, std::size_t axes) {
  return kSpaceNames[kSpaceNames.size() - axes + axis];
}

// A digit of the input channels that a piece may read, largest place first.
struct InDigit {
  std::int64_t radix = 1;     // values that the digit has in all
  std::int64_t extent = 1;    // values that are read
  std::size_t group = kNone;  // position of the output digit that it moves with

  static constexpr std::size_t kNone = ~std::size_t{0};
  bool is_grouped() const { return group != kNone; }
  bool is_whole() const { return radix == extent; }
};

struct OutDigit {
  std::int64_t extent = 1;
  bool is_grouped = false;
};

// A piece as two numbers in mixed radix.
struct Radices {
  std::int64_t skip = 0;
  std::vector<InDigit> in;
  std::vector<OutDigit> out;
};

std::vector<ChannelDigit> sorted_by(std::vector<ChannelDigit> digits,
                                    std::int64_t ChannelDigit::*place) {
  std::erase_if(digits, [&](const ChannelDigit& d) { return d.*place == 0; });
  std::sort(digits.begin(), digits.end(),
            [&](const ChannelDigit& a, const ChannelDigit& b) { return a.*place > b.*place; });
  return digits;
}

// Nothing where the digits leave gaps in the output, or overlap.
std::optional<Radices> radices_of(const Piece& piece, std::int64_t outs, std::int64_t ins) {
  Radices radices;
  radices.skip = piece.first_in;
  const std::vector<ChannelDigit> out = sorted_by(piece.digits, &ChannelDigit::out);
  std::int64_t above = outs;
  for (const ChannelDigit& digit : out) {
    if (digit.out * digit.extent != above) return std::nullopt;
    above = digit.out;
    radices.out.push_back({digit.extent, digit.in > 0});
  }
  if (above != 1) return std::nullopt;
  above = ins - radices.skip;
  for (const ChannelDigit& digit : sorted_by(piece.digits, &ChannelDigit::in)) {
    if (above % digit.in != 0) return std::nullopt;
    InDigit one{above / digit.in, digit.extent};
    if (one.extent > one.radix || one.radix % one.extent != 0) return std::nullopt;
    if (digit.out > 0) {
      one.group = static_cast<std::size_t>(std::find(out.begin(), out.end(), digit) - out.begin());
      if (!one.is_whole()) return std::nullopt;
    }
    above = digit.in;
    radices.in.push_back(one);
  }
  if (above != 1) radices.in.push_back({above, 1});
  return radices;
}

// The original's groups are loop g, outside of what a document slices.
bool take_groups(Radices& radices, std::int64_t groups) {
  if (groups == 1) return true;
  if (radices.in.empty() || radices.out.empty() || radices.skip > 0) return false;
  InDigit& in = radices.in.front();
  OutDigit& out = radices.out.front();
  if (in.group != 0 || in.radix % groups != 0) return false;
  in.radix = in.extent = in.radix / groups;
  out.extent /= groups;
  if (in.radix > 1) return true;
  radices.in.erase(radices.in.begin());
  radices.out.erase(radices.out.begin());
  for (InDigit& digit : radices.in) digit.group -= digit.is_grouped() ? 1 : 0;
  return true;
}

// Neighbouring digits that no step tells apart become one.
void merge(Radices& radices) {
  for (std::size_t i = 0; i + 1 < radices.in.size();) {
    InDigit &high = radices.in[i], &low = radices.in[i + 1];
    if (!high.is_grouped() && !low.is_grouped() && low.is_whole()) {
      high.radix *= low.radix;
      high.extent *= low.extent;
      radices.in.erase(radices.in.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      ++i;
    }
  }
  for (std::size_t i = 0; i + 1 < radices.out.size();) {
    if (radices.out[i].is_grouped || radices.out[i + 1].is_grouped) {
      ++i;
      continue;
    }
    radices.out[i].extent *= radices.out[i + 1].extent;
    radices.out.erase(radices.out.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    for (InDigit& digit : radices.in) {
      if (digit.is_grouped() && digit.group > i) --digit.group;
    }
  }
}

// A loop that steps act on: a digit, and for a group the free digit below it.
struct LoopOf {
  std::size_t digit = 0;
  std::int64_t extent = 1;
  std::string name;
};

// Splits a loop into these; one keeps its name.
void name_loops(std::vector<LoopOf>& loops, const std::string& loop, std::string& text) {
  if (loops.size() == 1) loops[0].name = loop;
  if (loops.size() < 2) return;
  std::string factors;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    loops[i].name = fmt::format("{}.{}", loop, i);
    // The outermost part is what is left, whatever the width of the layer.
    factors += i == 0 ? "0" : fmt::format(", {}", loops[i].extent);
  }
  text += fmt::format("split(loop: {}, factors: [{}], tail: exact)\n", loop, factors);
}

class PieceText {
 public:
  PieceText(Radices radices, std::string co, std::string ci, const NestSizes& sizes)
      : r_(std::move(radices)), co_(std::move(co)), ci_(std::move(ci)), sizes_(sizes) {}

  std::string run() {
    for (std::size_t i = 0; i < r_.in.size(); ++i) {
      LoopOf loop{i, r_.in[i].radix, ""};
      const bool joins =
          r_.in[i].is_grouped() && i + 1 < r_.in.size() && !r_.in[i + 1].is_grouped();
      if (joins) loop.extent *= r_.in[++i].radix;
      ins_.push_back(loop);
    }
    for (std::size_t i = 0; i < r_.out.size(); ++i) {
      LoopOf loop{i, r_.out[i].extent, ""};
      const bool joins = r_.out[i].is_grouped && i + 1 < r_.out.size() && !r_.out[i + 1].is_grouped;
      if (joins) loop.extent *= r_.out[++i].extent;
      outs_.push_back(loop);
    }
    name_loops(outs_, co_, text_);
    name_loops(ins_, ci_, text_);
    for (const LoopOf& loop : ins_) write(loop);
    return std::move(text_);
  }

 private:
  void write(const LoopOf& loop) {
    const InDigit& digit = r_.in[loop.digit];
    if (!digit.is_grouped()) {
      narrow(loop.name, digit);
      return;
    }
    const auto out = std::find_if(outs_.begin(), outs_.end(),
                                  [&](const LoopOf& o) { return o.digit == digit.group; });
    const bool is_depthwise = r_.skip == 0 && ins_.size() == 1 && outs_.size() == 1 &&
                              loop.extent == digit.radix && out->extent == digit.radix;
    if (is_depthwise) {
      text_ += fmt::format("depthwise(outer: {}, inner: {})\n", out->name, loop.name);
    } else {
      text_ +=
          fmt::format("group(outer: {}, inner: {}, factor: {}", out->name, loop.name, digit.radix);
      text_ += skip();
      text_ += ")\n";
    }
    if (loop.extent > digit.radix) narrow(loop.name, r_.in[loop.digit + 1]);
  }

  // The skipped channels are written once, by the first group.
  std::string skip() {
    if (r_.skip == 0) return "";
    return fmt::format(", skip: {}", part_of(std::exchange(r_.skip, 0), sizes_.of("Ci"), "Ci"));
  }

  void narrow(const std::string& loop, const InDigit& digit) {
    if (digit.is_whole()) return;
    text_ += fmt::format("bottleneck(loop: {}, factor: {})\n", loop, digit.radix / digit.extent);
  }

  Radices r_;
  std::string co_, ci_;
  const NestSizes& sizes_;
  std::vector<LoopOf> ins_, outs_;
  std::string text_;
};

class Writing {
 public:
  Writing(const Function& function, const Function& original, const NestSizes& sizes)
      : f_(function), original_(original), sizes_(sizes) {}

  std::optional<std::string> run() {
    if (f_.pieces.empty() || original_.pieces.size() != 1) return std::nullopt;
    for (const Piece& piece : f_.pieces) {
      const Piece& first = f_.pieces.front();
      const bool agrees = piece.taps == first.taps && piece.weight_slabs == first.weight_slabs &&
                          piece.channel_slabs == first.channel_slabs && piece.source == "x" &&
                          piece.target == first.target && piece.uses.empty();
      if (!agrees) return std::nullopt;
    }
    if (!write_space() || !write_outs() || !write_slabs() || !write_pieces()) return std::nullopt;
    return std::move(text_);
  }

 private:
  bool write_space() {
    const Piece& piece = f_.pieces.front();
    const Ints& taps = original_.pieces.front().taps;
    for (std::size_t i = 0; i < f_.coarse.size(); ++i) {
      if (f_.coarse[i] == 1) continue;
      text_ += fmt::format("bottleneck(loop: {}, factor: {})\n", space_name(i, f_.coarse.size()),
                           f_.coarse[i]);
    }
    for (std::size_t i = 0; i < taps.size(); ++i) {
      if (taps[i] % piece.taps[i] != 0) return false;
      if (taps[i] == piece.taps[i]) continue;
      text_ += fmt::format("bottleneck(loop: k{}, factor: {})\n", space_name(i, taps.size()),
                           taps[i] / piece.taps[i]);
    }
    return true;
  }

  bool write_outs() {
    if (original_.outs % f_.outs != 0) return false;
    narrowed_ = original_.outs / f_.outs;
    if (sizes_.of("Co") % narrowed_ != 0) return false;
    if (narrowed_ > 1) {
      text_ += fmt::format("bottleneck(loop: co, factor: {}, accept: true)\n", narrowed_);
    }
    return true;
  }

  bool write_slabs() {
    const Piece& piece = f_.pieces.front();
    if (piece.weight_slabs == 1 && piece.channel_slabs == 1) return true;
    if (piece.weight_slabs > 1 && piece.channel_slabs > 1) return false;
    const bool of_weights = piece.weight_slabs > 1;
    text_ += fmt::format("split(loop: h, factors: [{}, 0], tail: exact)\n",
                         std::max(piece.weight_slabs, piece.channel_slabs));
    text_ += of_weights ? "group_slabs(rows: h.0)\n" : "group_channels(rows: h.0, outer: co)\n";
    // Slabs that share out the channels are written for dense pieces only.
    return of_weights || f_.pieces.size() == 1;
  }

  // Neighbours that read the same channels, without groups, are one piece.
  std::vector<Piece> joined() const {
    std::vector<Piece> pieces;
    const auto ins = [](const Piece& piece) { return sorted_by(piece.digits, &ChannelDigit::in); };
    const auto is_grouped = [](const Piece& piece) {
      return std::any_of(piece.digits.begin(), piece.digits.end(),
                         [](const ChannelDigit& d) { return d.out > 0 && d.in > 0; });
    };
    for (const Piece& piece : f_.pieces) {
      if (!pieces.empty() && !is_grouped(piece) && !is_grouped(pieces.back()) &&
          piece.first_in == pieces.back().first_in && ins(piece) == ins(pieces.back()) &&
          piece.first_out == pieces.back().first_out + pieces.back().outs()) {
        Piece& whole = pieces.back();
        const std::int64_t outs = whole.outs() + piece.outs();
        whole.digits = ins(whole);
        whole.digits.push_back({outs, 1, 0});
        continue;
      }
      pieces.push_back(piece);
    }
    return pieces;
  }

  bool write_pieces() {
    const std::vector<Piece> pieces = joined();
    const std::int64_t groups = sizes_.of("G");
    const std::int64_t width = sizes_.of("Co") / narrowed_;  // of loop co
    if (pieces.size() == 1) {
      const std::int64_t outs = pieces[0].outs();
      return write_piece(pieces[0], outs, groups, "co", "ci");
    }
    if (groups > 1) return false;
    std::string points;
    std::int64_t next = 0;
    for (const Piece& piece : pieces) {
      if (piece.first_out != next) return false;
      if (next > 0) {
        points += (points.empty() ? "" : ", ") +
                  (narrowed_ == 1 ? part_of(next, width, "Co") : std::to_string(next));
      }
      next += piece.outs();
    }
    if (next != width) return false;
    text_ += fmt::format("partition(loop: co, points: [{}])\n", points);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string suffix = i == 0 ? "" : fmt::format(".{}", i + 1);
      if (!write_piece(pieces[i], pieces[i].outs(), 1, "co" + suffix, "ci" + suffix)) return false;
    }
    return true;
  }

  bool write_piece(const Piece& piece, std::int64_t outs, std::int64_t groups,
                   const std::string& co, const std::string& ci) {
    std::optional<Radices> radices = radices_of(piece, outs, f_.ins);
    if (!radices || !take_groups(*radices, groups)) return false;
    merge(*radices);
    // Only a group can skip channels.
    const bool has_groups = std::any_of(radices->in.begin(), radices->in.end(),
                                        [](const InDigit& d) { return d.is_grouped(); });
    const bool is_skipping_alone = radices->skip > 0 && !has_groups;
    if (is_skipping_alone && (radices->in.size() != 1 || !radices->in[0].is_whole())) return false;
    if (radices->skip > 0 && has_groups && !radices->in.front().is_grouped()) return false;
    if (radices->skip > 0 && radices->in.size() > 2) return false;
    if (is_skipping_alone) {
      text_ += fmt::format("group(outer: {}, inner: {}, factor: 1, skip: {})\n", co, ci,
                           part_of(radices->skip, sizes_.of("Ci"), "Ci"));
      return true;
    }
    text_ += PieceText(std::move(*radices), co, ci, sizes_).run();
    return true;
  }

  const Function& f_;
  const Function& original_;
  const NestSizes& sizes_;
  std::int64_t narrowed_ = 1;
  std::string text_;
};

}  // namespace

std::int64_t NestSizes::of(std::string_view name) const {
  for (const auto& [known, size] : named) {
    if (known == name) return size;
  }
  return 1;
}

Result<NestSizes> sizes_of(const Program& program, std::string_view block) {
  const program::Site site = program::find_site(program, block);
  if (site.block == nullptr) return Rejection(Reason::UnknownName, std::string(block));
  static constexpr std::array<std::pair<const char*, const char*>, 10> kNames = {{{"n", "N"},
                                                                                  {"g", "G"},
                                                                                  {"co", "Co"},
                                                                                  {"ci", "Ci"},
                                                                                  {"d", "D"},
                                                                                  {"h", "H"},
                                                                                  {"w", "W"},
                                                                                  {"kd", "KD"},
                                                                                  {"kh", "KH"},
                                                                                  {"kw", "KW"}}};
  NestSizes sizes;
  for (const auto& [loop, size] : kNames) {
    for (const program::Loop* around : site.loops) {
      if (around->name() == loop) sizes.named.emplace_back(size, around->extent());
    }
  }
  return sizes;
}

std::optional<std::string> canonical_document(const Function& function, const Function& original,
                                              const NestSizes& sizes) {
  if (identity_of(function) == identity_of(original)) return std::string();
  return Writing(function, original, sizes).run();
}

}  // namespace cambium::schedule
