#include "models/onnx_runtime.h"

#include <cstdint>
#include <filesystem>

#include <dlfcn.h>
#include <unistd.h>

#include "base/check.h"
#include "engine/files.h"

namespace cambium::bench {

namespace {

// Numbers in the table of functions, which only ever grows at its end.
enum Function {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetGraphOptimizationLevel = 23,
  kSetIntraOpNumThreads = 24,
  kSetInterOpNumThreads = 25,
  kCreateTensorWithData = 49,
  kCreateCpuMemoryInfo = 69,
};
constexpr std::uint32_t kApiVersion = 17;
constexpr int kAllOptimizations = 99, kWarnings = 2, kArena = 1, kDefaultMemory = 0;

struct ApiBase {
  const void* const* (*get_api)(std::uint32_t version);
  const char* (*get_version)();
};

using Handle = void*;  // of whatever the library makes
using Error = void*;   // null: none

template <class... Arguments>
Status call(const void* const* api, Function function, Arguments... arguments) {
  const auto f = reinterpret_cast<Error (*)(Arguments...)>(const_cast<void*>(api[function]));
  const Error error = f(arguments...);
  if (error == nullptr) return Ok{};
  const auto text =
      reinterpret_cast<const char* (*)(Error)>(const_cast<void*>(api[kGetErrorMessage]));
  return Rejection(Reason::Unreadable, "the model, by ONNX Runtime,", text(error));
}

Result<int> element_type(DType dtype) {
  switch (dtype) {
    case DType::F32: return 1;
    case DType::I32: return 6;
    case DType::I64: return 7;
    default: return Rejection(Reason::UnsupportedType, "a tensor", std::string(name_of(dtype)));
  }
}

// A file name of our own, and no file when this is gone.
struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("cambium-bench-" + std::to_string(::getpid()) + ".onnx"))
                         .string();
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    std::filesystem::remove(path + ".data", ignored);
  }
};

}  // namespace

struct OnnxRuntime::Session::State {
  const void* const* api = nullptr;
  Handle session = nullptr;
  std::vector<std::string> input_names, output_names;
  std::vector<model::Tensor> inputs;
  std::vector<model::TensorType> output_types;
  std::vector<std::vector<std::byte>> output_bytes;
  std::vector<Handle> input_values, output_values;
  std::vector<const char*> inputs_c, outputs_c;

  Status add(Handle info, const model::TensorType& type, const std::byte* data,
             std::vector<Handle>& values) {
    CAMBIUM_TRY(const int element, element_type(type.dtype));
    Handle value = nullptr;
    CAMBIUM_REQUIRE(call(api, kCreateTensorWithData, static_cast<const void*>(info),
                         static_cast<void*>(const_cast<std::byte*>(data)),
                         static_cast<std::size_t>(type.bytes()), type.dims.data(), type.dims.size(),
                         element, &value));
    values.push_back(value);
    return Ok{};
  }

  Status run() {
    return call(api, kRun, session, static_cast<const void*>(nullptr),
                static_cast<const char* const*>(inputs_c.data()),
                static_cast<const Handle*>(input_values.data()), input_values.size(),
                static_cast<const char* const*>(outputs_c.data()), output_values.size(),
                output_values.data());
  }
};

Result<OnnxRuntime> OnnxRuntime::open(const std::string& library) {
  const std::string name = library.empty() ? "libonnxruntime.so" : library;
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr && library.empty()) {
    handle = ::dlopen((name + ".1").c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) return Rejection(Reason::Unreadable, name, ::dlerror());
  const auto get = reinterpret_cast<const ApiBase* (*)()>(::dlsym(handle, "OrtGetApiBase"));
  if (get == nullptr) return Rejection(Reason::Unreadable, name, "it is not ONNX Runtime");
  OnnxRuntime runtime;
  runtime.version_ = get()->get_version();
  runtime.api_ = get()->get_api(kApiVersion);
  if (runtime.api_ == nullptr) {
    return Rejection(Reason::Unreadable, name, "version " + runtime.version_ + " is too old");
  }
  return runtime;
}

Result<OnnxRuntime::Session> OnnxRuntime::load(const model::Model& model,
                                               std::span<const model::Tensor> inputs,
                                               int threads) const {
  const TemporaryFile file;
  CAMBIUM_REQUIRE(engine::save_model(model, file.path));
  auto state = std::make_shared<Session::State>();
  state->api = api_;
  Handle env = nullptr, options = nullptr, info = nullptr;
  CAMBIUM_REQUIRE(call(api_, kCreateEnv, kWarnings, "cambium", &env));
  CAMBIUM_REQUIRE(call(api_, kCreateSessionOptions, &options));
  CAMBIUM_REQUIRE(call(api_, kSetGraphOptimizationLevel, options, kAllOptimizations));
  CAMBIUM_REQUIRE(call(api_, kSetIntraOpNumThreads, options, threads));
  CAMBIUM_REQUIRE(call(api_, kSetInterOpNumThreads, options, 1));
  CAMBIUM_REQUIRE(call(api_, kCreateSession, static_cast<const void*>(env), file.path.c_str(),
                       static_cast<const void*>(options), &state->session));
  CAMBIUM_REQUIRE(call(api_, kCreateCpuMemoryInfo, kArena, kDefaultMemory, &info));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    state->input_names.push_back(model.node(model.inputs()[i]).name);
    state->inputs.push_back(inputs[i]);
    CAMBIUM_REQUIRE(
        state->add(info, inputs[i].type(), inputs[i].bytes().data(), state->input_values));
  }
  for (const model::Output& output : model.outputs()) {
    const model::TensorType& type = model.type(output.value);
    state->output_names.push_back(output.name);
    state->output_types.push_back(type);
    state->output_bytes.emplace_back(static_cast<std::size_t>(type.bytes()));
    CAMBIUM_REQUIRE(
        state->add(info, type, state->output_bytes.back().data(), state->output_values));
  }
  for (const std::string& name : state->input_names) state->inputs_c.push_back(name.c_str());
  for (const std::string& name : state->output_names) state->outputs_c.push_back(name.c_str());
  CAMBIUM_REQUIRE(state->run());
  Session session;
  session.state_ = std::move(state);
  return session;
}

void OnnxRuntime::Session::run() {
  const Status status = state_->run();
  CAMBIUM_CHECK(status.ok(), "it ran before");
}

std::vector<model::Tensor> OnnxRuntime::Session::outputs() const {
  std::vector<model::Tensor> out;
  for (std::size_t i = 0; i < state_->output_types.size(); ++i) {
    out.emplace_back(state_->output_types[i], state_->output_bytes[i]);
  }
  return out;
}

}  // namespace cambium::bench
