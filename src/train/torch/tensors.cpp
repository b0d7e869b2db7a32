#include "train/torch/tensors.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace cambium::train {

torch::Device torch_device(const Device& device) {
  if (device.is_cuda()) return {torch::kCUDA, static_cast<torch::DeviceIndex>(device.index)};
  return torch::Device(torch::kCPU);
}

bool has_torch_type(DType type) {
  return type != DType::U16 && type != DType::U32 && type != DType::U64;
}

torch::ScalarType torch_type(DType type) {
  switch (type) {
    case DType::F32: return torch::kFloat;
    case DType::F64: return torch::kDouble;
    case DType::F16: return torch::kHalf;
    case DType::BF16: return torch::kBFloat16;
    case DType::I8: return torch::kChar;
    case DType::I16: return torch::kShort;
    case DType::I32: return torch::kInt;
    case DType::I64: return torch::kLong;
    case DType::U8: return torch::kByte;
    case DType::Bool: return torch::kBool;
    case DType::U16:
    case DType::U32:
    case DType::U64: break;
  }
  CAMBIUM_CHECK(false, "no such type in libtorch");
  return torch::kFloat;
}

namespace {

DType model_type(torch::ScalarType type) {
  for (int i = 0; i <= static_cast<int>(DType::Bool); ++i) {
    const auto candidate = static_cast<DType>(i);
    if (has_torch_type(candidate) && torch_type(candidate) == type) return candidate;
  }
  CAMBIUM_CHECK(false, "a type of libtorch that models have not");
  return DType::F32;
}

}  // namespace

torch::Tensor converted(const torch::Tensor& tensor, torch::ScalarType type) {
  const bool narrows = torch::isFloatingType(tensor.scalar_type()) &&
                       torch::isIntegralType(type, /*includeBool=*/false);
  if (!narrows) return tensor.to(type);
  const int bits = 8 * static_cast<int>(torch::elementSize(type));
  const bool has_sign = type != torch::kByte;
  const double above = std::ldexp(1.0, has_sign ? bits - 1 : bits), below = has_sign ? -above : 0;
  const torch::Tensor high = tensor >= above, low = tensor < below;
  const torch::Tensor whole =
      tensor.masked_fill(high.logical_or(low).logical_or(tensor.isnan()), 0).to(type);
  const std::int64_t highest =
      bits == 64 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(above) - 1;
  const std::int64_t lowest =
      bits == 64 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(below);
  return whole.masked_fill(high, highest).masked_fill(low, lowest);
}

torch::Tensor to_torch(const model::Tensor& tensor, const Device& device) {
  torch::Tensor out = torch::empty(tensor.dims(), torch_type(tensor.dtype()));
  const std::span<const std::byte> bytes = tensor.bytes();
  if (!bytes.empty()) std::memcpy(out.data_ptr(), bytes.data(), bytes.size());
  return device.is_cuda() ? out.to(torch_device(device)) : out;
}

model::Tensor from_torch(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  std::vector<std::byte> bytes(static_cast<std::size_t>(plain.numel()) * plain.element_size());
  if (!bytes.empty()) std::memcpy(bytes.data(), plain.data_ptr(), bytes.size());
  return {{model_type(plain.scalar_type()), plain.sizes().vec()}, std::move(bytes)};
}

}  // namespace cambium::train
