// Hostile documents of coordinate operators: whatever the bytes, the parser answers with an
// operator that prints to a text and a JSON that read back as the same, or with a Rejection.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "spaces/coordinate/canonical.h"
#include "spaces/coordinate/check.h"
#include "spaces/coordinate/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace s = cambium::spaces::coordinate;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto shapes = s::document_shapes(input);
  if (!shapes.ok()) {
    CAMBIUM_CHECK(!shapes.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  const std::vector<std::string> bindings = {"N=1, Ci=8, Co=8, H=6, W=4, k=3, g=2, s=2, t=3"};
  const auto problem = s::problem_of(shapes->input, shapes->output, bindings);
  if (!problem.ok()) return 0;
  const auto op = s::parse(*problem, input);
  if (!op.ok()) {
    CAMBIUM_CHECK(!op.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  CAMBIUM_CHECK(s::check(*problem, *op).ok(), "what was read is legal");
  CAMBIUM_CHECK(s::canonical(*op) == *op, "what was read is canonical");
  for (const std::string& text : {s::to_text(*problem, *op), s::to_json(*problem, *op)}) {
    const auto again = s::parse(*problem, text);
    CAMBIUM_CHECK(again.ok(), again.rejection().message());
    CAMBIUM_CHECK(*again == *op, text);
    CAMBIUM_CHECK(s::identity(*problem, *again) == s::identity(*problem, *op), text);
  }
  return 0;
}
