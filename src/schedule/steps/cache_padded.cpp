#include "schedule/steps/cache_padded.h"

#include <algorithm>
#include <optional>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/limits.h"
#include "program/rewrite.h"
#include "schedule/steps/identity.h"
#include "schedule/steps/place.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using program::ScalarKind;

bool is_zero_number(Scalar s) {
  return s->kind == ScalarKind::Const && is_floating(s->type) && s->number() == 0;
}
// select([condition], value, 0.0)
bool is_conditional(Scalar s) {
  return s->kind == ScalarKind::Select && s->operands[0]->kind == ScalarKind::Index &&
         is_zero_number(s->operands[2]);
}
bool is_product(Scalar s) {
  return s->kind == ScalarKind::Binary && s->binary() == program::BinaryFn::Mul;
}

Rejection no_such_sum(const Block& block, const char* why) {
  return Rejection(Reason::NotAContraction, std::string(block.name), why);
}

// What is multiplied under a condition.
struct Conditional {
  Expr condition = nullptr;
  Scalar data = nullptr;   // the load that the condition is for
  Scalar other = nullptr;  // the load that it is multiplied with
  bool data_first = true;
};

Result<Conditional> conditional_of(const Block& block) {
  const Body& body = *block.body;
  Scalar value = body.value;
  Conditional c;
  if (body.combine != program::Combine::Sum) return no_such_sum(block, "it is not a sum");
  if (is_conditional(value)) {
    c.condition = value->operands[0]->indices[0];
    value = value->operands[1];
  }
  if (!is_product(value)) return no_such_sum(block, "it is not a sum of products");
  Scalar factors[] = {value->operands[0], value->operands[1]};
  std::optional<std::size_t> data;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_conditional(factors[i])) continue;
    if (c.condition != nullptr) return no_such_sum(block, "it has several conditions");
    c.condition = factors[i]->operands[0]->indices[0];
    factors[i] = factors[i]->operands[1];
    data = i;
  }
  if (c.condition == nullptr) return no_such_sum(block, "it has no condition");
  for (std::size_t i = 0; i < 2; ++i) {
    if (factors[i]->kind != ScalarKind::Load || factors[i]->indices.empty()) {
      return no_such_sum(block, "a factor is not loaded");
    }
    if (!data && factors[i]->buffer->role != program::Role::Constant) data = i;
  }
  if (!data) return no_such_sum(block, "both factors are constant");
  c.data = factors[*data];
  c.other = factors[1 - *data];
  c.data_first = *data == 0;
  if (c.data->buffer == body.target) return no_such_sum(block, "it reads its own results");
  return c;
}

// One dimension of the copy.
struct CopyDim {
  Expr axis;  // of the block that copies
  Expr at;    // where the sum reads it, over the iterators of the sum
};

class CopyMaker {
 public:
  CopyMaker(Context& cx, const Program& program, const Block* block, const Conditional& conditional)
      : cx_(cx), program_(program), block_(block), c_(conditional), fresh_(cx, program) {}

  Result<Applied> run() {
    CAMBIUM_REQUIRE(divide());
    const std::string name = std::string(c_.data->buffer->name) + ".padded";
    Ints dims;
    std::vector<Iterator> iterators;
    std::vector<Expr> at, sum_at;
    for (const CopyDim& dim : dims_) {
      iterators.push_back({dim.axis, program::IteratorKind::Spatial});
      dims.push_back(iterators.back().extent());
      at.push_back(dim.axis);
      sum_at.push_back(dim.at);
    }
    CAMBIUM_REQUIRE(program::check_dims(dims));
    const Buffer* copy =
        cx_.buffer(fresh_.buffer(name), c_.data->buffer->dtype, dims, program::Role::Local);
    Body fields{};
    fields.iterators = iterators;
    fields.target = copy;
    fields.indices = at;
    fields.combine = program::Combine::Assign;
    fields.value = copied_value();
    std::vector<Expr> loops;
    Applied applied{program_, {std::string(fresh_.block(name)), std::string(copy->name)}};
    for (const Iterator& it : iterators) {
      loops.push_back(fresh_.axis(expr::name_of(it.axis), it.extent()));
      applied.made.emplace_back(expr::name_of(loops.back()));
    }
    const Stmt copying =
        nest(cx_, loops, cx_.block(cx_.name(applied.made[0]), cx_.body(fields), loops));
    put(applied.program, copying, copy, sum_at);
    CAMBIUM_REQUIRE(holds(cx_, applied.program,
                          {program::points_once, program::writes_apart, program::accesses_in_bounds,
                           program::reads_after_writes, program::parallel_independent}));
    return applied;
  }

 private:
  // Whether the condition asks for an iterator that moves this dimension of the data.
  bool is_asked(std::size_t d) const {
    return std::any_of(asked_.begin(), asked_.end(),
                       [&](Expr axis) { return program::uses(c_.data->indices[d], axis); });
  }

  std::string name_of_dim(std::size_t d) const { return "d" + std::to_string(d); }

  // The dimensions of the copy, and the condition over them.
  Status divide() {
    expr::Context& ex = cx_.indices();
    asked_ = program::axes_of(c_.condition);
    at_.resize(c_.data->indices.size());
    for (std::size_t d = 0; d < c_.data->indices.size(); ++d) {
      const Expr index = expr::simplify(ex, c_.data->indices[d]);
      if (is_asked(d)) {
        CAMBIUM_REQUIRE(divide_index(d, index));
        continue;
      }
      const expr::Interval range = index->range;
      if (range.lo < 0 || range.hi >= c_.data->buffer->dims[d]) {
        return no_box();
      }
      const Expr axis = cx_.axis(name_of_dim(d), range.hi - range.lo + 1);
      dims_.push_back({axis, minus(index, range.lo)});
      at_[d] = expr::add(ex, axis, cx_.number(range.lo));
    }
    // Each iterator that was asked for in one dimension, and nothing else asked for.
    if (windows_.empty() || seen_ != asked_.size()) return no_box();
    condition_ = replaced(cx_, c_.condition, singles_);
    for (Expr left : program::axes_of(condition_)) {
      if (std::find(windows_.begin(), windows_.end(), left) == windows_.end()) return no_box();
    }
    return Ok{};
  }

  Rejection no_box() const {
    return Rejection(Reason::NotABox, std::string(block_->name),
                     std::string(c_.data->buffer->name));
  }
  Expr minus(Expr e, std::int64_t n) {
    return expr::simplify(cx_.indices(), expr::sub(cx_.indices(), e, cx_.number(n)));
  }

  // index = first + sum over others of coefficient*axis + window, where the condition asks about
  // the window alone.
  Status divide_index(std::size_t d, Expr index) {
    expr::Context& ex = cx_.indices();
    expr::Linear sum;
    if (!sum.add_scaled(index, expr::Monomial::of(1))) return no_box();
    Expr window = cx_.number(0), rest = cx_.number(0);
    Expr single = nullptr;  // an iterator of the window that moves it by 1
    for (const expr::Term& term : sum.terms()) {
      const Expr part = expr::build(ex, term);
      if (term.atom == nullptr) {
        rest = expr::add(ex, rest, part);
        continue;
      }
      if (term.atom->kind != expr::Kind::Axis) return no_box();
      if (std::find(asked_.begin(), asked_.end(), term.atom) != asked_.end()) {
        if (term.coefficient.factor < 0) return no_box();
        window = expr::add(ex, window, part);
        if (term.coefficient.factor == 1) single = term.atom;
        ++seen_;
        continue;
      }
      const Expr axis = cx_.axis(name_of_dim(d) + "." + std::to_string(dims_.size()),
                                 expr::value_of(expr::extent_of(term.atom)).factor);
      dims_.push_back({axis, term.atom});
      const expr::Replacement by{term.atom, axis};
      rest = expr::add(ex, rest, expr::substitute(ex, part, std::span(&by, 1)));
    }
    if (single == nullptr) return no_box();
    window = expr::simplify(ex, window);
    const Expr within = cx_.axis(name_of_dim(d), window->range.hi + 1);
    dims_.push_back({within, window});
    windows_.push_back(within);
    at_[d] = expr::simplify(ex, expr::add(ex, rest, within));
    // The condition where the window is `within`: the single iterator is what others leave of it.
    singles_.push_back({single, expr::sub(ex, within, expr::sub(ex, window, single))});
    return Ok{};
  }

  // The block that alone fills the data from something smaller and zeros; nullptr: none.
  const Body* padding_of_data() const {
    const Buffer* data = c_.data->buffer;
    if (data->role != program::Role::Local) return nullptr;
    const std::vector<Site> sites = program::sites_of(program_);
    const auto writers = program::writers_of(sites, data);
    if (writers.size() != 1 || program::home_of(sites, data) != nullptr) return nullptr;
    const Body& body = *sites[writers[0]].block->body;
    const bool is_padding =
        body.combine == program::Combine::Assign && is_conditional(body.value) &&
        body.value->operands[1]->kind == ScalarKind::Load &&
        body.value->operands[1]->buffer->role != program::Role::Local &&
        std::all_of(body.indices.begin(), body.indices.end(), [&](Expr e) {
          return std::count_if(body.iterators.begin(), body.iterators.end(),
                               [e](const Iterator& it) { return it.axis == e; }) == 1;
        });
    return is_padding ? &body : nullptr;
  }

  Scalar copied_value() {
    const Buffer* data = c_.data->buffer;
    const DType type = program::value_type(data->dtype);
    Scalar read = cx_.load(data, at_);
    Expr condition = condition_;
    if (const Body* padding = padding_of_data()) {
      Replacements point;
      for (std::size_t d = 0; d < at_.size(); ++d) point.push_back({padding->indices[d], at_[d]});
      const auto map = program::substituting(cx_, point);
      read = program::rewrite(cx_, padding->value->operands[1], map, program::keep_access());
      condition = expr::simplify(cx_.indices(),
                                 expr::logical_and(cx_.indices(), condition,
                                                   map(padding->value->operands[0]->indices[0])));
    }
    if (condition->kind == expr::Kind::Bool) {
      return expr::truth_of(condition) ? read : zero_of(cx_, type);
    }
    return cx_.select(cx_.index(condition), read, zero_of(cx_, type));
  }

  void put(Program& program, Stmt copying, const Buffer* copy, const std::vector<Expr>& at) {
    std::vector<const Buffer*> read = read_locals(program);
    const Scalar load = cx_.load(copy, at);
    Body fields = *block_->body;
    fields.value = cx_.binary(program::BinaryFn::Mul, c_.data_first ? load : c_.other,
                              c_.data_first ? c_.other : load);
    const Site site = program::find_site(program, block_->name);
    const Stmt outermost = child_with(program, nullptr, site);
    program = insert_before(cx_, program, outermost, copying);
    program = program::replace(cx_, program, program::find_block(program, block_->name),
                               program::with_body(cx_, *block_, cx_.body(fields)));
    program = program::add_local(cx_, program, copy);
    program = without_unread(cx_, program, std::move(read));
  }

  Context& cx_;
  const Program& program_;
  const Block* block_;
  Conditional c_;
  Fresh fresh_;
  std::vector<Expr> asked_;  // axes of the condition
  std::size_t seen_ = 0;     // of these, so many move a dimension of the data
  std::vector<CopyDim> dims_;
  std::vector<Expr> windows_;  // dimensions that the condition is about
  Replacements singles_;       // an iterator of each window, by what others leave of it
  std::vector<Expr> at_;       // where the copy is read from the data
  Expr condition_ = nullptr;
};

}  // namespace

Result<Applied> CachePadded::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  CAMBIUM_TRY(const Conditional conditional, conditional_of(*found));
  return CopyMaker(cx, program, found, conditional).run();
}

}  // namespace cambium::schedule
