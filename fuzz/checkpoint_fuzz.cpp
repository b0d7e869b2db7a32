// Hostile checkpoints of trainings, all of them with the right checksum: whatever the bytes, the
// reader answers with a checkpoint that is written and read back as the same, or with a Rejection
// that does not say what a library threw.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "train/checkpoint_file.h"

namespace {

// Reads the bytes as they are, and behind the line that belongs to them.
void try_checkpoint(std::string_view bytes) {
  namespace t = cambium::train;
  constexpr cambium::Fingerprint kOfTheSeeds{1, 2};
  const auto file = t::parse_checkpoint(bytes, kOfTheSeeds);
  if (!file.ok()) {
    const std::string message = file.rejection().message();
    CAMBIUM_CHECK(!message.empty(), "a refusal says why");
    CAMBIUM_CHECK(message.find("exception") == std::string::npos, message);
    return;
  }
  CAMBIUM_CHECK(file->head.best_epoch <= file->head.epoch, "the best epoch is one of them");
  const std::string written = t::checkpoint_bytes(*file);
  const auto again = t::parse_checkpoint(written, kOfTheSeeds);
  CAMBIUM_CHECK(again.ok(), again.rejection().message());
  CAMBIUM_CHECK(t::checkpoint_bytes(*again) == written, written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  try_checkpoint(input);
  try_checkpoint(cambium::train::checkpoint_line(input) + std::string(input));
  return 0;
}
