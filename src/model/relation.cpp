#include "model/relation.h"

#include <algorithm>

#include "base/text.h"

namespace cambium::model {

namespace {

std::vector<std::string> spatial_names(std::size_t axes) {
  if (axes == 1) return {"L"};
  if (axes == 2) return {"H", "W"};
  if (axes == 3) return {"D", "H", "W"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes; ++i) names.push_back("S" + std::to_string(i));
  return names;
}

// Gives each name the number it stands for, the first time it is written.
class Writer {
 public:
  explicit Writer(Relation& relation) : relation_(relation) {}

  std::string primary(const std::string& name, std::int64_t value) {
    const auto known = std::find_if(relation_.primaries.begin(), relation_.primaries.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (known == relation_.primaries.end()) relation_.primaries.emplace_back(name, value);
    return name;
  }

  std::string scaled(const std::string& coefficient, std::int64_t factor, const std::string& name,
                     std::int64_t value) {
    relation_.coefficients[coefficient] = factor;
    return coefficient + "*" + primary(name, value);
  }

 private:
  Relation& relation_;
};

// One name for all strides other than 1 where they are equal, otherwise one per axis.
std::vector<std::string> stride_names(const Ints& strides, const std::vector<std::string>& axes) {
  std::int64_t common = 1;
  bool uniform = true;
  for (const std::int64_t stride : strides) {
    if (stride == 1) continue;
    uniform = uniform && (common == 1 || common == stride);
    common = stride;
  }
  std::vector<std::string> names;
  for (const std::string& axis : axes) names.push_back(uniform ? "s" : "s" + axis);
  return names;
}

// Writes the tensors of a block against its first output: an extent that is equal on the same axis
// is the same variable, a multiple along space is s times it, anything else is its own variable.
class BlockWriter {
 public:
  BlockWriter(Relation& relation, const TensorType& reference, bool channels_first)
      : relation_(relation), write_(relation), reference_(reference.dims) {
    const std::size_t rank = reference_.size();
    channel_ = channels_first && rank > 1 ? 1 : std::max<std::size_t>(rank, 1) - 1;
    const std::vector<std::string> middle =
        channels_first && rank > 2 ? spatial_names(rank - 2) : std::vector<std::string>{"T"};
    for (std::size_t axis = 0, m = 0; axis < rank; ++axis) {
      if (axis == channel_) {
        names_.push_back("C");
      } else if (axis == 0) {
        names_.push_back("N");
      } else {
        names_.push_back(m < middle.size() ? middle[m] : "B" + std::to_string(m));
        ++m;
      }
    }
  }

  // C where the main input has as many channels, otherwise Ci and Co.
  void compare_channels(const TensorType& input) {
    if (channel_ < reference_.size() && input.dims.size() == reference_.size() &&
        input.dims[channel_] != reference_[channel_]) {
      names_[channel_] = "Co";
    }
  }

  RelationTensor tensor(const TensorType& type, const std::string& suffix) {
    RelationTensor out{type.dtype, {}};
    const bool comparable = type.dims.size() == reference_.size();
    for (std::size_t axis = 0; axis < type.dims.size(); ++axis) {
      out.dims.push_back(
          comparable ? extent(axis, type.dims[axis], suffix)
                     : write_.primary("x" + std::to_string(axis) + suffix, type.dims[axis]));
    }
    return out;
  }

 private:
  std::string extent(std::size_t axis, std::int64_t size, const std::string& suffix) {
    const std::int64_t wanted = reference_[axis];
    if (size == wanted) return write_.primary(names_[axis], size);
    if (axis == channel_) return write_.primary("C" + suffix, size);
    if (axis == 0 || wanted == 0 || size % wanted != 0) {
      return write_.primary(names_[axis] + suffix, size);
    }
    const std::int64_t factor = size / wanted;
    const auto common = relation_.coefficients.find("s");
    const bool fits = common == relation_.coefficients.end() || common->second == factor;
    return write_.scaled(fits ? "s" : "s" + names_[axis] + suffix, factor, names_[axis], wanted);
  }

  Relation& relation_;
  Writer write_;
  Ints reference_;
  std::size_t channel_ = 0;
  std::vector<std::string> names_;
};

}  // namespace

std::string Relation::key() const {
  std::string out;
  const auto print = [&](const std::vector<RelationTensor>& tensors) {
    for (const RelationTensor& tensor : tensors) {
      out += std::string(name_of(tensor.dtype)) + "[" + join(tensor.dims, ", ") + "]";
    }
    out += ";";
  };
  print(inputs);
  print(outputs);
  // Strides that no shape mentions still need the same names.
  for (const auto& [name, value] : coefficients) {
    if (name[0] == 's') out += name + " ";
  }
  return out;
}

Relation conv_relation(const Conv& conv, const TensorType& x, const TensorType& weight,
                       const TensorType& y) {
  Relation r;
  Writer write(r);
  const std::int64_t in = x.dims[1];
  const std::int64_t out = y.dims[1];
  r.axes = spatial_names(x.dims.size() - 2);
  r.kernel = {weight.dims.begin() + 2, weight.dims.end()};
  r.dilation = conv.dilations;
  RelationTensor from{x.dtype, {write.primary("N", x.dims[0])}};
  RelationTensor to{y.dtype, {write.primary("N", y.dims[0])}};
  if (conv.groups > 1 && conv.groups == in) {
    from.dims.push_back(write.primary("C", in));
    to.dims.push_back(out == in ? "C" : write.scaled("m", out / in, "C", in));
  } else {
    from.dims.push_back(write.primary("Ci", in));
    to.dims.push_back(write.primary("Co", out));
    if (conv.groups > 1) r.coefficients["g"] = conv.groups;
  }
  const std::vector<std::string> strides = stride_names(conv.strides, r.axes);
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const std::string& axis = r.axes[i];
    const std::int64_t stride = conv.strides[i];
    const std::int64_t size = y.dims[i + 2];
    to.dims.push_back(write.primary(axis, size));
    if (stride > 1) r.coefficients[strides[i]] = stride;
    const bool exact = x.dims[i + 2] % stride == 0 && x.dims[i + 2] / stride == size;
    if (!exact) {
      from.dims.push_back(write.primary(axis + "i", x.dims[i + 2]));
    } else {
      from.dims.push_back(stride == 1 ? axis : strides[i] + "*" + axis);
    }
  }
  r.inputs = {std::move(from)};
  r.outputs = {std::move(to)};
  return r;
}

Relation linear_relation(const TensorType& x, std::size_t x_channel, const TensorType& y,
                         std::size_t y_channel) {
  Relation r;
  Writer write(r);
  const std::size_t others = x.dims.size() - 1;
  const auto other_name = [&](std::size_t i) -> std::string {
    if (i == 0) return "N";
    return i + 1 == others ? "T" : "B" + std::to_string(i);
  };
  const auto tensor = [&](const TensorType& type, std::size_t channel, const char* name) {
    RelationTensor out{type.dtype, {}};
    std::size_t other = 0;
    for (std::size_t axis = 0; axis < type.dims.size(); ++axis) {
      out.dims.push_back(
          write.primary(axis == channel ? name : other_name(other), type.dims[axis]));
      if (axis != channel) ++other;
    }
    return out;
  };
  r.inputs = {tensor(x, x_channel, "Ci")};
  r.outputs = {tensor(y, y_channel, "Co")};
  return r;
}

Relation block_relation(const std::vector<TensorType>& inputs,
                        const std::vector<TensorType>& outputs, bool channels_first) {
  Relation r;
  BlockWriter write(r, outputs[0], channels_first);
  if (!inputs.empty()) write.compare_channels(inputs[0]);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    r.inputs.push_back(write.tensor(inputs[i], i == 0 ? "i" : "i" + std::to_string(i + 1)));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    r.outputs.push_back(write.tensor(outputs[i], i == 0 ? "o" : "o" + std::to_string(i + 1)));
  }
  return r;
}

}  // namespace cambium::model
