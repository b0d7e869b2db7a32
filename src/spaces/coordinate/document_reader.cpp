#include "spaces/coordinate/document_reader.h"

#include <algorithm>
#include <utility>

#include "spaces/coordinate/canonical.h"
#include "spaces/coordinate/check.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Lexer;
using expr::Size;

constexpr int kDeepest = 64;  // views upon views in one coordinate

Status require_room(std::string_view what, std::size_t count, std::size_t most) {
  if (count < most) return Ok{};
  return Rejection(Reason::SizeOutOfRange, "the number of " + std::string(what), {},
                   static_cast<std::int64_t>(count + 1), 0, static_cast<std::int64_t>(most));
}

Result<std::string> name_here(Lexer& lexer) {
  if (lexer.kind() != Lexer::Kind::Name || !expr::is_name(lexer.token()) ||
      view_named(lexer.token())) {
    return lexer.refuse("a name for a coordinate");
  }
  std::string name(lexer.token());
  lexer.advance();
  return name;
}

}  // namespace

Status DocumentReader::shapes(std::string_view input, std::string_view output) const {
  // The problem's own printing is one way to write a shape; compare what the texts mean.
  const auto read = [&](std::string_view text) -> Result<std::vector<Size>> {
    Lexer lexer(text);
    CAMBIUM_REQUIRE(lexer.expect("["));
    std::vector<Size> shape;
    do {
      CAMBIUM_TRY(const Size axis, problem_.sizes.parse(lexer));
      shape.push_back(axis);
    } while (lexer.take(","));
    CAMBIUM_REQUIRE(lexer.expect("]"));
    return shape;
  };
  CAMBIUM_TRY(const std::vector<Size> in, read(input).at("input"));
  CAMBIUM_TRY(const std::vector<Size> out, read(output).at("output"));
  if (in != problem_.input || out != problem_.output) {
    return Rejection(Reason::ShapeMismatch, "operator",
                     shape_text(problem_.sizes, in) + " -> " + shape_text(problem_.sizes, out) +
                         ", but the problem is " + shape_text(problem_.sizes, problem_.input) +
                         " -> " + shape_text(problem_.sizes, problem_.output));
  }
  return Ok{};
}

Status DocumentReader::leaf(CoordinateKind kind, std::string name, const Size& size,
                            std::string place) {
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
    return Rejection(Reason::NameTaken, std::move(name)).at(std::move(place));
  }
  names_.push_back(std::move(name));
  places_.push_back(std::move(place));
  op_.coordinates.push_back({kind, kNoCoordinate, kNoCoordinate, size, Size()});
  return Ok{};
}

Status DocumentReader::output(Lexer& lexer, const PlaceOf& place) {
  std::string here = place(lexer.token());
  CAMBIUM_TRY(std::string name, name_here(lexer));
  const std::size_t axis = op_.coordinates.size();
  if (axis >= problem_.output.size()) {
    return Rejection(Reason::ShapeMismatch, "out",
                     "more coordinates than axes of the output " +
                         shape_text(problem_.sizes, problem_.output))
        .at(std::move(here));
  }
  return leaf(CoordinateKind::Output, std::move(name), problem_.output[axis], std::move(here));
}

Status DocumentReader::sum(Lexer& lexer, const PlaceOf& place) {
  std::string here = place(lexer.token());
  CAMBIUM_TRY(std::string name, name_here(lexer));
  CAMBIUM_REQUIRE(lexer.expect(":"));
  std::string size_here = place(lexer.token());
  CAMBIUM_TRY(const Size size, problem_.sizes.parse(lexer).at(std::move(size_here)));
  CAMBIUM_REQUIRE(require_room("reductions", reduction_count(op_), kMaxReductions));
  return leaf(CoordinateKind::Reduce, std::move(name), size, std::move(here));
}

Status DocumentReader::data(Lexer& lexer, const PlaceOf& place) {
  CAMBIUM_REQUIRE(require_room("axes", op_.data.size(), kMaxCoordinates));
  CAMBIUM_TRY(const CoordinateIndex i, coordinate(lexer, place));
  op_.data.push_back(i);
  return Ok{};
}

Status DocumentReader::begin_weight() {
  CAMBIUM_REQUIRE(require_room("weights", op_.weights.size(), kMaxWeights));
  op_.weights.emplace_back();
  return Ok{};
}

Status DocumentReader::weight_axis(Lexer& lexer, const PlaceOf& place) {
  CAMBIUM_REQUIRE(require_room("axes", op_.weights.back().size(), kMaxCoordinates));
  CAMBIUM_TRY(const CoordinateIndex i, coordinate(lexer, place));
  op_.weights.back().push_back(i);
  return Ok{};
}

Status DocumentReader::expand(Lexer& lexer, const PlaceOf& place) {
  CAMBIUM_REQUIRE(require_room("axes", expands_.size(), kMaxCoordinates));
  CAMBIUM_TRY(const CoordinateIndex i, coordinate(lexer, place));
  expands_.push_back(i);
  return Ok{};
}

Result<CoordinateIndex> DocumentReader::coordinate(Lexer& lexer, const PlaceOf& place, int depth) {
  if (depth > kDeepest) return Rejection(Reason::TooDeep, kDeepest);
  if (lexer.kind() != Lexer::Kind::Name) return lexer.refuse("a coordinate");
  const std::string_view word = lexer.token();
  std::string here = place(word);
  if (const auto kind = view_named(word)) {
    lexer.advance();
    return application(*kind, lexer, place, depth, here);
  }
  const auto found = std::find(names_.begin(), names_.end(), word);
  if (found == names_.end()) {
    return Rejection(Reason::UnknownName, std::string(word)).at(std::move(here));
  }
  lexer.advance();
  return static_cast<CoordinateIndex>(found - names_.begin());
}

Result<CoordinateIndex> DocumentReader::application(CoordinateKind kind, Lexer& lexer,
                                                    const PlaceOf& place, int depth,
                                                    const std::string& here) {
  Coordinate c;
  c.kind = kind;
  CAMBIUM_REQUIRE(lexer.expect("("));
  CAMBIUM_TRY(c.first, coordinate(lexer, place, depth + 1));
  if (info_of(kind).operands == 2) {
    CAMBIUM_REQUIRE(lexer.expect(","));
    CAMBIUM_TRY(c.second, coordinate(lexer, place, depth + 1));
  }
  if (info_of(kind).has_parameter) {
    CAMBIUM_REQUIRE(lexer.expect(","));
    std::string size_here = place(lexer.token());
    CAMBIUM_TRY(c.parameter, problem_.sizes.parse(lexer).at(std::move(size_here)));
  }
  CAMBIUM_REQUIRE(lexer.expect(")"));
  // A primitive makes all of its coordinates, so one half of a MERGE adds the other half too.
  for (const CoordinateInfo& info : kCoordinateInfos) {
    if (info.primitive != info_of(kind).primitive || info.kind == kind) continue;
    c.kind = info.kind;
    CAMBIUM_REQUIRE(add_made(c, here));
  }
  c.kind = kind;
  return add_made(c, here);
}

Result<CoordinateIndex> DocumentReader::add_made(Coordinate c, const std::string& place) {
  CAMBIUM_TRY(c.domain, made_domain(op_, c).at(std::string(name_of(c.kind))).at(place));
  return add(c, place);
}

Result<CoordinateIndex> DocumentReader::add(const Coordinate& c, const std::string& place) {
  const auto known = std::find(op_.coordinates.begin(), op_.coordinates.end(), c);
  if (known != op_.coordinates.end()) {
    return static_cast<CoordinateIndex>(known - op_.coordinates.begin());
  }
  CAMBIUM_REQUIRE(require_room("coordinates", op_.coordinates.size(), kMaxCoordinates));
  op_.coordinates.push_back(c);
  places_.push_back(place);
  return static_cast<CoordinateIndex>(op_.coordinates.size() - 1);
}

// Refuses coordinates that nothing reads unless the document lists them under `expand`.
Status DocumentReader::expands_are_listed() const {
  const std::vector<Use> uses = uses_of(op_);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool listed = std::find(expands_.begin(), expands_.end(),
                                  static_cast<CoordinateIndex>(i)) != expands_.end();
    const bool unread = uses[i].consumptions == 0 && uses[i].weights == 0;
    if (listed == unread) continue;
    const std::string title =
        std::string(name_of(op_.coordinates[i].kind)) + " " +
        coordinate_text(problem_, op_, names_, static_cast<CoordinateIndex>(i));
    if (unread) {
      return Rejection(Reason::CoordinateUnused, title,
                       "x and the weights do not read it; if that is meant, list it under expand")
          .at(places_[i]);
    }
    return Rejection(Reason::CoordinateUsedTwice, title, "by expand and elsewhere").at(places_[i]);
  }
  return Ok{};
}

Result<Operator> DocumentReader::finish() const {
  if (auto found = first_violation(problem_, op_, names_)) {
    if (found->where == kNoCoordinate) return std::move(found->rejection);
    return std::move(found->rejection).at(places_[static_cast<std::size_t>(found->where)]);
  }
  CAMBIUM_REQUIRE(expands_are_listed());
  return canonical(op_);
}

}  // namespace cambium::spaces::coordinate
