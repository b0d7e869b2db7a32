// Hostile ONNX files. Whatever the bytes, the importer answers with a sound Model or a Rejection;
// and what it accepts goes out as ONNX and comes back as it was.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/fingerprint.h"
#include "model/onnx/export.h"
#include "model/onnx/import.h"
#include "model/verify.h"

namespace {

using namespace cambium::model;  // NOLINT(google-build-using-namespace)

// Lazy weights of a hostile file may be large: they are not written out.
bool is_small(const Model& model) {
  std::int64_t bytes = 0;
  for (const NodePtr& node : model.nodes()) {
    if (const auto* weight = node->as<Weight>()) bytes += weight->value.type().bytes();
    if (bytes > 1 << 20) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ImportOptions options;
  options.limits.folded_bytes = 1 << 24;
  options.limits.folded_work = 1 << 24;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto imported = import_onnx_bytes(text, "", options);
  if (!imported.ok()) {
    CAMBIUM_CHECK(!imported.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  const auto sound = verify(imported->model);
  CAMBIUM_CHECK(sound.ok(), sound.ok() ? "" : sound.rejection().message());
  if (!is_small(imported->model)) return 0;
  const auto written = export_onnx_bytes(imported->model);
  if (!written.ok()) {
    CAMBIUM_CHECK(written.rejection().reason() == cambium::Reason::NotExportable,
                  written.rejection().message());
    return 0;
  }
  const auto again = import_onnx_bytes(*written, "");
  CAMBIUM_CHECK(again.ok(), again.ok() ? "" : again.rejection().message());
  CAMBIUM_CHECK(structure_of(again->model) == structure_of(imported->model),
                "a model that was read, written and read again is another");
  return 0;
}
