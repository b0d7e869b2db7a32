#include "model/pytorch/source.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/escape.h"
#include "base/file.h"
#include "base/text.h"
#include "model/batch_axes.h"
#include "model/builder.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/pytorch/node_text.h"
#include "model/recognize/apart.h"

namespace cambium::model {

namespace {

using pytorch::Names;
using pytorch::NodeText;

constexpr const char* kHead = R"(import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
)";

constexpr const char* kTail = R"(
DTYPES = {
    "F32": torch.float32, "F64": torch.float64, "F16": torch.float16, "BF16": torch.bfloat16,
    "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64,
    "U8": torch.uint8, "BOOL": torch.bool,
}


def read_safetensors(path):
    """The tensors of a safetensors file by name."""
    data = bytearray(Path(path).read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, about in json.loads(data[8:start]).items():
        if name == "__metadata__":
            continue
        begin, end = about["data_offsets"]
        raw = torch.frombuffer(data[start + begin:start + end], dtype=torch.uint8) \
            if end > begin else torch.empty(0, dtype=torch.uint8)
        tensors[name] = raw.view(DTYPES[about["dtype"]]).reshape(about["shape"])
    return tensors

)";

// Names of values, and the code that computes them from those of the leaves.
class Body {
 public:
  Body(const Model& model, BatchAxes axes, Names& names, bool in_module)
      : model_(model), axes_(std::move(axes)), names_(names), in_module_(in_module) {}

  void call(Value value, std::string name) { called_[value] = std::move(name); }
  const std::string& name(Value value) const { return called_.at(value); }
  // Where constants are made that the code holds.
  void device(std::string expression) { device_ = std::move(expression); }

  // What the names of nodes begin with, and values do not have to.
  void drop(std::string prefix) { prefix_ = std::move(prefix); }

  // `composite` gives the expression that calls what stands for one.
  template <class CallComposite>
  Status write(const CallComposite& composite) {
    find_rolls();
    for (const NodePtr& node : model_.nodes()) {
      if (called_.count({node->id, 0}) != 0 || rolled_.count(node->id) != 0) continue;
      std::vector<std::string> inputs;
      for (const Value value : node->inputs) {
        const bool is_rolled = rolled_.count(value.node) != 0;
        inputs.push_back(is_rolled ? "" : name(value));
      }
      CAMBIUM_TRY(const std::string expression,
                  expression_of(*node, inputs, composite).at("node '" + node->name + "'"));
      std::vector<std::string> targets;
      for (std::uint32_t slot = 0; slot < node->outputs.size(); ++slot) {
        targets.push_back(names_.unique(short_name(*node)));
        called_[{node->id, slot}] = targets.back();
      }
      const bool one = targets.size() == 1;
      // A tuple of one is taken apart too.
      const bool tuple = !one || node->as<Split>() != nullptr;
      lines_.push_back(join(targets, ", ") + (one && tuple ? "," : "") + " = " + expression);
    }
    return Ok{};
  }

  std::string results() const {
    std::vector<std::string> parts;
    for (const Output& output : model_.outputs()) parts.push_back(name(output.value));
    return join(parts, ", ");
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  template <class CallComposite>
  Result<std::string> expression_of(const Node& node, const std::vector<std::string>& inputs,
                                    const CallComposite& composite) {
    if (const auto* weight = node.as<Weight>()) {
      return pytorch::tensor_literal(weight->value, device_);
    }
    if (node.as<Composite>() != nullptr) return composite(node, inputs);
    if (node.as<Concat>() != nullptr && rolled_.count(node.inputs[0].node) != 0) {
      return roll(model_.node(node.inputs[0].node));
    }
    NodeText text(model_, node, inputs, lines_, names_, samples_axis(node), in_module_);
    return std::visit([&](const auto& op) { return emit(op, text); }, node.op);
  }

  std::string short_name(const Node& node) const {
    const bool begins = node.name.size() > prefix_.size() && node.name.starts_with(prefix_);
    const std::string name = begins ? node.name.substr(prefix_.size()) : node.name;
    if (node.as<Concat>() != nullptr && rolled_.count(node.inputs[0].node) != 0) return "rolled";
    return name.empty() ? "x" : name;
  }

  // An axis that is cut in two whose parts change places is rolled.
  void find_rolls() {
    const Uses uses(model_);
    for (const NodePtr& node : model_.nodes()) {
      const Concat* concat = node->as<Concat>();
      if (concat == nullptr || node->inputs.size() != 2) continue;
      const NodeId from = node->inputs[0].node;
      const Split* split = model_.node(from).as<Split>();
      if (split == nullptr || split->sizes.size() != 2 || split->axis != concat->axis) continue;
      if (node->inputs[0] == Value{from, 1} && node->inputs[1] == Value{from, 0} &&
          uses.of({from, 0}).size() == 1 && uses.of({from, 1}).size() == 1) {
        rolled_.insert(from);
      }
    }
  }

  std::string roll(const Node& node) const {
    const auto& split = std::get<Split>(node.op);
    return "torch.roll(" + name(node.inputs[0]) + ", " + std::to_string(-split.sizes[0]) +
           ", dims=" + std::to_string(split.axis) + ")";
  }

  std::int64_t samples_axis(const Node& node) const {
    const bool follows =
        !axes_.fixed && !node.inputs.empty() && axes_.axis[node.inputs[0].node.index] != kNoAxis;
    return follows ? axes_.axis[node.id.index] : kNoAxis;
  }

  const Model& model_;
  BatchAxes axes_;  // of the model
  Names& names_;
  bool in_module_;
  std::string device_ = "None";
  std::string prefix_;
  std::map<Value, std::string> called_;
  std::unordered_set<NodeId> rolled_;  // splits that are part of a roll
  std::vector<std::string> lines_;
};

std::string indented(const std::vector<std::string>& lines, const std::string& by) {
  std::string out;
  for (const std::string& line : lines) out += by + line + "\n";
  return out;
}

// A document inside of a docstring.
std::string documented(const std::string& text, const std::string& by) {
  std::string out;
  for (const std::string_view line : split(trim(text), '\n')) {
    out += by + python_doc(line) + "\n";
  }
  return out;
}

std::string class_name_of(const std::string& model) {
  std::string out;
  bool upper = true;
  for (const char c : identifier(model, "")) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return identifier(out, "Network");
}

bool is_trained(const Model& model, Value value) {
  const Tensor* weight = model.weight(value);
  return weight != nullptr && weight->dtype() == DType::F32 && !weight->dims().empty();
}

// The Composite of a node with inputs and weights of its own, drawn if they are not those of the
// model: what they hold does not matter to recognition.
Model around(const Model& model, const Node& node) {
  const Composite& composite = std::get<Composite>(node.op);
  Builder builder(node.name.empty() ? composite.space : node.name);
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Node& wanted = composite.body->node(composite.body->inputs()[i]);
    const Value value = node.inputs[i];
    inputs.push_back(is_trained(model, value) ? builder.weight(wanted.name, *model.weight(value))
                                              : builder.input(wanted.name, wanted.outputs[0]));
  }
  const Value first = builder.add(composite, inputs, composite.space);
  for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
    builder.output(composite.body->outputs()[slot].name, {first.node, slot});
  }
  return std::move(builder).finish().value();
}

class Source {
 public:
  explicit Source(const Model& model) : model_(model) {}

  Result<PytorchSource> run() {
    CAMBIUM_REQUIRE(check_types());
    PytorchSource out;
    out.class_name = names_.unique(class_name_of(model_.name()));
    Body body(model_, batch_axes_of(model_), names_, true);
    std::vector<std::string> arguments{"self"};
    for (const NodeId id : model_.inputs()) {
      arguments.push_back(names_.unique(model_.node(id).name));
      body.call({id, 0}, arguments.back());
    }
    CAMBIUM_REQUIRE(declare(body, out.weights));
    CAMBIUM_REQUIRE(body.write([&](const Node& node, const std::vector<std::string>& inputs) {
      return call_of(node, inputs);
    }));
    out.text = "\"\"\"" + python_doc(model_.name()) +
               ", written by Cambium: `load()` gives it with its "
               "weights, which lie beside this file.\"\"\"\n" +
               kHead;
    for (const std::string& function : functions_) out.text += "\n\n" + function;
    out.text += "\n\nclass " + out.class_name + "(nn.Module):\n    def __init__(self):\n" +
                "        super().__init__()\n" + indented(declared_, "        ") +
                "\n    def forward(" + join(arguments, ", ") + "):\n" +
                indented(body.lines(), "        ") + "        return " + body.results() + "\n\n" +
                kTail + "\ndef load(path=None):\n    \"\"\"The network with its weights.\"\"\"\n" +
                "    path = path or Path(__file__).with_suffix(\".safetensors\")\n" +
                "    module = " + out.class_name + "()\n" +
                "    module.load_state_dict(read_safetensors(path))\n    return module.eval()\n";
    return out;
  }

 private:
  Status check_types() const {
    for (const NodePtr& node : model_.nodes()) {
      for (const TensorType& type : node->outputs) {
        const auto known = pytorch::torch_type(type.dtype);
        if (!known.ok()) return Rejection(known.rejection()).at("node '" + node->name + "'");
      }
    }
    return Ok{};
  }

  Status declare(Body& body, NamedTensors& weights) {
    const std::vector<NodeId> trained = parameters_of(model_);
    for (const NodePtr& node : model_.nodes()) {
      const Weight* weight = node->as<Weight>();
      if (weight == nullptr) continue;
      const TensorType& type = node->outputs[0];
      CAMBIUM_TRY(const std::string element,
                  pytorch::torch_type(type.dtype).at("weight '" + node->name + "'"));
      const std::string own = attributes_.unique_attribute(node->name);
      const std::string empty = "torch.empty(" +
                                (type.dims.empty() ? "()" : pytorch::arguments(type.dims)) +
                                (type.dtype == DType::F32 ? "" : ", dtype=" + element) + ")";
      const bool is_parameter =
          std::find(trained.begin(), trained.end(), node->id) != trained.end();
      declared_.push_back(is_parameter ? "self." + own + " = nn.Parameter(" + empty + ")"
                                       : "self.register_buffer(\"" + own + "\", " + empty + ")");
      weights.emplace_back(own, weight->value);
      body.call({node->id, 0}, "self." + own);
    }
    return Ok{};
  }

  // A function for each way to compute; places that compute alike share one.
  Result<std::string> call_of(const Node& node, const std::vector<std::string>& inputs) {
    const Model lone = around(model_, node);
    const Fingerprint key = structure_of(lone);
    auto known = function_of_.find(key);
    if (known == function_of_.end()) {
      const Composite& composite = std::get<Composite>(node.op);
      const std::string own =
          names_.unique(composite.space + "_" + std::to_string(functions_.size() + 1));
      CAMBIUM_TRY(std::string function, function_text(own, composite, lone));
      functions_.push_back(std::move(function));
      known = function_of_.emplace(key, own).first;
    }
    return known->second + "(" + join(inputs, ", ") + ")";
  }

  static Result<std::string> function_text(const std::string& own, const Composite& composite,
                                           const Model& lone) {
    RecognizedApart apart = recognize_apart(expanded(lone));
    const Model& recognized = apart.recognized.model;
    Names names;
    Body body(recognized, std::move(apart.axes), names, false);
    body.drop(composite.space + ".");
    // Arguments in the order of the composite's inputs, be they weights or not.
    std::map<std::string, NodeId> leaves;
    for (const NodePtr& node : recognized.nodes()) {
      if (node->inputs.empty()) leaves.emplace(node->name, node->id);
    }
    std::vector<std::string> arguments;
    for (const NodeId id : composite.body->inputs()) {
      const std::string& wanted = composite.body->node(id).name;
      arguments.push_back(names.unique(wanted));
      const auto leaf = leaves.find(wanted);
      if (leaf == leaves.end()) continue;  // nothing depends on it
      body.call({leaf->second, 0}, arguments.back());
    }
    body.device(arguments[0] + ".device");
    CAMBIUM_REQUIRE(body.write([](const Node&, const auto&) -> Result<std::string> {
      report_bug(__FILE__, __LINE__, "bodies hold no composites", "composite");
    }));
    return "def " + own + "(" + join(arguments, ", ") + "):\n    \"\"\"" +
           python_doc(composite.space) + ":\n" + documented(composite.document, "    ") +
           "    \"\"\"\n" + indented(body.lines(), "    ") + "    return " + body.results() + "\n";
  }

  const Model& model_;
  Names names_;       // of the file and in `forward`
  Names attributes_;  // of the module
  std::vector<std::string> declared_, functions_;
  std::map<Fingerprint, std::string> function_of_;
};

}  // namespace

Result<PytorchSource> pytorch_source(const Model& model) {
  return Source(model).run();
}

Status export_pytorch(const Model& model, const std::filesystem::path& stem) {
  CAMBIUM_TRY(const PytorchSource source, pytorch_source(model));
  CAMBIUM_TRY(const std::string weights, to_safetensors(source.weights));
  CAMBIUM_REQUIRE(write_file(stem.string() + ".safetensors", weights));
  return write_file(stem.string() + ".py", source.text);
}

Model alone(const Model& model, NodeId composite) {
  return around(model, model.node(composite));
}

}  // namespace cambium::model
