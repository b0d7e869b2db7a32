#include "train/torch/checkpoint.h"

#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "cambium checkpoint 2";

// JSON has no NaN: it is written as null.
void get_real(const Json& json, const char* name, double& value) {
  const Json& found = json.at(name);
  value = found.is_null() ? std::numeric_limits<double>::quiet_NaN() : found.get<double>();
}

Json json_of(const Quality& quality) {
  return {{"samples", quality.samples},
          {"loss", quality.loss},
          {"top1", quality.top1},
          {"top5", quality.top5},
          {"perplexity", quality.perplexity}};
}

Quality quality_of(const Json& json) {
  Quality out;
  json.at("samples").get_to(out.samples);
  get_real(json, "loss", out.loss);
  get_real(json, "top1", out.top1);
  get_real(json, "top5", out.top5);
  get_real(json, "perplexity", out.perplexity);
  return out;
}

Json json_of(const Epoch& epoch) {
  Json out = {{"number", epoch.number},
              {"loss", epoch.loss},
              {"rate", epoch.rate},
              {"seconds", epoch.seconds},
              {"samples_per_second", epoch.samples_per_second}};
  if (epoch.validation) out["validation"] = json_of(*epoch.validation);
  return out;
}

Epoch epoch_of(const Json& json) {
  Epoch out;
  json.at("number").get_to(out.number);
  get_real(json, "loss", out.loss);
  get_real(json, "rate", out.rate);
  get_real(json, "seconds", out.seconds);
  get_real(json, "samples_per_second", out.samples_per_second);
  if (json.contains("validation")) out.validation = quality_of(json.at("validation"));
  return out;
}

Json put(const std::vector<torch::Tensor>& tensors, std::string& bytes) {
  Json out = Json::array();
  for (const torch::Tensor& each : tensors) {
    const model::Tensor plain = from_torch(each);
    out.push_back({{"dtype", std::string(name_of(plain.dtype()))}, {"dims", plain.dims()}});
    const std::span<const std::byte> raw = plain.bytes();
    bytes.append(reinterpret_cast<const char*>(raw.data()), raw.size());
  }
  return out;
}

// Takes tensors from the front of `bytes`. Throws for what was not written by put.
std::vector<torch::Tensor> take(const Json& json, std::string_view& bytes) {
  std::vector<torch::Tensor> out;
  for (const Json& each : json) {
    const auto dtype = dtype_named(each.at("dtype").get<std::string>());
    model::TensorType type{dtype.value_or(DType::F32), each.at("dims").get<model::Ints>()};
    if (!dtype || !check_type(type).ok() ||
        type.bytes() > static_cast<std::int64_t>(bytes.size())) {
      throw std::runtime_error("a tensor is longer than the file");
    }
    const auto size = static_cast<std::size_t>(type.bytes());
    const auto* raw = reinterpret_cast<const std::byte*>(bytes.data());
    out.push_back(
        to_torch(model::Tensor(std::move(type), std::vector<std::byte>(raw, raw + size)), {}));
    bytes.remove_prefix(size);
  }
  return out;
}

std::string sum_of(std::string_view bytes) {
  return Fingerprint::of_bytes(std::as_bytes(std::span(bytes.data(), bytes.size()))).text();
}

Checkpoint read(const Json& head, std::string_view bytes) {
  Checkpoint out;
  head.at("epoch").get_to(out.epoch);
  head.at("index").get_to(out.index);
  get_real(head, "loss_sum", out.loss_sum);
  get_real(head, "first_loss", out.first_loss);
  get_real(head, "seconds", out.seconds);
  head.at("best_epoch").get_to(out.best_epoch);
  head.at("stopped").get_to(out.stopped);
  for (const Json& each : head.at("epochs")) out.epochs.push_back(epoch_of(each));
  out.now = take(head.at("now"), bytes);
  out.averaged = take(head.at("averaged"), bytes);
  out.best = take(head.at("best"), bytes);
  out.remembered = take(head.at("remembered"), bytes);
  return out;
}

Rejection bad(const std::string& path, std::string why) {
  return Rejection(Reason::BadRecord, std::move(why), "", 1).at(path);
}

}  // namespace

Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
  std::string bytes;
  Json head = {{"format", kFormat},
               {"training", checkpoint.training.text()},
               {"epoch", checkpoint.epoch},
               {"index", checkpoint.index},
               {"loss_sum", checkpoint.loss_sum},
               {"first_loss", checkpoint.first_loss},
               {"seconds", checkpoint.seconds},
               {"best_epoch", checkpoint.best_epoch},
               {"stopped", checkpoint.stopped}};
  head["epochs"] = Json::array();
  for (const Epoch& each : checkpoint.epochs) head["epochs"].push_back(json_of(each));
  head["now"] = put(checkpoint.now, bytes);
  head["averaged"] = put(checkpoint.averaged, bytes);
  head["best"] = put(checkpoint.best, bytes);
  head["remembered"] = put(checkpoint.remembered, bytes);
  head["sum"] = sum_of(bytes);
  return write_file(path, json_text(head) + "\n" + bytes);
}

Result<Checkpoint> load_checkpoint(const std::string& path, const Fingerprint& training) {
  CAMBIUM_TRY(const std::string content, read_file(path));
  const std::size_t end = content.find('\n');
  const auto head = parse_json(std::string_view(content).substr(0, end));
  if (end == std::string::npos || !head.ok() || !head->is_object() ||
      head->value("format", Json()) != kFormat) {
    return bad(path, "is not a checkpoint of this program");
  }
  const std::string_view bytes = std::string_view(content).substr(end + 1);
  if (head->value("sum", Json()) != sum_of(bytes)) return bad(path, "the file is damaged");
  if (head->value("training", Json()) != training.text()) {
    return bad(path, "is of another training: the model, the recipe, the seed or the data differ");
  }
  try {
    Checkpoint out = read(*head, bytes);
    out.training = training;
    return out;
  } catch (const std::exception& error) {
    return bad(path, error.what());
  }
}

}  // namespace cambium::train
