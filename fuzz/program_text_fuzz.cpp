// Hostile texts of loop programs: whatever the bytes, the parser answers with a Program that prints
// to a text that reads back the same, or with a Rejection; and the verifier answers at all.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "program/text.h"
#include "program/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace p = cambium::program;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  p::Context cx;
  const auto program = p::parse(cx, input);
  if (!program.ok()) {
    CAMBIUM_CHECK(!program.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  const std::string text = p::to_text(cx, *program);
  const auto again = p::parse(cx, text);
  CAMBIUM_CHECK(again.ok(), again.rejection().message());
  CAMBIUM_CHECK(p::to_text(cx, *again) == text, text);
  CAMBIUM_CHECK(p::fingerprint_of(*again) == p::fingerprint_of(*program), text);
  p::Context other;
  CAMBIUM_CHECK(p::to_text(other, p::clone_into(other, *program)) == text, text);
  for (const p::Violation& v : p::violations(cx, *program, p::Stage::Ready)) {
    CAMBIUM_CHECK(!v.rejection.message().empty(), "a violation says what");
  }
  return 0;
}
