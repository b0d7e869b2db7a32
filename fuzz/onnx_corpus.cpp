// Collects small ONNX files for the fuzzer of the importer to mutate: random models, the small
// networks of the zoo, and the models of ONNX's own test data where those are installed.
//   onnx_corpus FOLDER
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "model/onnx/export.h"
#include "model/random_model.h"
#include "model/zoo/zoo.h"

namespace {

using namespace cambium::model;  // NOLINT(google-build-using-namespace)

bool write(const Model& model, const std::filesystem::path& file) {
  const auto status = export_onnx(model, file);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.rejection().message().c_str());
  return status.ok();
}

void copy_suite(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator cases("/usr/share/libonnx-testdata/data/node", error);
  for (; !error && cases != std::filesystem::directory_iterator(); cases.increment(error)) {
    std::error_code ignored;
    std::filesystem::copy_file(cases->path() / "model.onnx",
                               folder / (cases->path().filename().string() + ".onnx"),
                               std::filesystem::copy_options::overwrite_existing, ignored);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  copy_suite(folder);
  bool fine = true;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    fine = write(random_model(seed), folder / ("random_" + std::to_string(seed) + ".onnx")) && fine;
  }
  for (const char* name : {"tiny-resnet", "tiny-gpt"}) {
    zoo::ZooOptions options;
    options.width_divisor = 4;
    const auto model = zoo::build(name, options);
    fine = model.ok() && write(*model, folder / (std::string(name) + ".onnx")) && fine;
  }
  return fine ? 0 : 1;
}
