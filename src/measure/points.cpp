#include "measure/points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "program/arithmetic.h"
#include "program/tape.h"
#include "program/walk.h"

namespace cambium::measure {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): this file is about its nodes

// A number of any type: whole ones exactly, with an error where they come from floating ones.
struct Number {
  double value = 0;
  double error = 0;
  std::int64_t whole = 0;

  Estimate estimate() const { return {value, error}; }
};

Number of_whole(std::int64_t whole, DType type, double error = 0) {
  return {floating_from<double>(whole, type), error, whole};
}

template <class F>
decltype(auto) with_unary(UnaryFn fn, const F& f) {
  switch (fn) {
#define CAMBIUM_X(enumerator, ...) \
  case UnaryFn::enumerator: return f(std::integral_constant<UnaryFn, UnaryFn::enumerator>());
    CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return f(std::integral_constant<UnaryFn, UnaryFn::Neg>());
}

template <class F>
decltype(auto) with_binary(BinaryFn fn, const F& f) {
  switch (fn) {
#define CAMBIUM_X(enumerator, ...) \
  case BinaryFn::enumerator: return f(std::integral_constant<BinaryFn, BinaryFn::enumerator>());
    CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return f(std::integral_constant<BinaryFn, BinaryFn::Add>());
}

bool is_true(Expr e) {
  return e == nullptr || (e->kind == expr::Kind::Bool && expr::truth_of(e));
}

// One block: its iterators on a tape, and which spatial point writes which element.
struct Writer {
  Writer(const Block& b, std::vector<Expr> spatial_axes, std::vector<Expr> reduce_axes,
         const std::vector<Expr>& all)
      : block(&b),
        body(b.body),
        tape(all),
        spatial(std::move(spatial_axes)),
        reduce(std::move(reduce_axes)) {}

  const Block* block;
  const Body* body;
  Tape tape;
  std::vector<Expr> spatial, reduce;
  std::vector<std::size_t> places;                // in the point, of spatial then reduce iterators
  std::vector<std::size_t> target;                // on the tape
  std::unordered_map<Expr, std::size_t> indices;  // on the tape
  std::vector<std::int32_t> point_of;             // per element: number of the spatial point, or -1

  void compile() {
    for (Expr e : body->indices) target.push_back(tape.add(e));
    for (Scalar root : {body->value, body->init}) {
      if (root == nullptr) continue;
      for_each_scalar(root, [this](Scalar s) {
        for (Expr e : s->indices) indices.emplace(e, tape.add(e));
      });
    }
  }

  // Sets the iterators. The tape's axes are the iterators in the order of the body.
  void go_to(std::span<const std::int64_t> spatial_point, std::span<const std::int64_t> reduced) {
    std::vector<std::int64_t> point(places.size());
    for (std::size_t i = 0; i < spatial_point.size(); ++i) point[places[i]] = spatial_point[i];
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      point[places[spatial.size() + i]] = reduced[i];
    }
    tape.evaluate(point);
  }

  void invert() {
    if (!point_of.empty()) return;
    point_of.assign(static_cast<std::size_t>(body->target->elements()), -1);
    const std::vector<std::int64_t> zeros(reduce.size());
    std::int32_t number = 0;
    for_each_point(spatial, [&](std::span<const std::int64_t> point) {
      go_to(point, zeros);
      std::int64_t at = 0;
      bool inside = true;
      for (std::size_t d = 0; d < target.size(); ++d) {
        const std::int64_t extent = body->target->dims[d];
        inside = inside && tape[target[d]] >= 0 && tape[target[d]] < extent;
        at = at * extent + tape[target[d]];
      }
      if (inside) point_of[static_cast<std::size_t>(at)] = number;
      ++number;
      return true;
    });
  }
};

}  // namespace

struct Points::State {
  std::vector<const Buffer*> outputs;
  std::unordered_map<const Buffer*, const Array*> given;
  std::unordered_map<const Buffer*, std::vector<Writer>> writers;
  std::unordered_map<const Buffer*, std::unordered_map<std::int64_t, Number>> known;
  std::int64_t budget = 0;
  bool failed = false;

  Number load(const Buffer* buffer, std::int64_t at);
  Number compute(const Buffer* buffer, std::int64_t at);
  Number reduce(Writer& writer, std::span<const std::int64_t> point, Number before);
  Number value(Writer& writer, Scalar scalar);
  Number unary(Scalar scalar, Number a);
  Number binary(Scalar scalar, Number a, Number b);
  Number select(Writer& writer, Scalar scalar);
  Number cast(DType from, DType to, Number a) const;
  std::int64_t place(Writer& writer, Scalar scalar);
};

// Elements of inputs are exact.
Number Points::State::load(const Buffer* buffer, std::int64_t at) {
  if (at < 0 || at >= buffer->elements() || --budget < 0) failed = true;
  if (failed) return {};
  const auto argument = given.find(buffer);
  if (argument == given.end()) {
    auto& cache = known[buffer];
    const auto found = cache.find(at);
    if (found != cache.end()) return found->second;
    const Number number = compute(buffer, at);
    known[buffer][at] = number;
    return number;
  }
  return std::visit(
      [&](const auto& elements) -> Number {
        const auto element = elements[static_cast<std::size_t>(at)];
        if constexpr (std::is_integral_v<std::remove_const_t<decltype(element)>>) {
          return of_whole(element, buffer->dtype);
        } else {
          return {stored(static_cast<double>(element), buffer->dtype), 0, 0};
        }
      },
      argument->second->elements);
}

// What the blocks that write the element leave there, one after the other.
Number Points::State::compute(const Buffer* buffer, std::int64_t at) {
  Number number;
  bool is_written = false;
  for (Writer& writer : writers[buffer]) {
    writer.invert();
    std::int64_t rest = writer.point_of[static_cast<std::size_t>(at)];
    if (rest < 0) continue;
    is_written = true;
    std::vector<std::int64_t> point(writer.spatial.size());
    for (std::size_t i = point.size(); i > 0; --i) {
      const std::int64_t extent = expr::value_of(expr::extent_of(writer.spatial[i - 1])).factor;
      point[i - 1] = rest % extent;
      rest /= extent;
    }
    number = reduce(writer, point, number);
  }
  if (!is_written) failed = true;
  return number;
}

Number Points::State::reduce(Writer& writer, std::span<const std::int64_t> point, Number before) {
  const Body& body = *writer.body;
  const DType stored_as = body.target->dtype;
  const double u = unit_roundoff(stored_as);
  const std::vector<std::int64_t> zeros(writer.reduce.size());
  writer.go_to(point, zeros);
  if (body.combine == Combine::Assign) {
    Number number = value(writer, body.value);
    if (stored_as == DType::F16 || stored_as == DType::BF16) {
      number.error += u * std::abs(number.value);
    }
    return number;
  }
  Number total = body.init == nullptr ? before : value(writer, body.init);
  double magnitude = std::abs(total.value), relative = 0;
  std::int64_t terms = 1;
  for_each_point(writer.reduce, [&](std::span<const std::int64_t> reduced) {
    writer.go_to(point, reduced);
    const Number term = value(writer, body.value);
    ++terms;
    magnitude += std::abs(term.value);
    relative += u + (term.error > 0 ? term.error / std::max(std::abs(term.value), 1e-300) : 0);
    const double sum_of_errors = total.error + term.error;
    const double larger_error = std::max(total.error, term.error);
    with_binary(function_of(body.combine), [&](auto fn) {
      if (is_floating(stored_as)) {
        total.value = apply<decltype(fn)::value>(total.value, term.value);
      } else {
        total = of_whole(apply_whole<decltype(fn)::value>(total.whole, term.whole, stored_as),
                         stored_as);
      }
    });
    total.error = body.combine == Combine::Sum ? sum_of_errors : larger_error;
    return !failed;
  });
  if (body.combine == Combine::Sum) total.error += sum_growth(terms) * u * magnitude;
  if (body.combine == Combine::Product) total.error = relative * std::abs(total.value);
  return total;
}

std::int64_t Points::State::place(Writer& writer, Scalar scalar) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < scalar->buffer->dims.size(); ++d) {
    const std::int64_t extent = scalar->buffer->dims[d];
    const std::int64_t index = scalar->kind == ScalarKind::Gather
                                   ? value(writer, scalar->operands[d]).whole
                                   : writer.tape[writer.indices.at(scalar->indices[d])];
    if (index < 0 || index >= extent) failed = true;
    at = at * extent + index;
  }
  return at;
}

Number Points::State::value(Writer& writer, Scalar scalar) {
  if (failed || --budget < 0) {
    failed = true;
    return {};
  }
  const auto operand = [&](std::size_t i) { return value(writer, scalar->operands[i]); };
  switch (scalar->kind) {
    case ScalarKind::Const:
      return is_floating(scalar->type) ? Number{scalar->number(), 0, 0}
                                       : of_whole(scalar->whole(), scalar->type);
    case ScalarKind::Index:
      return of_whole(writer.tape[writer.indices.at(scalar->indices[0])], scalar->type);
    case ScalarKind::Load:
    case ScalarKind::Gather: return load(scalar->buffer, place(writer, scalar));
    case ScalarKind::Unary: return unary(scalar, operand(0));
    case ScalarKind::Binary: {
      const Number a = operand(0);
      return binary(scalar, a, operand(1));
    }
    case ScalarKind::Select: return select(writer, scalar);
    case ScalarKind::Cast: return cast(scalar->operands[0]->type, scalar->type, operand(0));
  }
  return {};
}

// The other side counts too where rounding may have decided.
Number Points::State::select(Writer& writer, Scalar scalar) {
  const Number condition = value(writer, scalar->operands[0]);
  Number chosen = value(writer, scalar->operands[condition.whole != 0 ? 1 : 2]);
  if (condition.error > 0) {
    const Number other = value(writer, scalar->operands[condition.whole != 0 ? 2 : 1]);
    chosen.error += other.error + std::abs(chosen.value - other.value);
  }
  return chosen;
}

Number Points::State::unary(Scalar scalar, Number a) {
  const DType type = scalar->operands[0]->type;
  return with_unary(scalar->unary(), [&](auto fn) -> Number {
    constexpr UnaryFn kFn = decltype(fn)::value;
    if constexpr (kFn == UnaryFn::IsNan) return of_whole(std::isnan(a.value) ? 1 : 0, DType::Bool);
    if (!is_floating(type)) return of_whole(apply_whole<kFn>(a.whole, type), type, a.error);
    const Estimate e = rounded(kFn, a.estimate(), apply<kFn>(a.value), unit_roundoff(scalar->type));
    return {e.value, e.error, 0};
  });
}

Number Points::State::binary(Scalar scalar, Number a, Number b) {
  const DType type = scalar->operands[0]->type;
  return with_binary(scalar->binary(), [&](auto fn) -> Number {
    constexpr BinaryFn kFn = decltype(fn)::value;
    if (!is_floating(type)) {
      Number result = of_whole(apply_whole<kFn>(a.whole, b.whole, type), scalar->type);
      if (a.error + b.error > 0) {
        result.error = rounded(kFn, a.estimate(), b.estimate(), result.value, 0).error;
      }
      return result;
    }
    if constexpr (gives_truth(kFn)) {
      const bool truth = holds<kFn>(a.value, b.value);
      const Estimate e = rounded(kFn, a.estimate(), b.estimate(), truth ? 1 : 0, 0);
      return {e.value, e.error, truth ? 1 : 0};
    }
    const Estimate e = rounded(kFn, a.estimate(), b.estimate(), apply<kFn>(a.value, b.value),
                               unit_roundoff(scalar->type));
    return {e.value, e.error, 0};
  });
}

Number Points::State::cast(DType from, DType to, Number a) const {
  if (is_floating(to)) {
    const bool rounds = !is_floating(from) || size_of(to) < size_of(from);
    return {a.value, a.error + (rounds ? unit_roundoff(to) * std::abs(a.value) : 0), 0};
  }
  if (!is_floating(from)) {
    return of_whole(to == DType::Bool ? (a.whole != 0 ? 1 : 0) : wrap(a.whole, to), to, a.error);
  }
  const double error = rounded(UnaryFn::Floor, a.estimate(), a.value, 0).error;
  return of_whole(whole_from(a.value, to), to, std::ceil(error + (a.error >= 1 ? a.error : 0)));
}

namespace {

// A block whose iterators are loops of their own, each running through all its values.
Result<Writer> writer_of(const Block& block) {
  std::vector<Expr> spatial, reduce, all, seen;
  bool is_plain = is_true(block.predicate);
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    const Iterator& iterator = block.body->iterators[i];
    const Expr binding = block.bindings[i];
    all.push_back(iterator.axis);
    (iterator.kind == IteratorKind::Spatial ? spatial : reduce).push_back(iterator.axis);
    is_plain = is_plain && std::find(seen.begin(), seen.end(), binding) == seen.end();
    const bool is_loop = binding->kind == expr::Kind::Axis &&
                         expr::value_of(expr::extent_of(binding)).factor == iterator.extent();
    // An iterator that takes one value only may be bound to it.
    is_plain = is_plain && (is_loop || iterator.extent() == 1);
    if (is_loop) seen.push_back(binding);
  }
  const bool fits = points_of(spatial) < std::numeric_limits<std::int32_t>::max();
  if (!is_plain || !fits) {
    return Rejection(Reason::WrongArgument, "program",
                     "block '" + std::string(block.name) + "' is scheduled already, or too large");
  }
  Writer writer(block, spatial, reduce, all);
  for (const auto& group : {spatial, reduce}) {
    for (Expr axis : group) {
      writer.places.push_back(
          static_cast<std::size_t>(std::find(all.begin(), all.end(), axis) - all.begin()));
    }
  }
  writer.compile();
  return writer;
}

}  // namespace

Points::Points(std::unique_ptr<State> state) : state_(std::move(state)) {}
Points::Points(Points&&) noexcept = default;
Points& Points::operator=(Points&&) noexcept = default;
Points::~Points() = default;

Result<Points> Points::of(const Program& program, std::span<const Array> arguments) {
  auto state = std::make_unique<State>();
  std::size_t next = 0;
  for (const Buffer* buffer : program.parameters) {
    if (buffer->role == Role::Output) {
      state->outputs.push_back(buffer);
    } else if (next < arguments.size() && arguments[next].size() == buffer->elements()) {
      state->given.emplace(buffer, &arguments[next++]);
    } else {
      return Rejection(Reason::WrongArgument, std::string(buffer->name), "it is missing");
    }
  }
  for (const Site& site : sites_of(program)) {
    CAMBIUM_TRY(Writer writer, writer_of(*site.block));
    state->writers[site.block->body->target].push_back(std::move(writer));
  }
  return Points(std::move(state));
}

std::optional<Estimate> Points::at(std::size_t output, std::int64_t element, std::int64_t budget) {
  state_->budget = budget;
  state_->failed = false;
  const Number number = state_->load(state_->outputs[output], element);
  if (state_->failed) {
    state_->known.clear();  // what was cut short is wrong
    return std::nullopt;
  }
  return number.estimate();
}

}  // namespace cambium::measure
