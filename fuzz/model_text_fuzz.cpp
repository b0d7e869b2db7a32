// Hostile text forms of models: whatever the bytes, the parser answers with a Model that verifies
// and prints to a text that reads back the same, or with a Rejection.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "model/dot.h"
#include "model/fingerprint.h"
#include "model/text.h"
#include "model/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace m = cambium::model;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto model = m::parse_text(input);
  if (!model.ok()) {
    CAMBIUM_CHECK(!model.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  const auto sound = m::verify(*model);
  CAMBIUM_CHECK(sound.ok(), sound.rejection().message());
  const std::string text = m::to_text(*model);
  const auto again = m::parse_text(text);
  CAMBIUM_CHECK(again.ok(), again.rejection().message());
  CAMBIUM_CHECK(m::to_text(*again) == text, text);
  CAMBIUM_CHECK(m::structure_of(*again) == m::structure_of(*model), text);
  CAMBIUM_CHECK(!m::to_dot(*model).empty(), text);
  return 0;
}
