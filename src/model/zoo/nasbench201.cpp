#include "model/zoo/nasbench201.h"

#include <optional>

#include "base/text.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

namespace {

constexpr std::array<std::string_view, 5> kNames{"none", "skip_connect", "nor_conv_1x1",
                                                 "nor_conv_3x3", "avg_pool_3x3"};

// Reads from the front; places are counted from 1, in one line.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }

  Status expect(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return refuse(quote(wanted));
    at_ += wanted.size();
    return Ok{};
  }

  Result<CellOp> operation() {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      // No name is the beginning of another.
      if (text_.substr(at_, kNames[i].size()) != kNames[i]) continue;
      at_ += kNames[i].size();
      return static_cast<CellOp>(i);
    }
    return refuse("an operation");
  }

  Rejection refuse(std::string wanted) const {
    constexpr std::size_t kShown = 20;
    const std::string found = at_end() ? "the end" : quote(text_.substr(at_, kShown));
    return Rejection(Reason::BadSyntax, std::move(wanted), found, 1,
                     static_cast<std::int64_t>(at_) + 1);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

class Builder201 {
 public:
  explicit Builder201(const Cell& cell, const ZooOptions& options)
      : cell_(cell), net_("nasbench201", options) {}

  Result<Model> build() && {
    constexpr std::int64_t kWidth = 16, kClasses = 10, kImage = 32;
    constexpr int kCells = 5, kStages = 3;
    Value x =
        net_.conv(net_.input_image(3, kImage), "stem.0", {.out = net_.width(kWidth), .kernel = 3});
    x = net_.batch_norm(x, "stem.1");
    int index = 0;
    for (int stage = 0; stage < kStages; ++stage) {
      const std::int64_t width = net_.width(kWidth << stage);
      if (stage > 0) x = reduction(x, "cells." + std::to_string(index++), width);
      for (int i = 0; i < kCells; ++i) x = cell(x, "cells." + std::to_string(index++), width);
    }
    x = net_.relu(net_.batch_norm(x, "lastact.0"));
    net_.output(net_.linear(net_.global_mean(x, false), "classifier", net_.classes(kClasses)));
    return std::move(net_).finish();
  }

 private:
  Value relu_conv_bn(Value x, const std::string& name, const ConvSpec& spec) {
    return net_.batch_norm(net_.conv(net_.relu(x), name + ".1", spec), name + ".2");
  }

  Value cell(Value x, const std::string& name, std::int64_t width) {
    net_.builder().begin_block(name, "cell");
    std::array<Value, 4> nodes{x};
    for (std::size_t to = 1; to < nodes.size(); ++to) {
      std::optional<Value> sum;
      for (std::size_t from = 0; from < to; ++from) {
        const CellOp op = cell_.edge(from, to);
        if (op == CellOp::None) continue;
        const std::string place =
            name + ".edges." + std::to_string(to) + "<-" + std::to_string(from);
        const Value edge = operation(op, nodes[from], place, width);
        sum = sum ? net_.add(*sum, edge) : edge;
      }
      // The benchmark multiplies by 0 too: a norm behind it still adds its bias.
      nodes[to] = sum ? *sum : net_.mul(x, net_.scalar(name + ".none", 0));
    }
    net_.builder().end_block();
    return nodes.back();
  }

  Value operation(CellOp op, Value x, const std::string& name, std::int64_t width) {
    switch (op) {
      case CellOp::Conv1x1: return relu_conv_bn(x, name, {.out = width});
      case CellOp::Conv3x3: return relu_conv_bn(x, name, {.out = width, .kernel = 3});
      case CellOp::AvgPool3x3: return net_.pool(x, PoolFn::Average, 3, 1, Padding::Centered);
      case CellOp::SkipConnect:
      case CellOp::None: break;
    }
    return x;
  }

  Value reduction(Value x, const std::string& name, std::int64_t width) {
    net_.builder().begin_block(name, "reduction");
    Value y = relu_conv_bn(x, name + ".conv_a", {.out = width, .kernel = 3, .stride = 2});
    y = relu_conv_bn(y, name + ".conv_b", {.out = width, .kernel = 3});
    x = net_.pool(x, PoolFn::Average, 2, 2);
    x = net_.conv(x, name + ".downsample.1", {.out = width});
    x = net_.add(x, y);
    net_.builder().end_block();
    return x;
  }

  const Cell& cell_;
  Net net_;
};

}  // namespace

std::string Cell::text() const {
  std::string out;
  for (std::size_t to = 1; to < 4; ++to) {
    out += to == 1 ? "|" : "+|";
    for (std::size_t from = 0; from < to; ++from) {
      out += kNames[static_cast<std::size_t>(edge(from, to))];
      out += '~' + std::to_string(from) + '|';
    }
  }
  return out;
}

Result<Cell> parse_cell(std::string_view text) {
  Reader reader(text);
  Cell cell;
  std::size_t next = 0;
  for (std::size_t to = 1; to < 4; ++to) {
    CAMBIUM_REQUIRE(reader.expect(to == 1 ? "|" : "+|"));
    for (std::size_t from = 0; from < to; ++from) {
      CAMBIUM_TRY(cell.edges[next++], reader.operation());
      CAMBIUM_REQUIRE(reader.expect("~" + std::to_string(from) + "|"));
    }
  }
  if (!reader.at_end()) return reader.refuse("the end");
  return cell;
}

Result<Model> nasbench201(const Cell& cell, const ZooOptions& options) {
  return Builder201(cell, options).build();
}

}  // namespace cambium::model::zoo
