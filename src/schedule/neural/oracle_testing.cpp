#include "schedule/neural/oracle_testing.h"

#include <algorithm>

#include "base/check.h"

namespace cambium::schedule {
namespace {

std::int64_t size_of(const std::vector<std::int64_t>& v) {
  return static_cast<std::int64_t>(v.size());
}

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The digit of `number` that a loop counts.
std::int64_t digit_of(std::int64_t number, const TableLoop& loop) {
  return number / loop.place % loop.extent;
}

// The number whose digit is `digit`, of a loop that is as long as `extent` afterwards; the digits
// above move together.
std::int64_t with_digit(std::int64_t number, const TableLoop& loop, std::int64_t digit,
                        std::int64_t extent) {
  const std::int64_t above = number / (loop.place * loop.extent), below = number % loop.place;
  return (above * extent + digit) * loop.place + below;
}

void resize(TablePart& part, const std::string& name, std::int64_t extent) {
  TableLoop& changed = part.loop(name);
  for (TableLoop& loop : part.loops) {
    if (loop.counts == changed.counts && loop.place > changed.place) {
      loop.place = loop.place / changed.extent * extent;
    }
  }
  changed.extent = extent;
}

}  // namespace

TableLoop& TablePart::loop(std::string_view name) {
  const auto found = std::find_if(loops.begin(), loops.end(),
                                  [&](const TableLoop& loop) { return loop.name == name; });
  CAMBIUM_CHECK(found != loops.end(), "the table knows the loop");
  return *found;
}

std::vector<std::string> TablePart::names_of(Counts counts) const {
  std::vector<std::string> names;
  for (const TableLoop& loop : loops) {
    if (loop.counts == counts) names.push_back(loop.name);
  }
  return names;
}

ConvTable::ConvTable(const ConvSpec& spec) : spec_(spec), channels_(spec.co) {
  TablePart part;
  part.loops = {{"n", Counts::Batch, spec.n, 1},      {"co", Counts::Out, spec.co, 1},
                {"oh", Counts::Row, spec.out_h(), 1}, {"ow", Counts::Column, spec.out_w(), 1},
                {"ci", Counts::In, spec.ci, 1},       {"kh", Counts::TapRow, spec.k, 1},
                {"kw", Counts::TapColumn, spec.k, 1}};
  if (spec.pad > 0) part.loops[0].name = "n.2";
  for (std::int64_t o = 0; o < spec.co; ++o) {
    TableRow row{o, {}};
    for (std::int64_t c = 0; c < spec.ci; ++c) row.reads.push_back(c);
    part.rows.push_back(row);
  }
  part.taps_h = part.taps_w = spec.k;
  parts_.push_back(part);
  for (std::int64_t i = 0; i < spec.out_h(); ++i) rows_.stands_for.push_back(i);
  for (std::int64_t i = 0; i < spec.out_w(); ++i) columns_.stands_for.push_back(i);
  rows_.source = rows_.stands_for;
  columns_.source = columns_.stands_for;
}

void ConvTable::split(TablePart& part, const std::string& loop,
                      const std::vector<std::string>& made, std::int64_t inner) {
  const TableLoop whole = part.loop(loop);
  part.loop(loop) = {made[0], whole.counts, whole.extent / inner, whole.place * inner};
  part.loops.push_back({made[1], whole.counts, inner, whole.place});
}

void ConvTable::partition(const std::string& loop, std::int64_t cut, const std::string& block,
                          const std::vector<std::string>& first,
                          const std::vector<std::string>& second) {
  TablePart rest = parts_.back();
  TablePart& part = parts_.back();
  rest.block = block;
  const std::int64_t extent = part.loop(loop).extent;
  rest.rows.erase(rest.rows.begin(), rest.rows.begin() + cut);
  part.rows.resize(at(cut));
  rest.first = part.first + cut;
  part.loop(loop).extent = cut;
  rest.loop(loop).extent = extent - cut;
  for (TableLoop& copy : rest.loops) {
    const auto found = std::find(first.begin(), first.end(), copy.name);
    copy.name = second[at(found - first.begin())];
  }
  parts_.push_back(rest);
}

void ConvTable::bottleneck(TablePart& part, const std::string& name, std::int64_t factor) {
  const TableLoop loop = part.loop(name);
  const std::int64_t extent = loop.extent / factor;
  if (loop.counts != Counts::Row && loop.counts != Counts::Column) own_weights(part);
  switch (loop.counts) {
    case Counts::Out: {
      std::vector<TableRow> kept;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(part.rows.size()); ++i) {
        if (digit_of(i, loop) < extent) kept.push_back(part.rows[at(i)]);
      }
      for (std::size_t i = 0; i < kept.size(); ++i) kept[i].channel = static_cast<std::int64_t>(i);
      part.rows = kept;
      channels_ = static_cast<std::int64_t>(kept.size());
      break;
    }
    case Counts::In:
      for (TableRow& row : part.rows) {
        std::vector<std::int64_t> kept;
        for (std::int64_t i = 0; i < size_of(row.reads); ++i) {
          if (digit_of(i, loop) < extent) kept.push_back(row.reads[at(i)]);
        }
        row.reads = kept;
      }
      break;
    case Counts::Row:
    case Counts::Column: {
      Grid& grid = loop.counts == Counts::Row ? rows_ : columns_;
      std::vector<std::int64_t> source(grid.source.size() / at(factor));
      for (std::int64_t i = 0; i < size_of(grid.source); ++i) {
        const std::int64_t digit = digit_of(i, loop);
        if (digit % factor != 0) continue;
        source[at(with_digit(i, loop, digit / factor, extent))] = grid.source[at(i)];
      }
      for (std::int64_t& i : grid.stands_for) {
        i = with_digit(i, loop, digit_of(i, loop) / factor, extent);
      }
      grid.source = source;
      break;
    }
    case Counts::TapRow: part.taps_h /= factor; break;
    case Counts::TapColumn: part.taps_w /= factor; break;
    case Counts::Batch: CAMBIUM_CHECK(false, "the table has no bottleneck of the batch");
  }
  resize(part, name, extent);
}

void ConvTable::group(TablePart& part, const std::string& outer, const std::string& inner,
                      std::int64_t factor, std::int64_t skip, const std::string& made) {
  const TableLoop out = part.loop(outer), in = part.loop(inner);
  const std::int64_t outs = out.extent / factor, ins = (in.extent - skip) / factor;
  own_weights(part);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(part.rows.size()); ++i) {
    const std::int64_t from = skip + digit_of(i, out) / outs * ins;
    std::vector<std::int64_t> kept;
    std::vector<std::int64_t>& reads = part.rows[at(i)].reads;
    for (std::int64_t k = 0; k < size_of(reads); ++k) {
      const std::int64_t digit = digit_of(k, in);
      if (from <= digit && digit < from + ins) kept.push_back(reads[at(k)]);
    }
    reads = kept;
  }
  resize(part, inner, ins);
  part.loop(outer).extent = outs;
  part.loops.insert(part.loops.begin(), {made, Counts::Out, factor, out.place * outs});
}

void ConvTable::depthwise(TablePart& part, const std::string& outer, const std::string& inner,
                          const std::string& made) {
  group(part, outer, inner, part.loop(outer).extent, 0, made);
  part.loops.erase(std::remove_if(part.loops.begin(), part.loops.end(),
                                  [&](const TableLoop& loop) {
                                    return loop.name == outer || loop.name == inner;
                                  }),
                   part.loops.end());
}

void ConvTable::group_slabs(TablePart& part, const std::string& rows) {
  own_weights(part);
  part.slab_weights = part.loop(rows).extent;
  part.slab_height = part.loop(rows).place;
}

void ConvTable::group_channels(TablePart& part, const std::string& rows, const std::string& outer) {
  const std::int64_t factor = part.loop(rows).extent;
  part.slab_channels = part.loop(rows).place;
  part.loop(outer).extent /= factor;
  // From here on the channels of the weights move with the slabs, too.
  part.loops.insert(part.loops.begin(), {rows + " as channels", Counts::Out, factor,
                                         part.loop(outer).place * part.loop(outer).extent});
}

std::int64_t ConvTable::outs_in(const std::string& weights) const {
  std::int64_t outs = 0;
  for (const TablePart& part : parts_) {
    if (part.weights == weights) outs += static_cast<std::int64_t>(part.rows.size());
  }
  return outs;
}

void ConvTable::own_weights(TablePart& part) {
  const std::int64_t rows = static_cast<std::int64_t>(part.rows.size());
  if (outs_in(part.weights) == rows) return;
  for (TablePart& other : parts_) {
    if (other.weights == part.weights && other.first > part.first) other.first -= rows;
  }
  part.weights = "w." + std::to_string(weights().size() + 1);
  part.first = 0;
}

std::map<std::string, std::vector<std::int64_t>> ConvTable::weights() const {
  std::map<std::string, std::vector<std::int64_t>> all;
  std::vector<std::int64_t> second;  // of a separated convolution
  for (const TablePart& part : parts_) {
    const std::int64_t outs = outs_in(part.weights), ins = size_of(part.rows[0].reads);
    std::vector<std::int64_t>& dims = all[part.weights];
    dims = {outs, ins, part.taps_h, part.taps_w};
    if (separation_) {
      const Separation& s = *separation_;
      second = in_layout({outs,
                          s.keeps_ins ? ins
                          : s.mixes   ? outs
                                      : 1,
                          s.has_rows ? 1 : part.taps_h, s.has_columns ? 1 : part.taps_w});
      dims = {s.keeps_ins ? ins : outs, s.keeps_ins ? 1 : ins, s.has_rows ? part.taps_h : 1,
              s.has_columns ? part.taps_w : 1};
    }
    dims = in_layout(dims);
    dims[0] *= part.slab_weights;
  }
  if (separation_) all[parts_[0].weights + ".2"] = second;
  return all;
}

std::vector<std::int64_t> ConvTable::in_layout(const std::vector<std::int64_t>& dims) const {
  if (!spec_.channels_last) return dims;
  return {dims[2], dims[3], dims[1], dims[0]};
}

std::vector<double> ConvTable::composed(const std::vector<double>& first,
                                        const std::vector<double>& second) const {
  const Separation& s = *separation_;
  const TablePart& part = parts_[0];
  const std::int64_t outs = outs_in(part.weights), ins = size_of(part.rows[0].reads);
  const std::int64_t rows = part.taps_h, columns = part.taps_w;
  using Four = std::vector<std::int64_t>;
  const auto place = [&](Four dims, Four index) {
    dims = in_layout(dims);
    index = in_layout(index);
    return at(((index[0] * dims[1] + index[1]) * dims[2] + index[2]) * dims[3] + index[3]);
  };
  const std::int64_t h1 = s.has_rows ? rows : 1, w1 = s.has_columns ? columns : 1;
  const std::int64_t h2 = s.has_rows ? 1 : rows, w2 = s.has_columns ? 1 : columns;
  std::vector<double> whole(at(outs * ins * rows * columns));
  for (std::int64_t o = 0; o < outs; ++o) {
    for (std::int64_t i = 0; i < ins; ++i) {
      for (std::int64_t h = 0; h < rows; ++h) {
        for (std::int64_t w = 0; w < columns; ++w) {
          const std::int64_t a = s.has_rows ? h : 0, b = s.has_columns ? w : 0;
          const std::int64_t c = h - a, d = w - b;
          double sum = 0;
          if (s.keeps_ins) {
            sum = first[place({ins, 1, h1, w1}, {i, 0, a, b})] *
                  second[place({outs, ins, h2, w2}, {o, i, c, d})];
          }
          for (std::int64_t m = 0; !s.keeps_ins && m < outs; ++m) {
            if (!s.mixes && m != o) continue;
            sum += first[place({outs, ins, h1, w1}, {m, i, a, b})] *
                   second[place({outs, s.mixes ? outs : 1, h2, w2}, {o, s.mixes ? m : 0, c, d})];
          }
          whole[place({outs, ins, rows, columns}, {o, i, h, w})] = sum;
        }
      }
    }
  }
  return whole;
}

std::int64_t ConvTable::multiplications() const {
  std::int64_t all = 0;
  const std::int64_t pixels = size_of(rows_.source) * size_of(columns_.source);
  for (const TablePart& part : parts_) {
    const std::int64_t slabs =
        part.slab_channels > 0 ? size_of(rows_.source) / part.slab_channels : 1;
    if (separation_) {
      const Separation& s = *separation_;
      const std::int64_t outs = static_cast<std::int64_t>(part.rows.size());
      const std::int64_t ins = size_of(part.rows[0].reads);
      const std::int64_t first_taps =
          (s.has_rows ? part.taps_h : 1) * (s.has_columns ? part.taps_w : 1);
      const bool keeps_rows = s.has_rows || part.taps_h == 1;
      const bool keeps_columns = s.has_columns || part.taps_w == 1;
      const std::int64_t places = (keeps_rows ? size_of(rows_.source) : spec_.h) *
                                  (keeps_columns ? size_of(columns_.source) : spec_.w);
      all += spec_.n * places * (s.keeps_ins ? ins : outs * ins) * first_taps;
      all += spec_.n * pixels * outs *
             (s.keeps_ins ? ins
              : s.mixes   ? outs
                          : 1) *
             (part.taps_h * part.taps_w / first_taps);
      continue;
    }
    for (const TableRow& row : part.rows) {
      all += spec_.n * pixels / slabs * size_of(row.reads) * part.taps_h * part.taps_w;
    }
  }
  if (spec_.tail == ConvTail::SecondConv) {
    all += spec_.n * spec_.last * channels_ * spec_.out_h() * spec_.out_w();
  }
  return all;
}

double ConvTable::element(const TablePart& part, std::size_t row, const std::vector<double>& x,
                          const std::vector<double>& w, std::int64_t n, std::int64_t oh,
                          std::int64_t ow) const {
  const std::int64_t computed = rows_.stands_for[at(oh)];
  const std::int64_t from_row = rows_.source[at(computed)] * spec_.stride - spec_.pad;
  const std::int64_t from_column =
      columns_.source[at(columns_.stands_for[at(ow)])] * spec_.stride - spec_.pad;
  const TableRow& channel = part.rows[row];
  const std::int64_t outs = static_cast<std::int64_t>(part.rows.size());
  const std::int64_t ins = size_of(channel.reads), all_outs = outs_in(part.weights);
  if (part.slab_channels > 0) {
    const std::int64_t slabs = size_of(rows_.source) / part.slab_channels;
    if (computed / part.slab_channels != static_cast<std::int64_t>(row) / (outs / slabs)) return 0;
  }
  std::int64_t first = 0, end = spec_.h, slab = 0;
  if (part.slab_height > 0) {
    slab = rows_.source[at(computed)] / part.slab_height;
    first = slab * part.slab_height * spec_.stride;
    end = first + part.slab_height * spec_.stride;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < ins; ++i) {
    for (std::int64_t kh = 0; kh < part.taps_h; ++kh) {
      for (std::int64_t kw = 0; kw < part.taps_w; ++kw) {
        const std::int64_t h = from_row + kh, v = from_column + kw, c = channel.reads[at(i)];
        if (h < first || h >= end || v < 0 || v >= spec_.w) continue;
        const std::int64_t o = part.first + static_cast<std::int64_t>(row);
        if (spec_.channels_last) {
          const std::int64_t tap = ((slab * part.taps_h + kh) * part.taps_w + kw) * ins + i;
          sum +=
              x[at(((n * spec_.h + h) * spec_.w + v) * spec_.ci + c)] * w[at(tap * all_outs + o)];
        } else {
          const std::int64_t tap = ((slab * all_outs + o) * ins + i) * part.taps_h + kh;
          sum += x[at(((n * spec_.ci + c) * spec_.h + h) * spec_.w + v)] *
                 w[at(tap * part.taps_w + kw)];
        }
      }
    }
  }
  return sum;
}

std::vector<double> ConvTable::evaluate(
    const std::map<std::string, std::vector<double>>& arguments) const {
  const std::int64_t oh = spec_.out_h(), ow = spec_.out_w();
  const auto flat = [&](std::int64_t channels, std::int64_t n, std::int64_t c, std::int64_t h,
                        std::int64_t v) {
    return at(spec_.channels_last ? ((n * oh + h) * ow + v) * channels + c
                                  : ((n * channels + c) * oh + h) * ow + v);
  };
  std::vector<double> t(at(spec_.n * channels_ * oh * ow));
  const auto for_each = [&](std::int64_t channels, const auto& f) {
    for (std::int64_t n = 0; n < spec_.n; ++n) {
      for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t h = 0; h < oh; ++h) {
          for (std::int64_t v = 0; v < ow; ++v) f(n, c, h, v);
        }
      }
    }
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::vector<double>& first = arguments.at(parts_[p].weights);
    const std::vector<double> w =
        separation_ ? composed(first, arguments.at(parts_[p].weights + ".2")) : first;
    for_each(static_cast<std::int64_t>(parts_[p].rows.size()), [&](auto n, auto r, auto h, auto v) {
      t[flat(channels_, n, parts_[p].rows[at(r)].channel, h, v)] =
          element(parts_[p], at(r), arguments.at("x"), w, n, h, v);
    });
  }
  if (spec_.tail == ConvTail::None) return t;
  const std::vector<double>& extra = arguments.at(spec_.tail == ConvTail::BiasRelu ? "bias" : "w2");
  const std::int64_t outs = spec_.tail == ConvTail::BiasRelu ? channels_ : spec_.last;
  std::vector<double> y(at(spec_.n * outs * oh * ow));
  for_each(outs, [&](auto n, auto c, auto h, auto v) {
    double& result = y[flat(outs, n, c, h, v)];
    if (spec_.tail == ConvTail::BiasRelu) {
      result = std::max(0.0, t[flat(channels_, n, c, h, v)] + extra[at(c)]);
      return;
    }
    for (std::int64_t i = 0; i < channels_; ++i) {
      result += t[flat(channels_, n, i, h, v)] * extra[at(c * channels_ + i)];
    }
  });
  return y;
}

}  // namespace cambium::schedule
