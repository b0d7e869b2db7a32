// Convolutions for the tests of neural steps: the program as lowering writes it, and a table of
// what it computes. The table follows each neural step independently, with plain loops over arrays
// and without programs, nests or index expressions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/context.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

enum class ConvTail : std::uint8_t { None, BiasRelu, SecondConv };

struct ConvSpec {
  std::int64_t n = 1, ci = 4, h = 6, w = 6, co = 4, k = 3, stride = 1, pad = 1;
  bool channels_last = false;  // NHWC with weights [kh, kw, ci, co]
  ConvTail tail = ConvTail::None;
  std::int64_t last = 3;  // channels after SecondConv, which is 1x1

  std::int64_t out_h() const { return (h + 2 * pad - k) / stride + 1; }
  std::int64_t out_w() const { return (w + 2 * pad - k) / stride + 1; }
};

// Parameters x, w, then bias or w2 where the tail has one, then y. Blocks pad (if padding), conv,
// and those of the tail; conv has loops n, co, oh, ow, ci, kh, kw.
Program conv_program(Context& cx, const ConvSpec& spec);

// Sums of products that a program does: instances of its blocks that multiply by a constant.
std::int64_t multiplications_of(Context& cx, const Program& program);

// A loop as the table knows it: which numbers it counts, and with which place value.
enum class Counts : std::uint8_t { Batch, Out, In, Row, Column, TapRow, TapColumn };
struct TableLoop {
  std::string name;
  Counts counts;
  std::int64_t extent, place;
};

// One output channel.
struct TableRow {
  std::int64_t channel;             // of y
  std::vector<std::int64_t> reads;  // input channels, in the order of the weights
};

// One nest: all of the convolution, or a piece of it after Partition.
struct TablePart {
  std::string block = "conv";
  std::string weights = "w";
  std::int64_t first = 0;  // its first output channel in the weights, which parts may share
  std::vector<TableLoop> loops;
  std::vector<TableRow> rows;  // in the order of the weights
  std::int64_t taps_h = 0, taps_w = 0;
  // Slabs: the loop whose iteration a row belongs to.
  std::int64_t slab_weights = 1;   // as many sets of weights
  std::int64_t slab_height = 0;    // output rows per slab, where x ends at the slab's border
  std::int64_t slab_channels = 0;  // output rows per slab, where slabs share out the channels

  TableLoop& loop(std::string_view name);
  std::vector<std::string> names_of(Counts counts) const;
};

class ConvTable {
 public:
  explicit ConvTable(const ConvSpec& spec);

  std::vector<TablePart>& parts() { return parts_; }
  const ConvSpec& spec() const { return spec_; }
  std::int64_t channels() const { return channels_; }

  // What the steps do, on a loop of a part.
  void split(TablePart& part, const std::string& loop, const std::vector<std::string>& made,
             std::int64_t inner);
  void partition(const std::string& loop, std::int64_t at, const std::string& block,
                 const std::vector<std::string>& first, const std::vector<std::string>& second);
  void bottleneck(TablePart& part, const std::string& loop, std::int64_t factor);
  void group(TablePart& part, const std::string& outer, const std::string& inner,
             std::int64_t factor, std::int64_t skip, const std::string& made);
  void depthwise(TablePart& part, const std::string& outer, const std::string& inner,
                 const std::string& made);
  void group_slabs(TablePart& part, const std::string& rows);
  void group_channels(TablePart& part, const std::string& rows, const std::string& outer);
  // Of a table with one part, without groups; the last step.
  struct Separation {
    bool keeps_ins = false;                      // the first sum is over taps alone
    bool has_rows = false, has_columns = false;  // which taps the first sum has
    bool mixes = false;
  };
  void separate(const Separation& separation) { separation_ = separation; }

  // The weights by name, with their shapes in the layout of the program.
  std::map<std::string, std::vector<std::int64_t>> weights() const;
  std::int64_t multiplications() const;
  // What the parameters of the program are worth, by name; gives y.
  std::vector<double> evaluate(const std::map<std::string, std::vector<double>>& arguments) const;

 private:
  double element(const TablePart& part, std::size_t row, const std::vector<double>& x,
                 const std::vector<double>& w, std::int64_t n, std::int64_t oh,
                 std::int64_t ow) const;
  // What both sums of a separated convolution multiply x by.
  std::vector<double> composed(const std::vector<double>& first,
                               const std::vector<double>& second) const;
  // Of output channels, input channels, rows and columns.
  std::vector<std::int64_t> in_layout(const std::vector<std::int64_t>& dims) const;
  std::int64_t outs_in(const std::string& weights) const;
  void own_weights(TablePart& part);

  ConvSpec spec_;
  std::vector<TablePart> parts_;
  std::int64_t channels_;
  std::optional<Separation> separation_;
  // Output rows and columns: which computed one stands for each, and where that one is computed.
  struct Grid {
    std::vector<std::int64_t> stands_for, source;
  };
  Grid rows_, columns_;
};

// Why a program is not what the table says, on random whole numbers: its verifier's word, shapes of
// weights, multiplications, elements of y. Empty: it is.
std::string difference(Context& cx, const Program& program, const ConvTable& table,
                       std::uint64_t seed);

}  // namespace cambium::schedule
