#include <filesystem>

#include "base/file.h"
#include "compile/compile.h"
#include "compile/library_texts.h"

namespace cambium::compile {

Status write_library(const CompiledModel& model, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Rejection(Reason::Unwritable, folder, error.message());
  const std::string stem = folder + "/" + c_name(model.name);
  CAMBIUM_REQUIRE(codegen::link_shared(model.objects, model.driver, model.machine, stem + ".so"));
  const std::string_view weights(reinterpret_cast<const char*>(model.weights.data()),
                                 model.weights.size());
  CAMBIUM_REQUIRE(write_file(stem + ".weights", weights));
  CAMBIUM_REQUIRE(write_file(stem + ".h", header_text(model)));
  return write_file(folder + "/manifest.json", manifest_text(model));
}

}  // namespace cambium::compile
