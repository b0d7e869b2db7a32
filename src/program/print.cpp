#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "expr/text.h"
#include "program/text.h"

namespace cambium::program {
namespace {

constexpr int kUnaryTextLevel = 5;
constexpr int kAtomLevel = 6;

std::string literal(Scalar s) {
  if (s->type == DType::Bool) return s->whole() != 0 ? "true" : "false";
  std::string digits;
  if (is_floating(s->type)) {
    const double value = s->number();
    digits = s->type == DType::F32 ? fmt::format("{}", static_cast<float>(value))
                                   : fmt::format("{}", value);
    if (std::isnan(value)) digits = "nan";
    if (std::isfinite(value) && digits.find_first_of(".e") == std::string::npos) digits += ".0";
  } else {
    digits = s->type == DType::U64 ? fmt::format("{}", s->bits) : fmt::format("{}", s->whole());
  }
  if (s->type == DType::F32 || s->type == DType::I64) return digits;
  return fmt::format("{}({})", name_of(s->type), digits);
}

class Printer {
 public:
  explicit Printer(Context& cx) : cx_(cx) {}

  void program(const Program& p) {
    out_ += fmt::format("program {}(", p.name);
    const std::string indent(out_.size(), ' ');
    for (std::size_t i = 0; i < p.parameters.size(); ++i) {
      if (i > 0) out_ += ",\n" + indent;
      buffer(*p.parameters[i]);
      out_ += fmt::format(" {}", name_of(p.parameters[i]->role));
      annotations(p.parameters[i]->annotations);
    }
    out_ += ") {\n";
    for (const Buffer* local : p.locals) {
      out_ += "  local ";
      buffer(*local);
      annotations(local->annotations);
      out_ += "\n";
    }
    stmt(p.root, 2);
    out_ += "}\n";
  }

  void stmt(Stmt s, std::size_t indent) {
    if (const Seq* seq = as_seq(s)) {
      for (Stmt child : seq->children) stmt(child, indent);
      return;
    }
    out_.append(indent, ' ');
    if (const Loop* loop = as_loop(s)) {
      out_ += fmt::format("for {} in {}", loop->name(), loop->extent());
      if (loop->how != LoopKind::Serial) out_ += fmt::format(" {}", name_of(loop->how));
      annotations(loop->annotations);
      out_ += " {\n";
      stmt(loop->body, indent + 2);
    } else {
      block(*as_block(s), indent);
    }
    out_.append(indent, ' ');
    out_ += "}\n";
  }

  void scalar(Scalar s, int at_least) {
    const bool parentheses = level_of(s) < at_least;
    if (parentheses) out_ += "(";
    bare(s);
    if (parentheses) out_ += ")";
  }

  std::string take() { return std::move(out_); }

 private:
  using Level = int;
  static Level level_of(Scalar s) {
    if (s->kind == ScalarKind::Binary) return program::level_of(s->binary());
    const bool is_sign =
        s->kind == ScalarKind::Unary && (s->unary() == UnaryFn::Neg || s->unary() == UnaryFn::Not);
    return is_sign ? kUnaryTextLevel : kAtomLevel;
  }

  void buffer(const Buffer& b) {
    out_ += fmt::format("{}: {}[{}]", b.name, name_of(b.dtype), fmt::join(b.dims, ", "));
  }

  void annotations(Annotations all) {
    for (const Annotation& a : all) {
      out_ += a.is_text ? fmt::format(" @{}(\"{}\")", a.key, a.text)
                        : fmt::format(" @{}({})", a.key, a.number);
    }
  }

  void block(const Block& b, std::size_t indent) {
    out_ += fmt::format("block {}(", b.name);
    const Body& body = *b.body;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      const Iterator& it = body.iterators[i];
      out_ += fmt::format("{}{} {}", i > 0 ? ", " : "", name_of(it.kind), expr::name_of(it.axis));
      Expr binding = b.bindings[i];
      const bool whole_loop =
          binding->kind == expr::Kind::Axis && expr::extent_of(binding) == expr::extent_of(it.axis);
      if (!whole_loop) out_ += fmt::format(" in {}", it.extent());
      out_ += " = ";
      index(binding);
    }
    out_ += ")";
    if (b.predicate->kind != expr::Kind::Bool || !expr::truth_of(b.predicate)) {
      out_ += " if ";
      index(b.predicate);
    }
    annotations(b.annotations);
    out_ += " {\n";
    out_.append(indent + 2, ' ');
    access(body.target, body.indices);
    out_ += fmt::format(" {} ", sign_of(body.combine));
    scalar(body.value, 0);
    if (body.init != nullptr) {
      out_ += " init ";
      scalar(body.init, 0);
    }
    out_ += "\n";
  }

  void index(Expr e) { out_ += expr::print(cx_.indices(), e); }

  void access(const Buffer* b, std::span<const Expr> indices) {
    out_ += b->name;
    out_ += "[";
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (i > 0) out_ += ", ";
      index(indices[i]);
    }
    out_ += "]";
  }

  void call(std::string_view name, std::span<const Scalar> operands, bool first = true) {
    if (first) out_ += fmt::format("{}(", name);
    for (Scalar operand : operands) {
      if (!first) out_ += ", ";
      first = false;
      scalar(operand, 0);
    }
    out_ += ")";
  }

  void bare(Scalar s) {
    switch (s->kind) {
      case ScalarKind::Const: out_ += literal(s); return;
      case ScalarKind::Index:
        out_ += "[";
        index(s->indices[0]);
        out_ += "]";
        return;
      case ScalarKind::Load: return access(s->buffer, s->indices);
      case ScalarKind::Gather:
        out_ += fmt::format("gather({}", s->buffer->name);
        return call("gather", s->operands, false);
      case ScalarKind::Unary:
        if (level_of(s) == kAtomLevel) return call(name_of(s->unary()), s->operands);
        out_ += s->unary() == UnaryFn::Neg ? "-" : "!";
        return scalar(s->operands[0], kUnaryTextLevel);
      case ScalarKind::Binary: return binary(s);
      case ScalarKind::Select: return call("select", s->operands);
      case ScalarKind::Cast: return call(name_of(s->type), s->operands);
    }
  }

  void binary(Scalar s) {
    const std::string_view sign = sign_of(s->binary());
    if (sign.empty()) return call(name_of(s->binary()), s->operands);
    const Level level = level_of(s);
    // Comparisons do not chain; the others group from the left.
    const bool is_comparison = program::level_of(BinaryFn::Less) == level;
    scalar(s->operands[0], is_comparison ? level + 1 : level);
    out_ += fmt::format(" {} ", sign);
    scalar(s->operands[1], level + 1);
  }

  Context& cx_;
  std::string out_;
};

}  // namespace

std::string to_text(Context& cx, const Program& program) {
  Printer printer(cx);
  printer.program(program);
  return printer.take();
}

std::string to_text(Context& cx, Stmt s) {
  Printer printer(cx);
  printer.stmt(s, 0);
  return printer.take();
}

std::string to_text(Context& cx, Scalar scalar) {
  Printer printer(cx);
  printer.scalar(scalar, 0);
  return printer.take();
}

}  // namespace cambium::program
