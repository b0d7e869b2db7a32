#include "data/dataset.h"

#include <filesystem>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "data/cifar.h"
#include "data/image_folder.h"
#include "data/mnist.h"

namespace cambium::data {

struct Dataset::State {
  DataSpec spec;
  DataOptions options;
  std::mutex lock;
  std::shared_ptr<const ImageSet> parts[2];  // by Part; read when first asked for
};

namespace {

std::vector<std::string> fashion_classes() {
  return {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
          "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
}

std::vector<std::string> digits() {
  return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
}

Result<ImageSet> load_part(const DataSpec& spec, Part part, ThreadPool& pool) {
  switch (spec.name) {
    case DataName::FashionMnist: return load_mnist(spec.path, part, fashion_classes());
    case DataName::Mnist: return load_mnist(spec.path, part, digits());
    case DataName::Cifar10: return load_cifar(spec.path, part, cifar10_form());
    case DataName::Cifar100: return load_cifar(spec.path, part, cifar100_form());
    case DataName::Images: return load_image_folder(spec.path, part, spec.size, pool);
    case DataName::Text: break;
  }
  return Rejection(Reason::WrongDataKind, spec.text(), "text, not images");
}

// So many of the members, of each class its share; the same ones every time.
std::vector<std::uint32_t> some_of(const std::vector<std::uint32_t>& members, const ImageSet& set,
                                   std::int64_t count, const CarveOptions& how) {
  if (std::ssize(members) <= count) return members;
  std::vector<std::int32_t> labels;
  for (const std::uint32_t member : members) labels.push_back(set.labels[member]);
  CarveOptions share = how;
  share.share = static_cast<double>(count) / static_cast<double>(members.size());
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t i : carve(labels, share).validation) chosen.push_back(members[i]);
  return chosen;
}

}  // namespace

bool Dataset::is_text() const {
  return state_->spec.name == DataName::Text;
}

const DataSpec& Dataset::spec() const {
  return state_->spec;
}

Status Dataset::check_access(Split split, bool text) const {
  if (text != is_text())
    return Rejection(Reason::WrongDataKind, state_->spec.text(),
                     text ? "images, not text" : "text, not images");
  if (split == Split::Test && state_->options.access == Access::Search)
    return Rejection(Reason::SplitSealed, std::string(name_of(split)), "search")
        .at(state_->spec.text());
  if (!text && split == Split::Validation && state_->options.validation.share == 0)
    return Rejection(Reason::NoSuchSplit, std::string(name_of(split)),
                     "its share of the samples is 0")
        .at(state_->spec.text());
  return Ok{};
}

Result<ImageSplit> Dataset::images(Split split, ThreadPool& pool) const {
  CAMBIUM_REQUIRE(check_access(split, false));
  const Part part = split == Split::Test ? Part::Test : Part::Train;
  const std::lock_guard guard(state_->lock);
  std::shared_ptr<const ImageSet>& set = state_->parts[static_cast<std::size_t>(part)];
  if (!set) {
    CAMBIUM_TRY(ImageSet loaded, load_part(state_->spec, part, pool));
    set = std::make_shared<const ImageSet>(std::move(loaded));
  }
  ImageSplit out{set, {}};
  if (split == Split::Test) {
    out.members.resize(set->size());
    std::iota(out.members.begin(), out.members.end(), 0U);
    return out;
  }
  Carved carved = carve(set->labels, state_->options.validation);
  out.members = std::move(split == Split::Train ? carved.train : carved.validation);
  if (split == Split::Train && state_->spec.train != 0)
    out.members = some_of(out.members, *set, state_->spec.train, state_->options.validation);
  if (out.members.empty())
    return Rejection(Reason::NoSamples, state_->spec.text(),
                     fmt::format("images for the {} split", name_of(split)));
  return out;
}

Result<TextSplit> Dataset::text(Split split) const {
  CAMBIUM_REQUIRE(check_access(split, true));
  TextOptions options;
  options.level = state_->spec.level;
  options.vocabulary = state_->spec.vocabulary;
  options.validation_share = state_->options.validation.share;
  return load_text(state_->spec.path, split, options);
}

std::vector<std::string> Dataset::named_classes(ThreadPool& pool) const {
  if (state_->spec.name != DataName::Images) return {};
  const Result<ImageSplit> train = images(Split::Train, pool);
  return train.ok() ? train->set->class_names : std::vector<std::string>();
}

Result<Normalization> Dataset::normalization(ThreadPool& pool) const {
  switch (state_->spec.name) {
    case DataName::FashionMnist: return Normalization{{0.2860}, {0.3530}};
    case DataName::Mnist: return Normalization{{0.1307}, {0.3081}};
    case DataName::Cifar10:
      return Normalization{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};
    case DataName::Cifar100:
      return Normalization{{0.5071, 0.4865, 0.4409}, {0.2673, 0.2564, 0.2762}};
    case DataName::Text:
    case DataName::Images: break;
  }
  CAMBIUM_TRY(const ImageSplit train, images(Split::Train, pool));
  return measure_normalization(train);
}

Result<Dataset> open_dataset(std::string_view spec, const DataOptions& options) {
  auto state = std::make_shared<Dataset::State>();
  CAMBIUM_TRY(state->spec, parse_spec(spec));
  state->options = options;
  const double share = options.validation.share;
  if (!(share >= 0 && share < 1))
    return Rejection(Reason::BadOption, "validation share",
                     fmt::format("{} is not in [0, 1)", share));
  std::error_code ignored;
  if (!std::filesystem::exists(state->spec.path, ignored))
    return Rejection(Reason::NotFound, state->spec.path).at(state->spec.text());
  return Dataset(std::move(state));
}

}  // namespace cambium::data
