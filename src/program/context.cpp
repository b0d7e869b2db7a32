#include "program/context.h"

#include <algorithm>
#include <cmath>

#include "program/arithmetic.h"
#include "program/words.h"

namespace cambium::program {
namespace {

ScalarNode scalar_node(ScalarKind kind, DType type) {
  return {kind, type, 0, 0, 0, nullptr, {}, {}};
}

std::uint16_t depth_over(std::span<const Scalar> operands) {
  std::uint16_t deepest = 0;
  for (Scalar operand : operands) deepest = std::max(deepest, operand->depth);
  CAMBIUM_CHECK(deepest < UINT16_MAX, "a scalar is nested too deeply");
  return static_cast<std::uint16_t>(deepest + 1);
}

DType checked(const Result<DType>& type) {
  CAMBIUM_CHECK(type.ok(), type.rejection().message());
  return *type;
}

// The number of an axis: its position among the iterators, or beyond them if it is none (which the
// verifier refuses).
std::size_t position(std::span<const Iterator> iterators, Expr axis) {
  std::size_t i = 0;
  while (i < iterators.size() && iterators[i].axis != axis) ++i;
  return i;
}

// Writes a body into words, numbering its buffers as they are met.
class BodyWords {
 public:
  explicit BodyWords(const Body& body) : body_(body) {}

  void write() {
    words_.add(body_.iterators.size());
    for (const Iterator& it : body_.iterators) {
      words_.add(it.kind);
      words_.add(it.extent());
    }
    words_.add(body_.combine);
    add_access(body_.target, body_.indices);
    add(body_.value);
    words_.add(body_.init != nullptr);
    if (body_.init != nullptr) add(body_.init);
  }
  Fingerprint fingerprint() const { return words_.done(); }
  Fingerprint key() {
    for (const Buffer* buffer : buffers_) {
      words_.add(buffer->role);
      words_.add(buffer->dims.size());
      for (const std::int64_t dim : buffer->dims) words_.add(dim);
    }
    return words_.done();
  }
  const std::vector<const Buffer*>& buffers() const { return buffers_; }

 private:
  void add(Scalar s) {
    words_.add(s->kind);
    words_.add(s->type);
    words_.add(s->fn);
    words_.add(s->bits);
    if (s->buffer != nullptr) {
      add_access(s->buffer, s->indices);
    } else {
      for (Expr e : s->indices) add_index(e);
    }
    words_.add(s->operands.size());
    for (Scalar operand : s->operands) add(operand);
  }
  void add_access(const Buffer* buffer, std::span<const Expr> indices) {
    const auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
    words_.add(found - buffers_.begin());
    if (found == buffers_.end()) buffers_.push_back(buffer);
    words_.add(indices.size());
    for (Expr e : indices) add_index(e);
  }
  void add_index(Expr e) {
    words_.add_index(e, [this](Expr axis) { return position(body_.iterators, axis); });
  }

  const Body& body_;
  Words words_;
  std::vector<const Buffer*> buffers_;
};

}  // namespace

std::int64_t Buffer::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) product *= dim;
  return product;
}

std::string_view Context::name(std::string_view text) {
  const auto known = names_.find(text);
  if (known != names_.end()) return *known;
  const std::span<const char> kept = keep(std::span<const char>(text));
  return *names_.emplace(kept.data(), kept.size()).first;
}

Annotations Context::annotations(std::span<const Annotation> unsorted) {
  if (unsorted.empty()) return {};
  std::vector<Annotation> sorted(unsorted.begin(), unsorted.end());
  for (Annotation& a : sorted) {
    CAMBIUM_CHECK(a.text.find_first_of("\"\n") == std::string_view::npos, "text on one line");
    a.key = name(a.key);
    a.text = name(a.text);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Annotation& a, const Annotation& b) { return a.key < b.key; });
  return keep(sorted);
}

const Buffer* Context::buffer(std::string_view buffer_name, DType dtype,
                              std::span<const std::int64_t> dims, Role role, Annotations notes) {
  CAMBIUM_CHECK(std::all_of(dims.begin(), dims.end(), [](std::int64_t d) { return d > 0; }),
                "a buffer needs positive dimensions");
  return make(Buffer{name(buffer_name), dtype, role, keep(dims), notes});
}

Expr Context::axis(std::string_view axis_name, std::int64_t extent) {
  CAMBIUM_CHECK(extent > 0, "an axis needs a positive extent");
  return indices_.axis(axis_name, number(extent)).value();
}

Scalar Context::constant(double value, DType type) {
  CAMBIUM_CHECK(is_floating(type), "the type of a floating constant");
  ScalarNode node = scalar_node(ScalarKind::Const, value_type(type));
  value = stored(value, node.type);
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  node.bits = std::bit_cast<std::uint64_t>(value);
  return make(node);
}

Scalar Context::whole(std::int64_t value, DType type) {
  CAMBIUM_CHECK(!is_floating(type) && fits(value, type), "a whole number of its type");
  ScalarNode node = scalar_node(ScalarKind::Const, type);
  node.bits = static_cast<std::uint64_t>(value);
  return make(node);
}

Scalar Context::index(Expr e) {
  ScalarNode node =
      scalar_node(ScalarKind::Index, expr::is_predicate(e) ? DType::Bool : DType::I64);
  node.indices = keep(std::span<const Expr>(&e, 1));
  return make(node);
}

Scalar Context::load(const Buffer* buffer, std::span<const Expr> at) {
  CAMBIUM_CHECK(at.size() == buffer->dims.size(), "one index per dimension");
  ScalarNode node = scalar_node(ScalarKind::Load, value_type(buffer->dtype));
  node.buffer = buffer;
  node.indices = keep(at);
  return make(node);
}

Scalar Context::gather(const Buffer* buffer, std::span<const Scalar> at) {
  CAMBIUM_CHECK(at.size() == buffer->dims.size(), "one index per dimension");
  for (Scalar s : at) CAMBIUM_CHECK(is_integer(s->type), "a whole number as index");
  ScalarNode node = scalar_node(ScalarKind::Gather, value_type(buffer->dtype));
  node.buffer = buffer;
  node.operands = keep(at);
  node.depth = depth_over(at);
  return make(node);
}

Scalar Context::unary(UnaryFn fn, Scalar a) {
  const DType type = checked(type_of(fn, a->type));
  if (fn == UnaryFn::Neg && a->kind == ScalarKind::Const) {
    if (is_floating(type)) return constant(-a->number(), type);
    return whole(apply_whole<UnaryFn::Neg>(a->whole(), type), type);
  }
  ScalarNode node = scalar_node(ScalarKind::Unary, type);
  node.fn = static_cast<std::uint8_t>(fn);
  node.operands = keep(std::span<const Scalar>(&a, 1));
  node.depth = depth_over(node.operands);
  return make(node);
}

Scalar Context::binary(BinaryFn fn, Scalar a, Scalar b) {
  ScalarNode node = scalar_node(ScalarKind::Binary, checked(type_of(fn, a->type, b->type)));
  node.fn = static_cast<std::uint8_t>(fn);
  const Scalar operands[] = {a, b};
  node.operands = keep(std::span<const Scalar>(operands));
  node.depth = depth_over(node.operands);
  return make(node);
}

Scalar Context::select(Scalar condition, Scalar first, Scalar second) {
  ScalarNode node = scalar_node(
      ScalarKind::Select, checked(type_of_select(condition->type, first->type, second->type)));
  const Scalar operands[] = {condition, first, second};
  node.operands = keep(std::span<const Scalar>(operands));
  node.depth = depth_over(node.operands);
  return make(node);
}

Scalar Context::cast(DType type, Scalar a) {
  CAMBIUM_CHECK(type == value_type(type), "values are not of a storage type");
  if (type == a->type) return a;
  if (a->kind == ScalarKind::Const) {
    if (is_floating(type)) {
      if (is_floating(a->type)) return constant(a->number(), type);
      return constant(type == DType::F32
                          ? static_cast<double>(floating_from<float>(a->whole(), a->type))
                          : floating_from<double>(a->whole(), a->type),
                      type);
    }
    return whole(is_floating(a->type) ? whole_from(a->number(), type) : wrap(a->whole(), type),
                 type);
  }
  ScalarNode node = scalar_node(ScalarKind::Cast, type);
  node.operands = keep(std::span<const Scalar>(&a, 1));
  node.depth = depth_over(node.operands);
  return make(node);
}

const Body* Context::body(Body fields) {
  CAMBIUM_CHECK(fields.indices.size() == fields.target->dims.size(), "one index per dimension");
  CAMBIUM_CHECK(fields.value->type == value_type(fields.target->dtype), "the type of the target");
  const bool reduces =
      std::any_of(fields.iterators.begin(), fields.iterators.end(),
                  [](const Iterator& it) { return it.kind == IteratorKind::Reduce; });
  CAMBIUM_CHECK(fields.combine != Combine::Assign || (!reduces && fields.init == nullptr),
                "a block that assigns has neither reduce iterators nor an initial value");
  CAMBIUM_CHECK(fields.init == nullptr || fields.init->type == fields.value->type,
                "the type of the initial value");
  fields.iterators = keep(fields.iterators);
  fields.indices = keep(fields.indices);
  BodyWords words(fields);
  words.write();
  fields.buffers = keep(words.buffers());
  fields.fingerprint = words.fingerprint();
  fields.key = words.key();
  return make(fields);
}

Stmt Context::loop(Expr axis, LoopKind how, Stmt body, Annotations notes) {
  CAMBIUM_CHECK(axis->kind == expr::Kind::Axis && body != nullptr, "a loop has an axis and a body");
  return make(Loop{{StmtKind::Loop}, axis, how, notes, body});
}

Stmt Context::seq(std::span<const Stmt> children) {
  if (children.size() == 1) return children.front();
  const auto is_seq = [](Stmt child) { return child->kind == StmtKind::Seq; };
  if (std::none_of(children.begin(), children.end(), is_seq)) {
    return make(Seq{{StmtKind::Seq}, keep(children)});
  }
  std::vector<Stmt> flat;
  for (Stmt child : children) {
    if (const Seq* inner = as_seq(child)) {
      flat.insert(flat.end(), inner->children.begin(), inner->children.end());
    } else {
      flat.push_back(child);
    }
  }
  return seq(flat);
}

Stmt Context::block(std::string_view block_name, const Body* body, std::span<const Expr> bindings,
                    Expr predicate, Annotations notes) {
  CAMBIUM_CHECK(bindings.size() == body->iterators.size(), "one binding per iterator");
  if (predicate == nullptr) predicate = indices_.boolean(true);
  CAMBIUM_CHECK(expr::is_predicate(predicate), "the predicate of a block");
  // Expressions of one context are equal where their addresses are.
  Hasher key;
  key.add(body->key).add(reinterpret_cast<std::uintptr_t>(predicate));
  for (Expr e : bindings) key.add(reinterpret_cast<std::uintptr_t>(e));
  return make(Block{
      {StmtKind::Block}, name(block_name), body, keep(bindings), predicate, notes, key.done()});
}

}  // namespace cambium::program
