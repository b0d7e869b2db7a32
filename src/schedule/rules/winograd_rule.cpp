#include "schedule/rules/winograd_rule.h"

#include <algorithm>

#include "schedule/rules/sites.h"
#include "schedule/rules/tile_parts.h"
#include "schedule/steps/winograd_conv.h"

namespace cambium::schedule {
namespace {

using program::Block;
using program::Body;
using program::Buffer;
using program::Expr;
using program::Role;
using program::Site;

// The loop of an iterator that has just one.
Result<std::string> loop_of(const Program& program, const std::string& block, Expr iterator) {
  const Site site = site_of(program, block);
  const auto& all = site.block->body->iterators;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].axis != iterator) continue;
    const auto loops = loops_feeding(site, i);
    if (loops.size() == 1) return std::string(loops[0]->name());
  }
  return Rejection(Reason::NothingToDo, "winograd", "an iterator has no loop of its own");
}

// The loop along which a block's target moves by one element falls apart: vectors, and lanes.
struct Lanes {
  std::string vectors, lanes;
};
Result<Lanes> split_lanes(Draft& draft, const std::string& block) {
  const Body& body = *site_of(draft, block).block->body;
  const auto lane = lane_iterator(body);
  if (!lane) return Rejection(Reason::NothingToDo, "winograd", "a transform has no lanes");
  CAMBIUM_TRY(const std::string loop, loop_of(draft.program(), block, body.iterators[*lane].axis));
  const std::int64_t lanes = draft.machine().lanes(size_of(body.target->dtype));
  CAMBIUM_TRY(const Names made, draft.apply(Split{loop, {0, lanes}, Tail::Guard}));
  return Lanes{made[0], made[1]};
}

Status hold_in_registers(Draft& draft, const std::string& block) {
  const std::string local(site_of(draft, block).block->body->target->name);
  CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Buffer, local, "space", "register", 0}));
  return Ok{};
}

// Tile by tile, and vector by vector of channels: for each position along the first dimension the
// first half, and then from its results the second.
Status schedule_data(Draft& draft, const std::string& rows, const std::string& block) {
  const auto& iterators = site_of(draft, block).block->body->iterators;
  CAMBIUM_TRY(const std::string p, loop_of(draft.program(), block, iterators[0].axis));
  CAMBIUM_TRY(const std::string q, loop_of(draft.program(), block, iterators[1].axis));
  CAMBIUM_TRY(const Lanes split, split_lanes(draft, block));
  CAMBIUM_REQUIRE(put_innermost(draft, block, {split.vectors, p, q, split.lanes}));
  CAMBIUM_TRY(const Names inner, draft.apply(ComputeAt{rows, p}));
  CAMBIUM_REQUIRE(make_tile(draft, inner));
  CAMBIUM_REQUIRE(make_tile(draft, {p, q, split.lanes}));
  return hold_in_registers(draft, rows);
}

// The same backwards. Both halves of a whole tile stand together, so that each product is read
// once.
Status schedule_output(Draft& draft, const std::string& rows, const std::string& block,
                       std::int64_t tile, Expr row, Expr column) {
  CAMBIUM_TRY(const std::string row_loop, loop_of(draft.program(), block, row));
  CAMBIUM_TRY(const std::string column_loop, loop_of(draft.program(), block, column));
  CAMBIUM_TRY(const Lanes split, split_lanes(draft, block));
  CAMBIUM_TRY(const Names r, draft.apply(Split{row_loop, {0, tile}, Tail::Guard}));
  CAMBIUM_TRY(const Names c, draft.apply(Split{column_loop, {0, tile}, Tail::Guard}));
  CAMBIUM_REQUIRE(
      put_innermost(draft, block, {r[0], c[0], split.vectors, r[1], c[1], split.lanes}));
  CAMBIUM_TRY(const Names inner, draft.apply(ComputeAt{rows, split.vectors}));
  if (inner.size() == 3) CAMBIUM_REQUIRE(draft.apply(Reorder{{inner[1], inner[0], inner[2]}}));
  CAMBIUM_REQUIRE(make_tile(draft, inner));
  CAMBIUM_REQUIRE(make_tile(draft, {r[1], c[1], split.lanes}));
  CAMBIUM_REQUIRE(hold_in_registers(draft, rows));
  CAMBIUM_REQUIRE(cut_tail(draft, c[0]));
  return cut_tail(draft, r[0]);
}

// Where the last tiles reach beyond the data, its producer makes zeros there: transforms then have
// no conditions. Data that is a parameter is read with conditions.
void widen_data(Draft& draft, const WinogradConv& conv, std::int64_t tile) {
  const Buffer& x = *conv.data->buffer;
  const Block* writer = only_writer(draft.program(), &x);
  if (writer == nullptr || x.role != Role::Local) return;
  const std::string name(writer->name);
  for (const WinogradConv::Window* w : {&conv.rows, &conv.columns}) {
    const std::int64_t tiles = (conv.extent(*w) + tile - 1) / tile;
    const std::int64_t wanted = tile * tiles + 2 + w->offset;
    if (x.dims[w->data_dim] >= wanted) continue;
    const Expr index = writer->body->indices[w->data_dim];
    if (index->kind != expr::Kind::Axis) return;
    static_cast<void>(draft.apply(PadToMultiple{name, std::string(expr::name_of(index)), wanted}));
    writer = program::find_block(draft.program(), name);
  }
}

// Where pixels are written, and by which iterators.
struct Last {
  std::string block;
  Expr row, column;
};

// The iterator with which a reader moves along the dimension of `buffer` that `axis` alone indexes.
Expr iterator_of_reader(const Body& writer, Expr axis, const Block& reader) {
  const auto at = std::find(writer.indices.begin(), writer.indices.end(), axis);
  if (at == writer.indices.end()) return nullptr;
  Expr index = nullptr;
  program::for_each_scalar(reader.body->value, [&](program::Scalar s) {
    if (s->buffer == writer.target)
      index = s->indices[static_cast<std::size_t>(at - writer.indices.begin())];
  });
  return index != nullptr && index->kind == expr::Kind::Axis ? index : nullptr;
}

// An elementwise block behind the output transform takes it in, so that results are written once.
Last with_epilogue(Draft& draft, Last last) {
  const Body& body = *site_of(draft, last.block).block->body;
  const Block* reader =
      body.target->role == Role::Local ? only_reader(draft.program(), body.target) : nullptr;
  if (reader == nullptr || is_reduction(*reader->body)) return last;
  const Last then{std::string(reader->name), iterator_of_reader(body, last.row, *reader),
                  iterator_of_reader(body, last.column, *reader)};
  if (then.row == nullptr || then.column == nullptr) return last;
  return draft.apply(Inline{last.block}).ok() ? then : last;
}

// What a way to compute the convolution costs, in products: what is multiplied, at most as fast as
// weights come from a far cache, and the making and taking apart of tiles. The factors are
// measured.
double cost_of(const WinogradConv& conv, std::int64_t tile, const Machine& machine) {
  constexpr double kPerWeight = 8, kPerElement = 8;
  const Body& body = conv.body();
  double products = 1, results = 1, weights = 1;
  for (const program::Iterator& it : body.iterators) products *= static_cast<double>(it.extent());
  for (const program::Iterator& it : body.iterators) {
    if (it.kind == program::IteratorKind::Spatial) results *= static_cast<double>(it.extent());
  }
  weights = static_cast<double>(conv.weights->buffer->elements());
  double data = static_cast<double>(conv.data->buffer->elements());
  double elements = 0;
  if (tile > 0) {
    const auto positions = static_cast<double>((tile + 2) * (tile + 2));
    double tiles = 1, pixels = 1, read = 1;
    for (const WinogradConv::Window* w : {&conv.rows, &conv.columns}) {
      tiles *= static_cast<double>((conv.extent(*w) + tile - 1) / tile);
      pixels *= static_cast<double>(conv.extent(*w));
      read *= static_cast<double>(conv.data->buffer->dims[w->data_dim]);
    }
    products *= positions * tiles / (9 * pixels);
    elements = positions * tiles * (results / pixels + data / read);
    weights *= positions / 9;
  }
  const bool is_near = weights * static_cast<double>(size_of(body.target->dtype)) <
                       static_cast<double>(machine.l2_bytes);
  return std::max(products, is_near ? 0 : kPerWeight * weights) + kPerElement * elements;
}

// How often each way is tried: the faster the more often.
Ints weights_of(const std::vector<double>& costs) {
  const double best = *std::min_element(costs.begin(), costs.end());
  Ints weights;
  for (double cost : costs) {
    weights.push_back(1 + static_cast<std::int64_t>(99 * (best / cost) * (best / cost)));
  }
  return weights;
}

}  // namespace

Status use_winograd(Draft& draft, const std::string& block) {
  const auto found = winograd_conv(draft.context(), draft.program(), block);
  if (!found.ok()) {
    return Rejection(Reason::NothingToDo, "winograd", found.rejection().message());
  }
  const WinogradConv& conv = *found;
  std::vector<double> costs;
  for (const std::int64_t tile : {0, 2, 4}) costs.push_back(cost_of(conv, tile, draft.machine()));
  if (std::min(costs[1], costs[2]) > costs[0]) {
    return Rejection(Reason::NothingToDo, "winograd", "transforms would cost more than they save");
  }
  const std::size_t choice =
      draft.branch("algorithm", {"direct", "F(2x2)", "F(4x4)"}, 0, weights_of(costs));
  if (choice == 0) return Ok{};
  const std::int64_t tile = choice == 1 ? 2 : 4;
  widen_data(draft, conv, tile);
  const Expr row = conv.body().iterators[conv.rows.out].axis;
  const Expr column = conv.body().iterators[conv.columns.out].axis;
  CAMBIUM_TRY(const Names made, draft.apply(Winograd{block, tile}));
  const Last last = with_epilogue(draft, {made[6], row, column});
  CAMBIUM_REQUIRE(schedule_output(draft, made[5], last.block, tile, last.row, last.column));
  return schedule_data(draft, made[2], made[3]);
}

}  // namespace cambium::schedule
