// Hostile object files, as the runner loads them: laid out and relocated, or refused. The code in
// them is never called.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "measure/runner/elf_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto image = cambium::measure::ElfImage::load(input);
  if (!image.ok()) {
    CAMBIUM_CHECK(!image.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  const auto kernel = image->find("kernel");
  CAMBIUM_CHECK(!kernel.ok() || *kernel != nullptr, "a function that is there has an address");
  return 0;
}
