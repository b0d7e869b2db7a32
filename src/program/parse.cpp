#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/scanner.h"
#include "expr/lexer.h"
#include "program/limits.h"
#include "program/parse_scalar.h"
#include "program/text.h"

namespace cambium::program {
namespace {

constexpr int kDeepestLoop = 200;
constexpr std::string_view kLongSigns[] = {"<=", ">=", "==", "!=", "&&", "||", "+=", "*="};
constexpr Lexicon kLexicon{.numbers = Lexicon::Numbers::Fractions, .long_signs = kLongSigns};

class Parser {
 public:
  Parser(Context& cx, std::string_view text) : cx_(cx), scanner_(text, kLexicon) {}

  Result<Program> whole() {
    CAMBIUM_REQUIRE(scanner_.expect_word("program"));
    CAMBIUM_TRY(const std::string_view name, fresh_name(programs_, "the name of the program"));
    CAMBIUM_REQUIRE(scanner_.expect("("));
    while (!scanner_.at(")")) {
      if (!buffers_.empty()) CAMBIUM_REQUIRE(scanner_.expect(","));
      CAMBIUM_REQUIRE(parameter());
    }
    CAMBIUM_REQUIRE(scanner_.expect(")"));
    const std::size_t parameters = buffers_.size();
    CAMBIUM_REQUIRE(scanner_.expect("{"));
    while (scanner_.take_word("local")) CAMBIUM_REQUIRE(local());
    CAMBIUM_TRY(Stmt root, statements());
    CAMBIUM_REQUIRE(scanner_.expect("}"));
    if (!scanner_.at_end()) return scanner_.refuse("the end");

    const std::span<const Buffer* const> all = cx_.keep(buffers_);
    return Program{cx_.name(name), all.subspan(0, parameters), all.subspan(parameters), root};
  }

 private:
  using Names = std::unordered_set<std::string_view>;

  // A word that is a name and not among `taken`, to which it is added.
  Result<std::string_view> fresh_name(Names& taken, std::string_view what) {
    const std::size_t place = scanner_.place();
    CAMBIUM_TRY(const std::string_view name, scanner_.word(what));
    if (!expr::is_name(name)) {
      return Rejection(Reason::BadName, std::string(name)).at(scanner_.describe(place));
    }
    if (!taken.insert(name).second) {
      return Rejection(Reason::NameTaken, std::string(name)).at(scanner_.describe(place));
    }
    return name;
  }

  Result<std::int64_t> extent() {
    const std::size_t place = scanner_.place();
    CAMBIUM_TRY(const std::int64_t number, scanner_.whole("an extent"));
    if (number < 1) {
      return Rejection(Reason::SizeNotPositive, number).at(scanner_.describe(place));
    }
    if (number > kLargestExtent) {
      return Rejection(Reason::BufferTooLarge, number, kLargestExtent).at(scanner_.describe(place));
    }
    return number;
  }

  Status parameter() {
    CAMBIUM_TRY(Buffer fields, buffer());
    const std::size_t place = scanner_.place();
    CAMBIUM_TRY(const std::string_view word, scanner_.word("input, constant or output"));
    const auto role = enumerator_named<Role>(word);
    if (!role || *role == Role::Local) {
      return Rejection(Reason::UnknownName, std::string(word)).at(scanner_.describe(place));
    }
    return declare(fields, *role);
  }

  Status local() {
    CAMBIUM_TRY(Buffer fields, buffer());
    return declare(fields, Role::Local);
  }

  Status declare(const Buffer& fields, Role role) {
    CAMBIUM_TRY(const Annotations notes, annotations());
    buffers_.push_back(cx_.buffer(fields.name, fields.dtype, fields.dims, role, notes));
    return Ok{};
  }

  // name: f32[4, 8]; the dims live in dims_.
  Result<Buffer> buffer() {
    CAMBIUM_TRY(const std::string_view name, fresh_name(buffer_names_, "a buffer"));
    CAMBIUM_REQUIRE(scanner_.expect(":"));
    const std::size_t place = scanner_.place();
    CAMBIUM_TRY(const std::string_view type, scanner_.word("a type"));
    const auto dtype = dtype_named(type);
    if (!dtype)
      return Rejection(Reason::UnknownName, std::string(type)).at(scanner_.describe(place));
    CAMBIUM_REQUIRE(scanner_.expect("["));
    dims_.clear();
    while (!scanner_.at("]")) {
      if (!dims_.empty()) CAMBIUM_REQUIRE(scanner_.expect(","));
      CAMBIUM_TRY(const std::int64_t dim, extent());
      dims_.push_back(dim);
    }
    if (Status fits = check_dims(dims_); !fits.ok()) {
      return std::move(fits).at(scanner_.describe(place)).rejection();
    }
    CAMBIUM_REQUIRE(scanner_.expect("]"));
    return Buffer{name, *dtype, Role::Local, dims_, {}};
  }

  // @key(3) @key("text") ...
  Result<Annotations> annotations() {
    std::vector<Annotation> found;
    Names keys;
    while (scanner_.take("@")) {
      Annotation a;
      CAMBIUM_TRY(a.key, fresh_name(keys, "a key"));
      CAMBIUM_REQUIRE(scanner_.expect("("));
      if (scanner_.at("\"")) {
        a.is_text = true;
        CAMBIUM_TRY(a.text, scanner_.string(Scanner::Strings::Plain));
      } else {
        const bool negative = scanner_.take("-");
        CAMBIUM_TRY(const std::int64_t number, scanner_.whole("a number or a text"));
        a.number = negative ? -number : number;
      }
      CAMBIUM_REQUIRE(scanner_.expect(")"));
      found.push_back(a);
    }
    return cx_.annotations(found);
  }

  Result<Stmt> statements() {
    std::vector<Stmt> children;
    while (!scanner_.at("}")) {
      if (!scanner_.at_word("for") && !scanner_.at_word("block")) {
        return scanner_.refuse("'for', 'block' or '}'");
      }
      CAMBIUM_TRY(Stmt child, scanner_.at_word("for") ? loop() : block());
      children.push_back(child);
    }
    return cx_.seq(children);
  }

  Result<Stmt> loop() {
    scanner_.advance();
    if (loops_.size() >= kDeepestLoop) {
      return Rejection(Reason::TooDeep, kDeepestLoop).at(scanner_.describe(scanner_.place()));
    }
    CAMBIUM_TRY(const std::string_view name, fresh_name(loop_names_, "a loop"));
    CAMBIUM_REQUIRE(scanner_.expect_word("in"));
    CAMBIUM_TRY(const std::int64_t n, extent());
    LoopKind how = LoopKind::Serial;
    if (scanner_.kind() == Scanner::Kind::Name) {
      const auto kind = enumerator_named<LoopKind>(scanner_.token());
      if (!kind) return scanner_.refuse("parallel, vectorized or unrolled");
      how = *kind;
      scanner_.advance();
    }
    CAMBIUM_TRY(const Annotations notes, annotations());
    CAMBIUM_REQUIRE(scanner_.expect("{"));
    Expr axis = cx_.axis(name, n);
    loops_.push_back(axis);
    CAMBIUM_TRY(Stmt body, statements());
    loops_.pop_back();
    CAMBIUM_REQUIRE(scanner_.expect("}"));
    return cx_.loop(axis, how, body, notes);
  }

  Result<Stmt> block() {
    scanner_.advance();
    CAMBIUM_TRY(const std::string_view name, fresh_name(block_names_, "a block"));
    CAMBIUM_REQUIRE(scanner_.expect("("));
    std::vector<Iterator> iterators;
    std::vector<Expr> bindings;
    Names names;
    while (!scanner_.at(")")) {
      if (!iterators.empty()) CAMBIUM_REQUIRE(scanner_.expect(","));
      CAMBIUM_REQUIRE(iterator(names, iterators, bindings));
    }
    CAMBIUM_REQUIRE(scanner_.expect(")"));
    Expr predicate = cx_.indices().boolean(true);
    if (scanner_.take_word("if")) {
      CAMBIUM_TRY(predicate, parse_index(cx_, scanner_, "{@", loops_, true));
    }
    CAMBIUM_TRY(const Annotations notes, annotations());
    CAMBIUM_REQUIRE(scanner_.expect("{"));
    CAMBIUM_TRY(const Body* what, body(iterators));
    CAMBIUM_REQUIRE(scanner_.expect("}"));
    return cx_.block(name, what, bindings, predicate, notes);
  }

  Status iterator(Names& names, std::vector<Iterator>& iterators, std::vector<Expr>& bindings) {
    const std::size_t place = scanner_.place();
    CAMBIUM_TRY(const std::string_view word, scanner_.word("spatial or reduce"));
    const auto kind = enumerator_named<IteratorKind>(word);
    if (!kind)
      return Rejection(Reason::UnknownName, std::string(word)).at(scanner_.describe(place));
    CAMBIUM_TRY(const std::string_view name, fresh_name(names, "an iterator"));
    std::int64_t size = 0;
    const Scanner before = scanner_;
    if (scanner_.take_word("in")) {
      CAMBIUM_TRY(size, extent());
    }
    CAMBIUM_REQUIRE(scanner_.expect("="));
    CAMBIUM_TRY(Expr binding, parse_index(cx_, scanner_, ",)", loops_, false));
    if (size == 0) {
      if (binding->kind != expr::Kind::Axis)
        return before.refuse("'in', because the binding is not a loop");
      size = expr::value_of(expr::extent_of(binding)).factor;
    }
    iterators.push_back({cx_.axis(name, size), *kind});
    bindings.push_back(binding);
    return Ok{};
  }

  Result<const Body*> body(const std::vector<Iterator>& iterators) {
    std::vector<Expr> all;
    std::vector<Expr> spatial;
    for (const Iterator& it : iterators) {
      all.push_back(it.axis);
      if (it.kind == IteratorKind::Spatial) spatial.push_back(it.axis);
    }
    ScalarParser over_all(cx_, scanner_, all, buffers_);
    ScalarParser over_spatial(cx_, scanner_, spatial, buffers_);
    Body fields{};
    const std::size_t place = scanner_.place();
    CAMBIUM_TRY(fields.target, over_all.buffer());
    CAMBIUM_TRY(const std::vector<Expr> at, over_all.indices(fields.target));
    CAMBIUM_TRY(fields.combine, combine());
    CAMBIUM_TRY(fields.value, over_all.scalar());
    if (scanner_.take_word("init")) {
      CAMBIUM_TRY(fields.init, over_spatial.scalar());
    }
    fields.iterators = iterators;
    fields.indices = at;
    CAMBIUM_REQUIRE(check(fields).at(scanner_.describe(place)));
    return cx_.body(fields);
  }

  Result<Combine> combine() {
    if (scanner_.at_word("max") || scanner_.at_word("min")) {
      const bool is_max = scanner_.at_word("max");
      scanner_.advance();
      CAMBIUM_REQUIRE(scanner_.expect("="));
      return is_max ? Combine::Maximum : Combine::Minimum;
    }
    const auto found = combine_written(scanner_.token());
    if (!found || scanner_.kind() != Scanner::Kind::Sign) return scanner_.refuse("'=' or '+='");
    scanner_.advance();
    return *found;
  }

  static Status check(const Body& fields) {
    const DType type = value_type(fields.target->dtype);
    for (Scalar s : {fields.value, fields.init}) {
      if (s != nullptr && s->type != type) {
        return Rejection(Reason::OperandType, std::string(fields.target->name),
                         std::string(name_of(type)) + ", found " + std::string(name_of(s->type)));
      }
    }
    const bool reduces =
        std::any_of(fields.iterators.begin(), fields.iterators.end(),
                    [](const Iterator& it) { return it.kind == IteratorKind::Reduce; });
    if (fields.combine == Combine::Assign && (reduces || fields.init != nullptr)) {
      return Rejection(Reason::BadReduction,
                       "'=' takes neither reduce iterators nor an initial value");
    }
    if (fields.combine != Combine::Assign && !accepts(Operands::Number, type)) {
      return Rejection(Reason::OperandType, std::string(name_of(fields.combine)),
                       "a number, found bool");
    }
    return Ok{};
  }

  Context& cx_;
  Scanner scanner_;
  Names programs_, buffer_names_, loop_names_, block_names_;
  std::vector<const Buffer*> buffers_;  // parameters first
  std::vector<Expr> loops_;             // around the place where the scanner stands
  std::vector<std::int64_t> dims_;
};

}  // namespace

Result<Program> parse(Context& cx, std::string_view text) {
  return Parser(cx, text).whole();
}

}  // namespace cambium::program
