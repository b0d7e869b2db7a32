#include "train/torch/provided_call.h"

#include "base/check.h"

namespace cambium::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The part of a recorded call's context that is ours.
struct Held : torch::CustomClassHolder {
  Held(ProvidedKernel given, std::vector<model::Ints> dims)
      : kernel(std::move(given)), output_dims(std::move(dims)) {}
  ProvidedKernel kernel;
  std::vector<model::Ints> output_dims;
};

constexpr const char* kHeld = "kernel";

std::vector<const float*> read_only(const variable_list& tensors) {
  std::vector<const float*> out;
  for (const torch::Tensor& tensor : tensors) out.push_back(tensor.data_ptr<float>());
  return out;
}

struct ProvidedFunction : torch::autograd::Function<ProvidedFunction> {
  static variable_list forward(AutogradContext* context, torch::TensorList given,
                               const c10::intrusive_ptr<Held>& held) {
    variable_list inputs, outputs;
    for (const torch::Tensor& input : given) inputs.push_back(input.contiguous());
    std::vector<float*> written;
    for (const model::Ints& dims : held->output_dims) {
      outputs.push_back(torch::empty(dims, torch::kFloat));
      written.push_back(outputs.back().data_ptr<float>());
    }
    held->kernel.forward(read_only(inputs), written);
    context->save_for_backward(inputs);
    context->saved_data[kHeld] = c10::IValue::make_capsule(held);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, variable_list given) {
    const auto capsule = context->saved_data[kHeld].toCapsule();
    const Held& held = static_cast<const Held&>(*capsule);
    const variable_list inputs = context->get_saved_variables();
    variable_list output_gradients;
    for (std::size_t i = 0; i < given.size(); ++i) {
      // An output that is not used.
      output_gradients.push_back(given[i].defined()
                                     ? given[i].contiguous()
                                     : torch::zeros(held.output_dims[i], torch::kFloat));
    }
    variable_list gradients;
    std::vector<float*> written;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool wanted = context->needs_input_grad(i);
      gradients.push_back(wanted ? torch::zeros_like(inputs[i]) : torch::Tensor());
      written.push_back(wanted ? gradients.back().data_ptr<float>() : nullptr);
    }
    held.kernel.backward(read_only(inputs), read_only(output_gradients), written);
    gradients.emplace_back();  // of what is held
    return gradients;
  }
};

}  // namespace

std::vector<torch::Tensor> provided_call(const ProvidedKernel& kernel,
                                         const std::vector<torch::Tensor>& inputs,
                                         const std::vector<model::Ints>& output_dims) {
  for (const torch::Tensor& input : inputs) {
    CAMBIUM_CHECK(input.device().is_cpu() && input.scalar_type() == torch::kFloat,
                  "provided kernels take f32 on the CPU");
  }
  return ProvidedFunction::apply(torch::TensorList(inputs),
                                 c10::make_intrusive<Held>(kernel, output_dims));
}

}  // namespace cambium::train
