#include "schedule/steps/winograd.h"

#include <algorithm>

#include "expr/simplify.h"
#include "program/limits.h"
#include "program/prove.h"
#include "program/rewrite.h"
#include "program/verify.h"
#include "schedule/steps/identity.h"
#include "schedule/steps/place.h"
#include "schedule/steps/winograd_conv.h"
#include "schedule/steps/winograd_transforms.h"

namespace cambium::schedule {
namespace {

using namespace program;
using Indices = std::vector<Expr>;
using Dims = std::vector<std::int64_t>;
using Window = WinogradConv::Window;

class Maker {
 public:
  Maker(Context& cx, const Program& program, WinogradConv conv, std::int64_t tile)
      : cx_(cx),
        program_(program),
        conv_(std::move(conv)),
        tile_(tile),
        fresh_(cx, program),
        p_(axis("p", tile + 2)),
        q_(axis("q", tile + 2)) {}

  Result<Applied> run() {
    for (const Loop* loop : conv_.site.loops) fresh_.forget_loop(loop->name());
    const std::string name(conv_.site.block->name);
    transform_weights(name);
    transform_data(name);
    multiply(name);
    transform_back(name);
    Applied applied{program_, made_};
    const auto& loops = conv_.site.loops;
    Stmt old = loops.empty() ? static_cast<Stmt>(conv_.site.block) : loops.front();
    applied.program = replace(cx_, program_, old, cx_.seq(nests_));
    for (const Buffer* local : locals_) {
      CAMBIUM_REQUIRE(check_dims(local->dims));
      applied.program = add_local(cx_, applied.program, local);
      applied.made.emplace_back(local->name);
    }
    CAMBIUM_REQUIRE(check(cx_, applied.program, Stage::Scheduled));
    return applied;
  }

 private:
  Expr plus(Expr e, std::int64_t n) {
    return expr::simplify(cx_.indices(), expr::add(cx_.indices(), e, cx_.number(n)));
  }
  Expr times(Expr e, std::int64_t n) { return expr::mul(cx_.indices(), e, expr::Monomial::of(n)); }
  // An iterator named as none of the block's.
  Expr axis(std::string name, std::int64_t extent) {
    const auto& taken = conv_.body().iterators;
    while (std::any_of(taken.begin(), taken.end(),
                       [&](const Iterator& it) { return expr::name_of(it.axis) == name; })) {
      name += ".w";
    }
    return cx_.axis(name, extent);
  }
  std::int64_t tiles(const Window& w) const { return (conv_.extent(w) + tile_ - 1) / tile_; }
  DType type() const { return conv_.body().target->dtype; }

  const Buffer* local(const std::string& name, const Dims& dims) {
    locals_.push_back(cx_.buffer(fresh_.buffer(name), type(), dims, Role::Local));
    return locals_.back();
  }

  // A block in plain loops of its own, one per iterator.
  void add(std::string_view name, const std::vector<Iterator>& iterators, Body fields) {
    fields.iterators = iterators;
    Indices loops;
    for (const Iterator& it : iterators) {
      loops.push_back(fresh_.axis(expr::name_of(it.axis), it.extent()));
    }
    made_.emplace_back(name);
    nests_.push_back(nest(cx_, loops, cx_.block(name, cx_.body(fields), loops)));
  }
  void assign(const std::string& name, const std::vector<Iterator>& iterators, const Buffer* target,
              const Indices& at, Scalar value) {
    Body fields{};
    fields.target = target;
    fields.indices = at;
    fields.combine = Combine::Assign;
    fields.value = value;
    add(fresh_.block(name), iterators, fields);
  }
  Scalar of(Transform transform, Expr position, const std::vector<Scalar>& inputs) {
    return transformed(cx_, transform, tile_, position, inputs);
  }
  // In the type of the sums; a load of a narrower type has been widened already.
  Scalar in_type(Scalar s) { return s->type == type() ? s : cx_.cast(type(), s); }

  // One iterator per dimension of a buffer, but for the dimensions left out.
  std::vector<Iterator> over(const Buffer& buffer, std::size_t but, std::size_t and_but) {
    std::vector<Iterator> all;
    for (std::size_t d = 0; d < buffer.dims.size(); ++d) {
      if (d == but || d == and_but) continue;
      all.push_back({cx_.axis("d" + std::to_string(d), buffer.dims[d]), IteratorKind::Spatial});
    }
    return all;
  }
  static std::vector<Iterator> with(Expr first, Expr second, std::vector<Iterator> rest) {
    rest.insert(rest.begin(), {{first, IteratorKind::Spatial}, {second, IteratorKind::Spatial}});
    return rest;
  }
  static Indices axes(const std::vector<Iterator>& iterators) {
    Indices all;
    for (const Iterator& it : iterators) all.push_back(it.axis);
    return all;
  }
  static Dims extents(const std::vector<Iterator>& iterators) {
    Dims all;
    for (const Iterator& it : iterators) all.push_back(it.extent());
    return all;
  }

  // The second half of a transform: along the second position of what the first half made.
  Scalar along_second(Transform transform, const Buffer* rows, Indices at, Expr position) {
    std::vector<Scalar> inputs;
    for (std::int64_t i = 0; i < inputs_of(transform, tile_); ++i) {
      at[1] = cx_.number(i);
      inputs.push_back(cx_.load(rows, at));
    }
    return of(transform, position, inputs);
  }

  void transform_weights(const std::string& name) {
    const Buffer& w = *conv_.weights->buffer;
    const std::size_t kh = conv_.rows.weight_dim;
    const std::size_t kw = conv_.columns.weight_dim;
    const auto rest = over(w, kh, kw);
    Expr column = cx_.axis("k", inputs_of(Transform::Weights, tile_));
    const auto first = with(p_, column, rest);
    std::vector<Scalar> inputs;
    for (std::int64_t i = 0; i < inputs_of(Transform::Weights, tile_); ++i) {
      Indices at = axes(rest);
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(std::min(kh, kw)),
                kh < kw ? cx_.number(i) : column);
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(std::max(kh, kw)),
                kh < kw ? column : cx_.number(i));
      inputs.push_back(in_type(cx_.load(&w, at)));
    }
    const Buffer* rows = local(name + ".weights.rows", extents(first));
    assign(name + ".weights.rows", first, rows, axes(first), of(Transform::Weights, p_, inputs));
    const auto second = with(p_, q_, rest);
    weights_ = local(name + ".weights", extents(second));
    assign(name + ".weights", second, weights_, axes(second),
           along_second(Transform::Weights, rows, axes(second), q_));
  }

  // The data at a place that may lie beyond it, where zeros are.
  Scalar read(const Indices& at) {
    const Buffer& x = *conv_.data->buffer;
    Scalar value = in_type(cx_.load(&x, at));
    for (const Window* w : {&conv_.columns, &conv_.rows}) {
      Expr index = at[w->data_dim];
      const std::int64_t extent = x.dims[w->data_dim];
      if (stays_within(cx_, index, 0, extent, {}).proof == Proof::Yes) continue;
      Expr inside = expr::less(cx_.indices(), index, cx_.number(extent));
      value = cx_.select(cx_.index(inside), value, zero_of(cx_, type()));
    }
    return value;
  }

  void transform_data(const std::string& name) {
    const Buffer& x = *conv_.data->buffer;
    const std::size_t h = conv_.rows.data_dim;
    const std::size_t w = conv_.columns.data_dim;
    auto rest = over(x, x.dims.size(), x.dims.size());
    Expr tile_row = axis("th", tiles(conv_.rows));
    Expr tile_column = axis("tw", tiles(conv_.columns));
    rest[h].axis = tile_row;
    rest[w].axis = tile_column;
    Expr column = cx_.axis("c", inputs_of(Transform::Data, tile_));
    const auto first = with(p_, column, rest);
    Indices at = axes(rest);
    at[w] = plus(expr::add(cx_.indices(), times(tile_column, tile_), column), conv_.columns.offset);
    std::vector<Scalar> inputs;
    for (std::int64_t i = 0; i < inputs_of(Transform::Data, tile_); ++i) {
      at[h] = plus(times(tile_row, tile_), i + conv_.rows.offset);
      inputs.push_back(read(at));
    }
    const Buffer* rows = local(name + ".data.rows", extents(first));
    assign(name + ".data.rows", first, rows, axes(first), of(Transform::Data, p_, inputs));
    const auto second = with(p_, q_, rest);
    data_ = local(name + ".data", extents(second));
    assign(name + ".data", second, data_, axes(second),
           along_second(Transform::Data, rows, axes(second), q_));
  }

  // The iterators of the block without the taps, tiles instead of pixels.
  Iterator tiled(std::size_t i) {
    const Iterator& it = conv_.body().iterators[i];
    if (i == conv_.rows.out) return {axis("th", tiles(conv_.rows)), it.kind};
    if (i == conv_.columns.out) return {axis("tw", tiles(conv_.columns)), it.kind};
    return it;
  }

  // Spatial iterators in the order in which the target has them in memory.
  std::vector<std::size_t> spatial() const {
    const Body& body = conv_.body();
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      if (body.iterators[i].kind == IteratorKind::Spatial) all.push_back(i);
    }
    const auto stride = [&](std::size_t i) {
      return stride_of(*body.target, body.indices, body.iterators[i].axis).value_or(0);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](std::size_t a, std::size_t b) { return stride(a) > stride(b); });
    return all;
  }

  // The indices of a load without some dimensions, behind the positions.
  Indices at_position(Indices at, std::vector<std::size_t> but) const {
    std::sort(but.rbegin(), but.rend());
    for (std::size_t d : but) at.erase(at.begin() + static_cast<std::ptrdiff_t>(d));
    at.insert(at.begin(), {p_, q_});
    return at;
  }

  void multiply(const std::string& name) {
    const Body& body = conv_.body();
    std::vector<Iterator> iterators, result;
    for (std::size_t i : spatial()) result.push_back(tiled(i));
    result = with(p_, q_, result);
    iterators = result;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      if (body.iterators[i].kind != IteratorKind::Reduce || i == conv_.rows.tap ||
          i == conv_.columns.tap) {
        continue;
      }
      iterators.push_back(body.iterators[i]);
    }
    if (iterators.size() == result.size()) {  // nothing else is summed over
      iterators.push_back({axis("one", 1), IteratorKind::Reduce});
    }
    Indices at(conv_.data->indices.begin(), conv_.data->indices.end());
    at[conv_.rows.data_dim] = tiled(conv_.rows.out).axis;
    at[conv_.columns.data_dim] = tiled(conv_.columns.out).axis;
    const Indices weights_at =
        at_position(Indices(conv_.weights->indices.begin(), conv_.weights->indices.end()),
                    {conv_.rows.weight_dim, conv_.columns.weight_dim});
    products_ = local(name + ".products", extents(result));
    Body fields{};
    fields.target = products_;
    const Indices result_at = axes(result);
    fields.indices = result_at;
    fields.combine = Combine::Sum;
    fields.value = cx_.binary(BinaryFn::Mul, cx_.load(data_, at_position(at, {})),
                              cx_.load(weights_, weights_at));
    fields.init = zero_of(cx_, type());
    add(name, iterators, fields);
  }

  void transform_back(const std::string& name) {
    const Body& body = conv_.body();
    std::vector<Iterator> rest, pixels;
    Indices tile_of_pixel;
    for (std::size_t i : spatial()) {
      const Iterator& it = body.iterators[i];
      rest.push_back(tiled(i));
      pixels.push_back(it);
      const bool moves = i == conv_.rows.out || i == conv_.columns.out;
      tile_of_pixel.push_back(moves ? expr::div(cx_.indices(), it.axis, expr::Size(tile_))
                                    : it.axis);
    }
    Expr row = axis("r", tile_);
    const auto first = with(row, q_, rest);
    std::vector<Scalar> inputs;
    for (std::int64_t i = 0; i < inputs_of(Transform::Output, tile_); ++i) {
      Indices at = axes(first);
      at[0] = cx_.number(i);
      inputs.push_back(cx_.load(products_, at));
    }
    const Buffer* rows = local(name + ".output.rows", extents(first));
    assign(name + ".output.rows", first, rows, axes(first), of(Transform::Output, row, inputs));

    const auto within = [&](const Window& w) {
      return expr::mod(cx_.indices(), body.iterators[w.out].axis, expr::Size(tile_));
    };
    Indices at = tile_of_pixel;
    at.insert(at.begin(), {within(conv_.rows), q_});
    const Indices target_at(body.indices.begin(), body.indices.end());
    assign(name + ".output", pixels, body.target, target_at,
           along_second(Transform::Output, rows, at, within(conv_.columns)));
  }

  Context& cx_;
  const Program& program_;
  WinogradConv conv_;
  std::int64_t tile_;
  Fresh fresh_;
  Expr p_, q_;
  const Buffer *weights_ = nullptr, *data_ = nullptr, *products_ = nullptr;
  std::vector<const Buffer*> locals_;
  std::vector<Stmt> nests_;
  Names made_;
};

}  // namespace

Result<Applied> Winograd::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(WinogradConv conv, winograd_conv(cx, program, block));
  if (!is_winograd_tile(tile)) {
    return Rejection(Reason::BadFactors, block, "tiles of " + std::to_string(tile));
  }
  return Maker(cx, program, std::move(conv), tile).run();
}

}  // namespace cambium::schedule
