#include "engine/search/test_split.h"

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "data/dataset.h"

namespace cambium::engine {
namespace {

// Other mistakes show in the first training, which begins at once.
Status check_size(const model::Model& model, const data::ImageSet& images) {
  if (model.inputs().size() != 1) return Ok{};
  const model::Node& input = model.node(model.inputs()[0]);
  const model::Ints& dims = input.outputs[0].dims;
  const model::Ints wanted = {images.channels, images.height, images.width};
  if (dims.size() != 4 || model::Ints(dims.begin() + 1, dims.end()) == wanted) return Ok{};
  return Rejection(
      Reason::ShapeMismatch, fmt::format("input '{}'", input.name),
      fmt::format("takes {}, the images of the test split have {} channels of {}x{}",
                  input.outputs[0].text(), images.channels, images.height, images.width));
}

}  // namespace

Status check_test_split(const model::Model& model, const std::string& data, int threads) {
  data::DataOptions options;
  options.access = data::Access::Evaluation;
  CAMBIUM_TRY(const data::Dataset set, data::open_dataset(data, options));
  if (set.is_text()) {
    CAMBIUM_REQUIRE(
        set.text(data::Split::Test).at("the test split, which the finals are judged on"));
    return Ok{};
  }
  ThreadPool pool(threads);
  CAMBIUM_TRY(
      const data::ImageSplit images,
      set.images(data::Split::Test, pool).at("the test split, which the finals are judged on"));
  return check_size(model, *images.set);
}

}  // namespace cambium::engine
