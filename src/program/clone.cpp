#include "program/clone.h"

namespace cambium::program {
namespace {

class Cloner {
 public:
  explicit Cloner(Context& to, const CloneNames* names = nullptr) : to_(to), names_(names) {}

  Program program(const Program& p) {
    const std::vector<const Buffer*> parameters = buffers(p.parameters);
    const std::vector<const Buffer*> locals = buffers(p.locals);
    const std::string_view name = names_ == nullptr ? p.name : std::string_view(names_->program);
    return {to_.name(name), to_.keep(parameters), to_.keep(locals), stmt(p.root)};
  }

 private:
  std::vector<const Buffer*> buffers(std::span<const Buffer* const> all) {
    std::vector<const Buffer*> copies;
    for (const Buffer* b : all) copies.push_back(buffer(b));
    return copies;
  }

  const Buffer* buffer(const Buffer* b) {
    const Buffer*& copy = buffers_[b];
    if (copy == nullptr) {
      const std::string_view name = names_ == nullptr ? b->name : names_->buffers.at(b);
      copy = to_.buffer(name, b->dtype, b->dims, b->role, to_.annotations(b->annotations));
    }
    return copy;
  }

  Expr axis(Expr e, std::string_view name) {
    return to_.axis(name, expr::value_of(expr::extent_of(e)).factor);
  }

  // Under other names an axis means one thing in a body and another among loops.
  void enter_other_names() {
    if (names_ == nullptr) return;
    indices_.clear();
    scalars_.clear();
  }

  std::vector<Iterator> iterators(const Body& b) {
    std::vector<Iterator> copies;
    int spatial = 0;
    int reduce = 0;
    for (const Iterator& it : b.iterators) {
      if (names_ != nullptr) {
        const bool is_spatial = it.kind == IteratorKind::Spatial;
        const std::string name =
            is_spatial ? "i" + std::to_string(spatial++) : "k" + std::to_string(reduce++);
        indices_.emplace(it.axis, axis(it.axis, name));
      }
      copies.push_back({index(it.axis), it.kind});
    }
    return copies;
  }

  Expr index(Expr e) {
    const auto known = indices_.find(e);
    if (known != indices_.end()) return known->second;
    Expr copy = nullptr;
    switch (e->kind) {
      case expr::Kind::Const: copy = to_.indices().constant(expr::value_of(e)); break;
      case expr::Kind::Bool: copy = to_.indices().boolean(expr::truth_of(e)); break;
      case expr::Kind::Axis:
        copy = axis(e, names_ == nullptr ? expr::name_of(e) : names_->loops.at(e));
        break;
      case expr::Kind::Add:
      case expr::Kind::Mul:
      case expr::Kind::Div:
      case expr::Kind::Mod:
      case expr::Kind::Min:
      case expr::Kind::Max:
      case expr::Kind::Less:
      case expr::Kind::Equal:
      case expr::Kind::And:
      case expr::Kind::Or:
      case expr::Kind::Not:
        copy = to_.indices().node(e->kind, index(e->a), e->b == nullptr ? nullptr : index(e->b));
    }
    indices_.emplace(e, copy);
    return copy;
  }

  std::vector<Expr> indices(std::span<const Expr> all) {
    std::vector<Expr> copies;
    for (Expr e : all) copies.push_back(index(e));
    return copies;
  }

  Scalar scalar(Scalar s) {
    if (s == nullptr) return nullptr;
    const auto known = scalars_.find(s);
    if (known != scalars_.end()) return known->second;
    Scalar copy = copied(s);
    scalars_.emplace(s, copy);
    return copy;
  }

  Scalar copied(Scalar s) {
    std::vector<Scalar> operands;
    for (Scalar operand : s->operands) operands.push_back(scalar(operand));
    switch (s->kind) {
      case ScalarKind::Const:
        return is_floating(s->type) ? to_.constant(s->number(), s->type)
                                    : to_.whole(s->whole(), s->type);
      case ScalarKind::Index: return to_.index(index(s->indices[0]));
      case ScalarKind::Load: return to_.load(buffer(s->buffer), indices(s->indices));
      case ScalarKind::Gather: return to_.gather(buffer(s->buffer), operands);
      case ScalarKind::Unary: return to_.unary(s->unary(), operands[0]);
      case ScalarKind::Binary: return to_.binary(s->binary(), operands[0], operands[1]);
      case ScalarKind::Select: return to_.select(operands[0], operands[1], operands[2]);
      case ScalarKind::Cast: return to_.cast(s->type, operands[0]);
    }
    return nullptr;
  }

  const Body* body(const Body* b) {
    const Body*& copy = bodies_[b];
    if (copy != nullptr) return copy;
    enter_other_names();
    const std::vector<Iterator> over = iterators(*b);
    const std::vector<Expr> at = indices(b->indices);
    Body fields{};
    fields.iterators = over;
    fields.target = buffer(b->target);
    fields.indices = at;
    fields.combine = b->combine;
    fields.value = scalar(b->value);
    fields.init = scalar(b->init);
    copy = to_.body(fields);
    enter_other_names();
    return copy;
  }

  Stmt stmt(Stmt s) {
    if (const Loop* loop = as_loop(s)) {
      return to_.loop(index(loop->axis), loop->how, stmt(loop->body),
                      to_.annotations(loop->annotations));
    }
    if (const Seq* seq = as_seq(s)) {
      std::vector<Stmt> children;
      for (Stmt child : seq->children) children.push_back(stmt(child));
      return to_.seq(children);
    }
    const Block* b = as_block(s);
    const std::string_view name = names_ == nullptr ? b->name : names_->blocks.at(b);
    const Body* copy = body(b->body);
    return to_.block(name, copy, indices(b->bindings), index(b->predicate),
                     to_.annotations(b->annotations));
  }

  Context& to_;
  const CloneNames* names_;  // nullptr: the same
  std::unordered_map<const Buffer*, const Buffer*> buffers_;
  std::unordered_map<Expr, Expr> indices_;
  std::unordered_map<Scalar, Scalar> scalars_;
  std::unordered_map<const Body*, const Body*> bodies_;
};

}  // namespace

Program clone_into(Context& to, const Program& program) {
  return Cloner(to).program(program);
}

Program clone_into(Context& to, const Program& program, const CloneNames& names) {
  return Cloner(to, &names).program(program);
}

}  // namespace cambium::program
