#include <algorithm>
#include <map>
#include <unordered_map>

#include "program/analysis.h"
#include "program/interpret_code.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kLargestElements = std::int64_t{1} << 31;

Form form_of(DType dtype, Precision precision) {
  if (!is_floating(dtype)) return Form::Whole;
  return dtype == DType::F64 || precision == Precision::Double ? Form::F64 : Form::F32;
}

// A sum of loops, other index expressions and a number.
struct Sum {
  std::map<std::uint32_t, std::int64_t> loops;  // by number
  std::vector<std::pair<Expr, std::int64_t>> others;
  std::int64_t number = 0;
};

class Compiler {
 public:
  Compiler(Context& cx, const Program& program, Precision precision)
      : cx_(cx), program_(program), precision_(precision), sites_(sites_of(program)) {}

  Result<std::unique_ptr<const InterpreterCode>> compile() {
    std::int64_t total = 0;
    for (const auto& group : {program_.parameters, program_.locals}) {
      for (const Buffer* buffer : group) {
        total += buffer->elements();
        if (total > kLargestElements) {
          return Rejection(Reason::TooLarge, "program " + std::string(program_.name), {}, total,
                           kLargestElements);
        }
        declare(buffer);
      }
    }
    for_each_stmt(program_, [&](Stmt s, const std::vector<const Loop*>&) {
      if (const Loop* loop = as_loop(s)) number(*loop);
    });
    CAMBIUM_TRY(code_->root, task(program_.root));
    return std::unique_ptr<const InterpreterCode>(std::move(code_));
  }

 private:
  void declare(const Buffer* buffer) {
    const auto memory = static_cast<std::uint32_t>(code_->memories.size());
    memories_[buffer] = memory;
    code_->memories.push_back({buffer->dtype, program::form_of(buffer->dtype, precision_),
                               buffer->elements(), nullptr, nullptr, 1});
    code_->memory_names.emplace_back(buffer->name);
    code_->is_stamped.push_back(buffer->role == Role::Output || buffer->role == Role::Local);
    if (buffer->role != Role::Local) {
      code_->parameters.push_back({std::string(buffer->name), buffer->role, memory});
    }
    homes_[buffer] = home_of(sites_, buffer);
  }

  void number(const Loop& loop) {
    const auto n = static_cast<std::uint32_t>(code_->loops.size());
    if (loops_.emplace(&loop, n).second) {
      code_->loops.push_back(loop.axis);
      steps_.emplace_back();
    }
  }

  Result<Task> task(Stmt s) {
    Task made;
    made.kind = s->kind;
    if (const Loop* loop = as_loop(s)) {
      made.extent = loop->extent();
      made.is_parallel = loop->how == LoopKind::Parallel;
      made.loop = loops_.at(loop);
      for (const Buffer* local : program_.locals) {
        if (homes_.at(local) == loop) made.born.push_back(memories_.at(local));
      }
      scope_.emplace_back(loop->axis, made.loop);
      CAMBIUM_TRY(Task child, task(loop->body));
      scope_.pop_back();
      made.children.push_back(std::move(child));
      made.steps = steps_[made.loop];
      steps_[made.loop].clear();
    } else if (const Seq* seq = as_seq(s)) {
      for (Stmt inner : seq->children) {
        CAMBIUM_TRY(Task child, task(inner));
        made.children.push_back(std::move(child));
      }
    } else {
      CAMBIUM_TRY(made.instructions, block(*as_block(s)));
    }
    return made;
  }

  Result<std::vector<Instruction>> block(const Block& b) {
    block_ = &b;
    out_.clear();
    known_.clear();
    cells_ = 0;
    CAMBIUM_REQUIRE(check_scope(b));
    const Body& body = *b.body;
    if (b.predicate->kind != expr::Kind::Bool || !expr::truth_of(b.predicate)) {
      emit({ops::end_unless}).a = slot(b.predicate);
    }
    const std::uint32_t target = address(body.target, body.indices, true);
    const Memory& memory = code_->memories[memories_.at(body.target)];
    const bool rounded = precision_ == Precision::Stored &&
                         (body.target->dtype == DType::F16 || body.target->dtype == DType::BF16);
    if (body.init != nullptr) init(b, target, memory.form, rounded);
    const std::uint32_t value = cell(body.value);
    Instruction& store =
        emit({body.combine == Combine::Assign
                  ? ops::store(memory.form, rounded)
                  : ops::combine(memory.form, function_of(body.combine), rounded)});
    store.a = target;
    store.b = value;
    store.memory = memories_.at(body.target);
    store.access = note(body.target, over_loops(cx_, b, body.indices), false);
    emit({ops::end});
    code_->cells = std::max(code_->cells, cells_);
    return out_;
  }

  // Stores the initial value when every reduce iterator is at 0; the one that moves fastest is
  // asked first, because it is the likeliest not to be.
  void init(const Block& b, std::uint32_t target, Form form, bool rounded) {
    std::vector<std::uint32_t>
        places;  // all of them first: what is computed after a jump may not be
    for (std::size_t i = b.bindings.size(); i-- > 0;) {
      if (b.body->iterators[i].kind != IteratorKind::Reduce) continue;
      places.push_back(slot(b.bindings[i]));
    }
    std::vector<std::size_t> jumps;
    for (const std::uint32_t place : places) {
      jumps.push_back(out_.size());
      emit({ops::jump_unless_zero}).a = place;
    }
    const Known before = known_;
    const std::uint32_t value = cell(b.body->init);
    Instruction& store = emit({ops::store(form, rounded)});
    store.a = target;
    store.b = value;
    store.memory = memories_.at(b.body->target);
    known_ = before;
    for (const std::size_t at : jumps) {
      out_[at].skip = static_cast<std::uint32_t>(out_.size() - at - 1);
    }
  }

  Status check_scope(const Block& b) {
    std::vector<Expr> bound(b.bindings.begin(), b.bindings.end());
    bound.push_back(b.predicate);
    for (Expr e : bound) {
      for (Expr axis : axes_of(e)) {
        if (number_of(axis) < 0) {
          return Rejection(Reason::AxisUnbound, std::string(expr::name_of(axis)))
              .at("block '" + std::string(b.name) + "'");
        }
      }
    }
    for (const Buffer* buffer : b.body->buffers) {
      if (memories_.count(buffer) == 0) {
        return Rejection(Reason::UnknownName, std::string(buffer->name))
            .at("block '" + std::string(b.name) + "'");
      }
    }
    if (!code_->is_stamped[memories_.at(b.body->target)]) {
      return Rejection(Reason::WritesReadOnly, std::string(b.name),
                       std::string(b.body->target->name));
    }
    return Ok{};
  }

  std::int64_t number_of(Expr axis) const {
    for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
      if (it->first == axis) return it->second;
    }
    return -1;
  }

  Instruction& emit(Instruction instruction) {
    out_.push_back(instruction);
    return out_.back();
  }

  std::uint32_t note(const Buffer* buffer, std::vector<Expr> indices, bool is_write) {
    code_->accesses.push_back({block_, buffer, std::move(indices), is_write});
    return static_cast<std::uint32_t>(code_->accesses.size() - 1);
  }

  // Adds scale * e, which is over the loops.
  void add(Sum& sum, Expr e, std::int64_t scale) {
    switch (e->kind) {
      case expr::Kind::Const: sum.number += scale * expr::value_of(e).factor; return;
      case expr::Kind::Axis: sum.loops[static_cast<std::uint32_t>(number_of(e))] += scale; return;
      case expr::Kind::Add:
        add(sum, e->a, scale);
        add(sum, e->b, scale);
        return;
      case expr::Kind::Mul: return add(sum, e->a, scale * expr::value_of(e->b).factor);
      case expr::Kind::Bool:
      case expr::Kind::Div:
      case expr::Kind::Mod:
      case expr::Kind::Min:
      case expr::Kind::Max:
      case expr::Kind::Less:
      case expr::Kind::Equal:
      case expr::Kind::And:
      case expr::Kind::Or:
      case expr::Kind::Not: break;
    }
    sum.others.emplace_back(e, scale);
  }

  std::uint32_t new_slot(std::int64_t value) {
    code_->slots.push_back(value);
    return static_cast<std::uint32_t>(code_->slots.size() - 1);
  }

  std::uint32_t slot(const Sum& sum) {
    std::uint32_t at = new_slot(sum.number);
    for (const auto& [loop, by] : sum.loops) {
      if (by != 0) steps_[loop].push_back({at, by});
    }
    for (const auto& [other, by] : sum.others) {
      const std::uint32_t second = slot(other);
      const std::uint32_t to = new_slot(0);
      Instruction& i = emit({ops::add_scaled});
      i.to = to;
      i.a = at;
      i.b = second;
      i.number = by;
      at = to;
    }
    return at;
  }

  // The slot that holds e (over the loops) wherever the instruction that comes next is reached.
  std::uint32_t slot(Expr e) {
    const auto found = known_.find(e);
    if (found != known_.end()) return found->second;
    std::uint32_t at = 0;
    switch (e->kind) {
      case expr::Kind::Const:
      case expr::Kind::Axis:
      case expr::Kind::Add:
      case expr::Kind::Mul: {
        Sum sum;
        add(sum, e, 1);
        at = slot(sum);
        break;
      }
      case expr::Kind::Bool: at = new_slot(expr::truth_of(e) ? 1 : 0); break;
      case expr::Kind::Div:
      case expr::Kind::Mod:
      case expr::Kind::Min:
      case expr::Kind::Max:
      case expr::Kind::Less:
      case expr::Kind::Equal:
      case expr::Kind::And:
      case expr::Kind::Or:
      case expr::Kind::Not: {
        const bool by_number = e->kind == expr::Kind::Div || e->kind == expr::Kind::Mod;
        const std::uint32_t a = slot(e->a);
        const std::uint32_t b = e->b == nullptr || by_number ? a : slot(e->b);
        at = new_slot(0);
        Instruction& i = emit({ops::slot(e->kind)});
        i.to = at;
        i.a = a;
        i.b = b;
        if (by_number) i.number = expr::value_of(e->b).factor;
      }
    }
    known_.emplace(e, at);
    return at;
  }

  // The slot of the flat position, after checks of those indices that may leave the buffer.
  std::uint32_t address(const Buffer* buffer, std::span<const Expr> indices, bool is_write) {
    const std::vector<Expr> at = over_loops(cx_, *block_, indices);
    std::uint32_t access = 0;
    bool noted = false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const expr::Interval range = range_of(at[i]);
      if (range.lo >= 0 && range.hi < buffer->dims[i]) continue;
      if (!noted) access = note(buffer, at, is_write);
      noted = true;
      const std::uint32_t index = slot(at[i]);
      Instruction& check = emit({ops::check_index});
      check.a = index;
      check.number = buffer->dims[i];
      check.access = access;
    }
    Sum sum;
    std::int64_t scale = 1;
    for (std::size_t i = at.size(); i-- > 0;) {
      add(sum, at[i], scale);
      scale *= buffer->dims[i];
    }
    return slot(sum);
  }

  std::uint32_t new_cell() { return static_cast<std::uint32_t>(cells_++); }
  Form form_of(Scalar s) const { return program::form_of(s->type, precision_); }

  std::uint32_t cell(Scalar s) {
    switch (s->kind) {
      case ScalarKind::Const: {
        Instruction i{ops::constant(form_of(s))};
        if (is_floating(s->type)) i.real = s->number();
        i.number = s->whole();
        return into_new(i);
      }
      case ScalarKind::Index: {
        Instruction i{ops::index_value};
        i.a = slot(over_loops(cx_, *block_, s->indices[0]));
        return into_new(i);
      }
      case ScalarKind::Load: return load(s, address(s->buffer, s->indices, false));
      case ScalarKind::Gather: return load(s, gathered(s));
      case ScalarKind::Unary:
      case ScalarKind::Binary:
      case ScalarKind::Cast: return operation(s);
      case ScalarKind::Select: return select(s);
    }
    return 0;
  }

  std::uint32_t into_new(Instruction i) {
    i.to = new_cell();
    emit(i);
    return i.to;
  }

  std::uint32_t load(Scalar s, std::uint32_t address) {
    const std::uint32_t memory = memories_.at(s->buffer);
    Instruction i{ops::load(code_->memories[memory].form, code_->is_stamped[memory])};
    i.a = address;
    i.memory = memory;
    i.access = note(s->buffer, over_loops(cx_, *block_, s->indices), false);
    return into_new(i);
  }

  std::uint32_t gathered(Scalar s) {
    std::vector<std::uint32_t> at;
    for (Scalar operand : s->operands) at.push_back(cell(operand));
    const std::uint32_t to = new_slot(0);
    const std::uint32_t access = note(s->buffer, {}, false);
    emit({ops::gather_start}).to = to;
    for (std::size_t d = 0; d < at.size(); ++d) {
      Instruction& step = emit({ops::gather_step});
      step.to = to;
      step.a = at[d];
      step.number = s->buffer->dims[d];
      step.access = access;
    }
    return to;
  }

  std::uint32_t operation(Scalar s) {
    Scalar first = s->operands[0];
    Instruction i{nullptr};
    i.a = cell(first);
    i.type = first->type;
    if (s->kind == ScalarKind::Unary) {
      i.run = ops::unary(form_of(first), s->unary());
    } else if (s->kind == ScalarKind::Binary) {
      i.b = cell(s->operands[1]);
      i.run = ops::binary(form_of(first), s->binary());
    } else {
      i.run = ops::cast(form_of(first), form_of(s));
      i.type = s->type;
      i.b = static_cast<std::uint32_t>(first->type);
    }
    return into_new(i);
  }

  // The numbers between which an index lies here: those of its form, and what the conditions of
  // the selects around it say.
  expr::Interval range_of(Expr e) const {
    expr::Interval range = e->range;
    const auto found = bounds_.find(e);
    if (found == bounds_.end()) return range;
    return {std::max(range.lo, found->second.lo), std::min(range.hi, found->second.hi)};
  }

  // Jumps that leave when a predicate (over the loops) does not hold, to be given their distance;
  // notes the bounds that hold behind them. 0 <= x && x < n, the edge of a buffer, is one jump.
  std::vector<std::size_t> leave_unless(Expr predicate) {
    std::vector<Expr> conjuncts;
    add_conjuncts(cx_, predicate, conjuncts);
    std::vector<std::pair<Expr, std::int64_t>> below;  // x < n
    std::vector<Expr> others;
    for (Expr p : conjuncts) {
      const bool negated = p->kind == expr::Kind::Not && p->a->kind == expr::Kind::Less;
      Expr less = negated ? p->a : p;
      const bool is_bound = less->kind == expr::Kind::Less && less->b->kind == expr::Kind::Const;
      if (is_bound) {
        const std::int64_t number = expr::value_of(less->b).factor;
        expr::Interval& bounds = bounds_.try_emplace(less->a, expr::Interval{}).first->second;
        if (negated)
          bounds.lo = std::max(bounds.lo, number);
        else
          bounds.hi = std::min(bounds.hi, number - 1);
      }
      if (is_bound && !negated)
        below.emplace_back(less->a, expr::value_of(less->b).factor);
      else
        others.push_back(p);
    }
    // All indices first: what is computed behind a jump may not be.
    std::vector<Instruction> jumps;
    for (const auto& [index, number] : below) {
      const bool from_zero = range_of(index).lo >= 0;
      Instruction jump{from_zero ? ops::jump_unless_below : ops::jump_unless_set};
      jump.a = slot(from_zero ? index : expr::less(cx_.indices(), index, cx_.number(number)));
      jump.number = number;
      jumps.push_back(jump);
    }
    for (Expr p : others) {
      const bool is_sign = p->kind == expr::Kind::Not && p->a->kind == expr::Kind::Less &&
                           expr::is_const(p->a->b, 0);
      // jump_unless_below has asked already.
      const bool asked = is_sign && std::any_of(below.begin(), below.end(),
                                                [&](const auto& b) { return b.first == p->a->a; });
      if (asked) continue;
      Instruction jump{ops::jump_unless_set};
      jump.a = slot(p);
      jumps.push_back(jump);
    }
    std::vector<std::size_t> places;
    for (const Instruction& jump : jumps) {
      places.push_back(out_.size());
      emit(jump);
    }
    return places;
  }

  std::vector<std::size_t> leave_unless(Scalar condition) {
    if (condition->kind == ScalarKind::Index) {
      return leave_unless(over_loops(cx_, *block_, condition->indices[0]));
    }
    const std::uint32_t value = cell(condition);
    emit({ops::jump_unless_true}).a = value;
    return {out_.size() - 1};
  }

  // What one side computes is not there on the other, nor afterwards.
  std::uint32_t select(Scalar s) {
    const std::uint32_t to = new_cell();
    const Bounds bounds = bounds_;
    const std::vector<std::size_t> leave = leave_unless(s->operands[0]);
    const Known before = known_;
    move(cell(s->operands[1]), to);
    known_ = before;
    bounds_ = bounds;
    const std::size_t over = out_.size();
    emit({ops::jump});
    for (const std::size_t at : leave) {
      out_[at].skip = static_cast<std::uint32_t>(out_.size() - at - 1);
    }
    move(cell(s->operands[2]), to);
    known_ = before;
    out_[over].skip = static_cast<std::uint32_t>(out_.size() - over - 1);
    return to;
  }

  void move(std::uint32_t from, std::uint32_t to) {
    Instruction i{ops::copy};
    i.a = from;
    i.to = to;
    emit(i);
  }

  using Known = std::unordered_map<Expr, std::uint32_t>;
  using Bounds = std::unordered_map<Expr, expr::Interval>;

  Context& cx_;
  const Program& program_;
  Precision precision_;
  std::vector<Site> sites_;
  std::unique_ptr<InterpreterCode> code_ = std::make_unique<InterpreterCode>();
  std::unordered_map<const Buffer*, std::uint32_t> memories_;
  std::unordered_map<const Buffer*, const Loop*> homes_;
  std::unordered_map<const Loop*, std::uint32_t> loops_;
  std::vector<std::vector<Step>> steps_;               // by loop
  std::vector<std::pair<Expr, std::uint32_t>> scope_;  // the loops around, and their numbers
  const Block* block_ = nullptr;
  std::vector<Instruction> out_;
  Known known_;
  Bounds bounds_;  // that hold for the instruction that comes next
  std::size_t cells_ = 0;
};

}  // namespace

Result<Interpreter> Interpreter::compile(Context& cx, const Program& program, Precision precision) {
  CAMBIUM_TRY(auto code, Compiler(cx, program, precision).compile());
  return Interpreter(std::move(code));
}

}  // namespace cambium::program
