#include "model/onnx/suite_testing.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "model/onnx/import.h"

namespace cambium::model {

Result<std::vector<Tensor>> read_tensors(const std::filesystem::path& folder, const char* what) {
  std::vector<Tensor> tensors;
  for (int i = 0;; ++i) {
    const std::filesystem::path file = folder / fmt::format("{}_{}.pb", what, i);
    if (!std::filesystem::exists(file)) return tensors;
    CAMBIUM_TRY(Tensor tensor, read_onnx_tensor(file));
    tensors.push_back(std::move(tensor));
  }
}

std::string difference(const Tensor& found, const Tensor& expected, const Tolerance& tolerance,
                       double& worst) {
  if (found.type() != expected.type()) {
    return fmt::format("is {}, expected {}", found.type().text(), expected.type().text());
  }
  const std::vector<double> a = found.to_doubles(), b = expected.to_doubles();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i]) continue;
    const double error = std::fabs(a[i] - b[i]);
    if (!(error <= tolerance.absolute + tolerance.relative * std::fabs(b[i]))) {
      return fmt::format("element {} is {}, expected {}", i, a[i], b[i]);
    }
    worst = std::max(worst, error / (std::fabs(b[i]) + 1e-6));
  }
  return "";
}

}  // namespace cambium::model
