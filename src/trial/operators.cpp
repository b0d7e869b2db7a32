#include "trial/operators.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "model/builder.h"

namespace cambium::trial {

namespace {

using Ints = std::vector<std::int64_t>;
using model::Value;

constexpr std::int64_t kLargest = 1 << 24;  // of one number; the tensors have limits of their own

// What stands between the brackets.
struct Words {
  Ints dims;                            // the first: 1x64x56x56
  std::optional<std::int64_t> outputs;  // a number by itself
  std::map<std::string, Ints, std::less<>> numbers;
  std::set<std::string, std::less<>> flags;
};

struct Form {
  std::string_view name, example, summary;
  std::vector<std::string_view> numbers, flags;
  bool has_outputs;
  std::size_t least_rank, most_rank;
  Result<Operator> (*make)(const Words& words, const Form& form);
};

model::Tensor weight(const Ints& dims, std::uint64_t seed) {
  return model::Tensor::lazy({DType::F32, dims}, {model::Fill::Law::Uniform, 0.5, seed});
}

Result<Operator> finished(model::Builder builder, const std::vector<Value>& channels_last) {
  Operator made;
  CAMBIUM_TRY(made.model, std::move(builder).finish());
  for (const Value value : channels_last) {
    made.layouts.set(value, lower::channels_last(made.model.type(value).rank()));
  }
  return made;
}

// One number per spatial axis; a single one is for all of them.
Ints per_axis(const Words& words, std::string_view name, std::size_t rank, std::int64_t otherwise) {
  const auto found = words.numbers.find(name);
  if (found == words.numbers.end()) return Ints(rank, otherwise);
  return found->second.size() == 1 ? Ints(rank, found->second[0]) : found->second;
}

Result<Operator> make_conv(const Words& words, const Form& form) {
  const std::size_t rank = words.dims.size() - 2;
  const std::int64_t in = words.dims[1];
  const bool is_depthwise = form.name == "depthwise", is_transposed = form.name == "deconv2d";
  const std::int64_t out = is_depthwise ? in : *words.outputs;
  const std::int64_t groups = is_depthwise ? in : per_axis(words, "groups", 1, 1)[0];
  const Ints kernel = per_axis(words, "kernel", rank, 1),
             strides = per_axis(words, "stride", rank, 1),
             dilations = per_axis(words, "dilation", rank, 1),
             pad = per_axis(words, "pad", rank, 0);
  for (const Ints* each : {&kernel, &strides, &dilations, &pad}) {
    if (each->size() == rank) continue;
    return Rejection(Reason::BadOption, "kernel, stride, pad and dilation",
                     "give one number or " + std::to_string(rank));
  }
  if (groups < 1 || in % groups != 0 || out % groups != 0) {
    return Rejection(
        Reason::BadOption, "groups " + std::to_string(groups),
        "must divide both " + std::to_string(in) + " and " + std::to_string(out) + " channels");
  }
  Ints pads = pad;
  pads.insert(pads.end(), pad.begin(), pad.end());
  Ints weights = is_transposed ? Ints{in, out / groups} : Ints{out, in / groups};
  weights.insert(weights.end(), kernel.begin(), kernel.end());

  model::Builder b{std::string(form.name)};
  const Value x = b.input("x", {DType::F32, words.dims});
  std::vector<Value> inputs{x, b.weight("w", weight(weights, 7))};
  if (words.flags.count("bias") > 0) inputs.push_back(b.weight("bias", weight({out}, 8)));
  Value y = is_transposed
                ? b.add(model::ConvTranspose{strides, pads, dilations, Ints(rank, 0), groups},
                        inputs, "conv")
                : b.add(model::Conv{strides, pads, dilations, groups}, inputs, "conv");
  std::vector<Value> channels_last{x, y};
  if (words.flags.count("relu") > 0) {
    y = b.add(model::Unary{model::UnaryFn::Relu}, {y}, "relu");
    channels_last.push_back(y);
  }
  b.output("y", y);
  return finished(std::move(b), channels_last);
}

// 512x256x1024: 512 rows, 256 columns, sums of 1024; a fourth number in front is a batch.
Result<Operator> make_matmul(const Words& words, const Form&) {
  const std::size_t at = words.dims.size() - 3;
  const std::int64_t rows = words.dims[at], columns = words.dims[at + 1], sum = words.dims[at + 2];
  Ints a{rows, sum}, c{sum, columns};
  if (at == 1) a.insert(a.begin(), words.dims[0]);
  if (at == 1) c.insert(c.begin(), words.dims[0]);
  model::Builder b("matmul");
  const Value x = b.input("x", {DType::F32, a});
  const Value w = words.flags.count("constant") > 0 ? b.weight("w", weight(c, 7))
                                                    : b.input("w", {DType::F32, c});
  Value y = b.add(model::MatMul{}, {x, w}, "matmul");
  if (words.flags.count("bias") > 0) {
    y = b.add(model::Binary{model::BinaryFn::Add}, {y, b.weight("bias", weight({columns}, 8))});
  }
  if (words.flags.count("relu") > 0) y = b.add(model::Unary{model::UnaryFn::Relu}, {y});
  b.output("y", y);
  return finished(std::move(b), {});
}

Result<Operator> make_rowwise(const Words& words, const Form& form) {
  model::Builder b{std::string(form.name)};
  const Value x = b.input("x", {DType::F32, words.dims});
  const auto rank = static_cast<std::int64_t>(words.dims.size());
  const Ints last{words.dims.back()};
  if (form.name == "softmax") {
    b.output("y", b.add(model::Softmax{rank - 1}, {x}, "softmax"));
  } else if (form.name == "layernorm") {
    b.output("y", b.add(model::LayerNorm{rank - 1, 1e-5},
                        {x, b.weight("scale", weight(last, 7)), b.weight("bias", weight(last, 8))},
                        "layernorm"));
  } else {
    Ints axes;
    for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
    b.output("y", b.add(model::Reduce{model::ReduceFn::L2, axes, false}, {x}, "norm"));
  }
  return finished(std::move(b), {});
}

const std::vector<Form>& forms() {
  static const std::vector<std::string_view> window = {"kernel", "stride", "pad", "dilation",
                                                       "groups"};
  static const std::vector<std::string_view> single = {"kernel", "stride", "pad", "dilation"};
  static const std::vector<std::string_view> tail = {"bias", "relu"};
  // clang-format off
  static const std::vector<Form> all = {
      {"conv1d", "conv1d(1x64x256, 128, kernel 3, stride 2, pad 1)",
       "batch x channels x length, then output channels", window, tail, true, 3, 3, make_conv},
      {"conv2d", "conv2d(1x256x14x14, 256, kernel 3, pad 1, bias, relu)",
       "batch x channels x height x width, then output channels", window, tail, true, 4, 4,
       make_conv},
      {"conv3d", "conv3d(1x64x16x56x56, 64, kernel 1)",
       "batch x channels x depth x height x width, then output channels", window, tail, true, 5, 5,
       make_conv},
      {"depthwise", "depthwise(1x32x112x112, kernel 3, pad 1)",
       "a convolution with one group per channel", single, tail, false, 3, 5, make_conv},
      {"deconv2d", "deconv2d(1x512x4x4, 256, kernel 4, stride 2, pad 1)",
       "a transposed convolution", window, tail, true, 4, 4, make_conv},
      {"matmul", "matmul(512x32x1024, constant)",
       "rows x columns x summed; a batch in front; constant: the second operand is a weight", {},
       {"constant", "bias", "relu"}, false, 3, 4, make_matmul},
      {"softmax", "softmax(256x1024)", "over the last axis", {}, {}, false, 1, 4, make_rowwise},
      {"layernorm", "layernorm(128x256)", "over the last axis", {}, {}, false, 1, 4, make_rowwise},
      {"norm", "norm(512x512)", "the root of the sum of all squares", {}, {}, false, 1, 4,
       make_rowwise},
  };
  // clang-format on
  return all;
}

std::string examples() {
  std::vector<std::string> texts;
  for (const Form& form : forms()) texts.emplace_back(form.example);
  return join(texts, ", ");
}

Result<Ints> parse_product(std::string_view text) {
  Ints numbers;
  for (const std::string_view part : split(text, 'x')) {
    CAMBIUM_TRY(const std::int64_t number, parse_int(trim(part), 0, kLargest));
    numbers.push_back(number);
  }
  return numbers;
}

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One part between commas: a number, a flag, or a name with its numbers.
Status read_part(std::string_view part, const Form& form, Words& words) {
  const std::size_t blank = part.find(' ');
  const std::string_view name = part.substr(0, blank);
  if (blank == std::string_view::npos) {
    if (has(form.flags, name)) {
      words.flags.emplace(name);
      return Ok{};
    }
    const auto number = parse_int(part, 1, kLargest);
    if (number.ok() && form.has_outputs && !words.outputs) {
      words.outputs = *number;
      return Ok{};
    }
  } else if (has(form.numbers, name)) {
    CAMBIUM_TRY(Ints numbers, parse_product(trim(part.substr(blank))).at(std::string(name)));
    if (!words.numbers.emplace(name, std::move(numbers)).second) {
      return Rejection(Reason::BadOption, std::string(name), "it appears twice");
    }
    return Ok{};
  }
  std::vector<std::string> known;
  for (const auto each : form.numbers) known.push_back(std::string(each) + " N");
  for (const auto each : form.flags) known.emplace_back(each);
  return Rejection(Reason::BadOption, quote(part),
                   known.empty() ? std::string(form.name) + " takes only sizes"
                                 : std::string(form.name) + " takes " + join(known, ", "));
}

Result<Words> read_words(std::string_view inside, const Form& form) {
  Words words;
  const std::vector<std::string_view> parts = split(inside, ',');
  CAMBIUM_TRY(words.dims, parse_product(trim(parts[0])));
  const std::size_t rank = words.dims.size();
  if (rank < form.least_rank || rank > form.most_rank) {
    return Rejection(Reason::BadOption, quote(trim(parts[0])),
                     "write sizes as in " + std::string(form.example));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    CAMBIUM_REQUIRE(read_part(trim(parts[i]), form, words));
  }
  if (form.has_outputs && !words.outputs) {
    return Rejection(
        Reason::BadOption, std::string(form.name),
        "the number of output channels is missing, as in " + std::string(form.example));
  }
  return words;
}

Result<Operator> parsed(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view name = trim(text.substr(0, open));
  const auto form = std::find_if(forms().begin(), forms().end(),
                                 [name](const Form& each) { return each.name == name; });
  if (open == std::string_view::npos || text.back() != ')' || form == forms().end()) {
    return Rejection(Reason::BadOption, quote(text), "write one of " + examples());
  }
  CAMBIUM_TRY(const Words words, read_words(text.substr(open + 1, text.size() - open - 2), *form));
  return form->make(words, *form);
}

}  // namespace

bool looks_like_operator(std::string_view text) {
  const auto ends_with = [text](std::string_view ending) {
    return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
  };
  return text.rfind("zoo:", 0) != 0 && !ends_with(".onnx") && !ends_with(".cambium");
}

Result<Operator> parse_operator(std::string_view text) {
  auto made = parsed(trim(text));
  if (made.ok()) return made;
  // One reason for all that can be wrong, with the words of what it was.
  return Rejection(Reason::UnknownOperator, std::string(text), made.rejection().message());
}

std::vector<OperatorForm> operator_forms() {
  std::vector<OperatorForm> all;
  for (const Form& form : forms()) {
    all.push_back({std::string(form.example), std::string(form.summary)});
  }
  return all;
}

}  // namespace cambium::trial
