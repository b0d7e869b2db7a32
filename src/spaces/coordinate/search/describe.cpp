#include "spaces/coordinate/search/describe.h"

#include "base/text.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/draw.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/lowering/text.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string catalogue_name(const Problem& problem, const Operator& op) {
  SemanticHasher hasher(problem);
  const auto own = hasher.first_hash(op);
  for (const KnownOperator& known : known_operators()) {
    const auto parsed = parse(problem, known.document);
    if (!parsed.ok()) continue;  // of other shapes, or not legal here
    if (identity(problem, *parsed) == identity(problem, op)) return std::string(known.name);
    // Few agree at the first look, which takes a fifth of the time.
    const auto other = hasher.first_hash(*parsed);
    if (!own.ok() || !other.ok() || *other != *own) continue;
    const auto whole = hasher.fingerprint(op, *own),
               known_whole = hasher.fingerprint(*parsed, *own);
    if (whole.ok() && known_whole.ok() && *whole == *known_whole) return std::string(known.name);
  }
  return {};
}

Description description_of(const Family& family, const Operator& op) {
  const Problem& problem = family.problem;
  const std::string name = catalogue_name(problem, op);
  Description description;
  description.title = (name.empty() ? "new operator" : name) + ": " +
                      counted(static_cast<std::size_t>(primitive_count(op)), "primitive") + ", " +
                      counted(op.weights.size(), "weight") + ", at " +
                      counted(family.places.size(), "place");
  description.equation = trim(equation_text(problem, op));
  if (const auto stages = stages_of(op, problem.bindings); stages.ok()) {
    if (stages->size() > 1) description.equation += "\n" + stages_text(problem, op, *stages);
    description.loops = loops_text(problem, op, *stages);
  }
  description.drawing = to_dot(problem, op);
  return description;
}

}  // namespace cambium::spaces::coordinate
