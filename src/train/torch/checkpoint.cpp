#include "train/torch/checkpoint.h"

#include <utility>

#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

std::vector<model::Tensor> plain(const std::vector<torch::Tensor>& tensors) {
  std::vector<model::Tensor> out;
  for (const torch::Tensor& each : tensors) out.push_back(from_torch(each));
  return out;
}

Status convert(const std::vector<model::Tensor>& tensors, std::vector<torch::Tensor>& out) {
  for (const model::Tensor& each : tensors) {
    if (!has_torch_type(each.dtype())) {
      return Rejection(Reason::BadRecord,
                       "the tensors of the checkpoint differ from those of the model", "", 1);
    }
    out.push_back(to_torch(each, {}));
  }
  return Ok{};
}

}  // namespace

Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
  return write_checkpoint({checkpoint, plain(checkpoint.now), plain(checkpoint.averaged),
                           plain(checkpoint.best), plain(checkpoint.remembered), ""},
                          path);
}

Result<Checkpoint> load_checkpoint(const std::string& path, const Fingerprint& training) {
  CAMBIUM_TRY(CheckpointFile file, read_checkpoint(path, training));
  Checkpoint out{std::move(file.head), {}, {}, {}, {}, std::move(file.note)};
  CAMBIUM_REQUIRE(convert(file.now, out.now).at(path));
  CAMBIUM_REQUIRE(convert(file.averaged, out.averaged).at(path));
  CAMBIUM_REQUIRE(convert(file.best, out.best).at(path));
  CAMBIUM_REQUIRE(convert(file.remembered, out.remembered).at(path));
  return out;
}

}  // namespace cambium::train
