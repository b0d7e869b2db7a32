#include "train/checkpoint_file.h"

#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/outputs.h"
#include "base/thread_pool.h"
#include "model/fingerprint.h"

namespace cambium::train {

namespace {

using Json = nlohmann::json;
using Tensors = std::vector<model::Tensor>;

constexpr const char* kFormat = "cambium checkpoint 3";
constexpr const char* kTensorsSummed = "cambium checkpoint 2";

Json json_of(const Quality& quality) {
  return {{"samples", quality.samples},
          {"loss", quality.loss},
          {"top1", quality.top1},
          {"top5", quality.top5},
          {"perplexity", quality.perplexity}};
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

Json types_of(const Tensors& tensors) {
  Json out = Json::array();
  for (const model::Tensor& each : tensors) {
    out.push_back({{"dtype", std::string(name_of(each.dtype()))}, {"dims", each.dims()}});
  }
  return out;
}

Json json_of(const CheckpointFile& file) {
  const CheckpointHead& head = file.head;
  Json epochs = Json::array();
  for (const Epoch& each : head.epochs) epochs.push_back(json_of(each));
  return {{"training", head.training.text()},
          {"classes", head.classes.text()},
          {"threads", head.threads},
          {"device", head.device},
          {"epoch", head.epoch},
          {"index", head.index},
          {"loss_sum", head.loss_sum},
          {"first_loss", head.first_loss},
          {"seconds", head.seconds},
          {"best_epoch", head.best_epoch},
          {"stopped", head.stopped},
          {"epochs", std::move(epochs)},
          {"now", types_of(file.now)},
          {"averaged", types_of(file.averaged)},
          {"best", types_of(file.best)},
          {"remembered", types_of(file.remembered)}};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Fingerprint sum_of(std::string_view bytes) {
  return Fingerprint::of_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

// Includes the format, so a file cannot pass for one of another format.
std::string whole_sum(std::string_view rest) {
  return cambium::fingerprint_of(kFormat, sum_of(rest)).text();
}

Rejection bad(std::string why) {
  return Rejection(Reason::BadRecord, std::move(why), "", 1);
}

Rejection damaged(std::string_view what) {
  return bad(fmt::format("the file is damaged: {} is missing or wrong", what));
}

// Takes the members of an object and remembers the first that is missing or of another type.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  Members& take(const char* name, std::int64_t& to) {
    const Json& found = member(name);
    const bool fits = found.is_number_integer() &&
                      (!found.is_number_unsigned() || found.get<std::uint64_t>() <= kLargest);
    if (!fits) return refuse(name);
    to = found.get<std::int64_t>();
    return *this;
  }
  // JSON has no NaN: it is written as null.
  Members& take(const char* name, double& to) {
    const Json& found = member(name);
    if (!found.is_number() && !(found.is_null() && has(name))) return refuse(name);
    to = found.is_null() ? std::numeric_limits<double>::quiet_NaN() : found.get<double>();
    return *this;
  }
  Members& take(const char* name, std::string& to) {
    const Json& found = member(name);
    if (!found.is_string()) return refuse(name);
    to = found.get<std::string>();
    return *this;
  }
  template <class T, class Read>
  Members& take_list(const char* name, std::vector<T>& to, const Read& read) {
    const Json& found = member(name);
    if (!found.is_array()) return refuse(name);
    for (const Json& each : found) {
      auto one = read(each);
      if (!one) return refuse(name);
      to.push_back(std::move(*one));
    }
    return *this;
  }

  bool has(const char* name) const { return json_.is_object() && json_.contains(name); }
  const Json& member(const char* name) const {
    static const Json kNone;
    return has(name) ? *json_.find(name) : kNone;
  }
  const std::string& wrong() const { return wrong_; }  // empty: nothing

 private:
  static constexpr auto kLargest =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  Members& refuse(const char* name) {
    if (wrong_.empty()) wrong_ = fmt::format("'{}'", name);
    return *this;
  }

  const Json& json_;
  std::string wrong_;
};

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

std::optional<Quality> quality_of(const Json& json) {
  Quality out;
  Members members(json);
  members.take("samples", out.samples)
      .take("loss", out.loss)
      .take("top1", out.top1)
      .take("top5", out.top5)
      .take("perplexity", out.perplexity);
  const bool is_sound = members.wrong().empty() && out.samples > 0 && is_share(out.top1) &&
                        is_share(out.top5) && out.top1 <= out.top5;
  return is_sound ? std::optional(out) : std::nullopt;
}

std::optional<Epoch> epoch_of(const Json& json) {
  Epoch out;
  Members members(json);
  members.take("number", out.number)
      .take("loss", out.loss)
      .take("rate", out.rate)
      .take("seconds", out.seconds)
      .take("samples_per_second", out.samples_per_second);
  if (!members.wrong().empty()) return std::nullopt;
  if (!members.has("validation")) return out;
  out.validation = quality_of(members.member("validation"));
  return out.validation ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::int64_t> dim_of(const Json& json) {
  const bool fits = json.is_number_integer() && json >= 0 && json <= model::kMaxTensorBytes;
  return fits ? std::optional(json.get<std::int64_t>()) : std::nullopt;
}

// Takes tensors from the front of `bytes`.
Members& take_tensors(Members& members, const char* name, std::string_view& bytes, Tensors& to) {
  return members.take_list(name, to, [&](const Json& json) -> std::optional<model::Tensor> {
    std::string spelled;
    model::TensorType type;
    Members fields(json);
    fields.take("dtype", spelled).take_list("dims", type.dims, dim_of);
    const auto dtype = dtype_named(spelled);
    if (!fields.wrong().empty() || !dtype) return std::nullopt;
    type.dtype = *dtype;
    if (!check_type(type).ok()) return std::nullopt;
    const auto size = static_cast<std::size_t>(type.bytes());
    if (size > bytes.size()) return std::nullopt;
    const auto* raw = reinterpret_cast<const std::byte*>(bytes.data());
    bytes.remove_prefix(size);
    return model::Tensor(std::move(type), std::vector<std::byte>(raw, raw + size));
  });
}

// Says what is wrong with a state that no training would have written; empty: nothing.
const char* unsound(const CheckpointFile& file) {
  const CheckpointHead& head = file.head;
  if (head.epoch != std::ssize(head.epochs) || head.index < 0) return "'epoch'";
  for (std::size_t i = 0; i < head.epochs.size(); ++i) {
    if (head.epochs[i].number != static_cast<std::int64_t>(i) + 1) return "'epochs'";
  }
  const bool has_best = head.best_epoch > 0;
  if (head.best_epoch < 0 || head.best_epoch > head.epoch || has_best == file.best.empty() ||
      (has_best && !head.epochs[static_cast<std::size_t>(head.best_epoch) - 1].validation)) {
    return "'best_epoch'";
  }
  return "";
}

Result<CheckpointFile> read(const Json& json, std::string_view bytes, bool has_classes) {
  CheckpointFile out;
  CheckpointHead& head = out.head;
  std::string training, classes = head.classes.text();
  Members members(json);
  members.take("training", training)
      .take("epoch", head.epoch)
      .take("index", head.index)
      .take("loss_sum", head.loss_sum)
      .take("first_loss", head.first_loss)
      .take("seconds", head.seconds)
      .take("best_epoch", head.best_epoch)
      .take("stopped", head.stopped)
      .take_list("epochs", head.epochs, epoch_of);
  if (has_classes) members.take("classes", classes);
  if (members.has("threads")) members.take("threads", head.threads);  // later ones of format 3
  if (members.has("device")) members.take("device", head.device);
  take_tensors(members, "now", bytes, out.now);
  take_tensors(members, "averaged", bytes, out.averaged);
  take_tensors(members, "best", bytes, out.best);
  take_tensors(members, "remembered", bytes, out.remembered);
  if (!members.wrong().empty()) return damaged(members.wrong());
  const auto known_training = Fingerprint::parse(training),
             known_classes = Fingerprint::parse(classes);
  if (!known_training.ok()) return damaged("'training'");
  if (!known_classes.ok()) return damaged("'classes'");
  head.training = *known_training;
  head.classes = *known_classes;
  if (!bytes.empty()) return damaged("the length of its tensors");
  if (const std::string_view what = unsound(out); !what.empty()) return damaged(what);
  return out;
}

// Returns and removes the text up to the next end of line; nothing if there is none.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

Result<CheckpointFile> parse(std::string_view rest) {
  const auto line = take_line(rest);
  const auto first = parse_json(line.value_or(""));
  const auto said = [&](const char* name) {
    return first->is_object() ? first->value(name, Json()) : Json();
  };
  if (!first.ok() || (said("format") != kFormat && said("format") != kTensorsSummed)) {
    return bad("the file is damaged, or is not a checkpoint of Cambium");
  }
  if (said("format") == kTensorsSummed) {
    if (said("sum") != sum_of(rest).text()) return bad("the file is damaged");
    CAMBIUM_TRY(CheckpointFile out, read(*first, rest, false));
    out.note =
        "the checkpoint is of an older version, whose checksum covers only the weights; its "
        "accuracies are not checked";
    return out;
  }
  if (said("sum") != whole_sum(rest)) return bad("the file is damaged");
  const auto second = take_line(rest);
  const auto head = parse_json(second.value_or(""));
  if (!head.ok()) return damaged("its head");
  return read(*head, rest, true);
}

}  // namespace

std::string checkpoint_line(std::string_view rest) {
  return json_text({{"format", kFormat}, {"sum", whole_sum(rest)}}) + "\n";
}

std::string checkpoint_bytes(const CheckpointFile& file) {
  // In place, because the tensors are large. The first line has the same length for every checksum.
  std::string bytes = checkpoint_line("");
  const std::size_t rest = bytes.size();
  bytes += json_text(json_of(file)) + "\n";
  for (const Tensors* tensors : {&file.now, &file.averaged, &file.best, &file.remembered}) {
    for (const model::Tensor& each : *tensors) bytes += text_of(each.bytes());
  }
  bytes.replace(0, rest, checkpoint_line(std::string_view(bytes).substr(rest)));
  return bytes;
}

Result<CheckpointFile> parse_checkpoint(std::string_view bytes, const Fingerprint& training) {
  CAMBIUM_TRY(CheckpointFile out, parse(bytes));
  if (out.head.training == training) return out;
  return bad("the checkpoint is of another training: the model, recipe, seed or data differ");
}

Fingerprint training_of(const model::Model& model, const data::Dataset& data,
                        const TrainOptions& options) {
  return cambium::fingerprint_of(model::content_of(model), fingerprint_of(options.recipe),
                                 options.seed, data.spec().text(), options.validates);
}

Status check_checkpoint(const model::Model& model, const data::Dataset& data,
                        const TrainOptions& options) {
  if (options.checkpoint.empty()) return Ok{};
  CAMBIUM_REQUIRE(check_output_file(options.checkpoint));
  std::error_code ignored;
  if (!std::filesystem::exists(options.checkpoint, ignored)) return Ok{};
  CAMBIUM_TRY(const CheckpointFile file,
              read_checkpoint(options.checkpoint, training_of(model, data, options)));
  return check_classes(file.head.classes, classes_of(data)).at(options.checkpoint);
}

Fingerprint classes_of(const data::Dataset& data) {
  ThreadPool pool(1);
  const std::vector<std::string> names = data.named_classes(pool);
  return names.empty() ? Fingerprint{} : Hasher().add_range(names).done();
}

Status check_classes(const Fingerprint& made_with, const Fingerprint& classes) {
  if (made_with == Fingerprint{} || made_with == classes) return Ok{};
  return Rejection(Reason::BadRecord,
                   "the classes of the checkpoint differ from those of the data set", "", 1);
}

Status write_checkpoint(const CheckpointFile& file, const std::string& path) {
  return write_file(path, checkpoint_bytes(file));
}

Result<CheckpointFile> read_checkpoint(const std::string& path, const Fingerprint& training) {
  CAMBIUM_TRY(const std::string bytes, read_file(path));
  return parse_checkpoint(bytes, training).at(path);
}

}  // namespace cambium::train
