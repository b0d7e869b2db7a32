#include "base/features.h"
#include "codegen/codegen.h"

namespace cambium::codegen {
namespace {

Rejection unavailable() {
  return require_feature("llvm").rejection();
}

}  // namespace

Result<ObjectCode> compile_kernel(program::Context&, const program::Program&, const Machine&,
                                  const CodegenOptions&) {
  return unavailable();
}

Result<std::string> print_ir(program::Context&, const program::Program&, const Machine&) {
  return unavailable();
}

Result<std::string> print_assembly(const ObjectCode&, const Machine&) {
  return unavailable();
}

Result<ObjectCode> compile_driver(const Driver&, const Machine&) {
  return unavailable();
}

std::string version() {
  return "none";
}

struct Jit::State {};

Jit::Jit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Jit::Jit(Jit&&) noexcept = default;
Jit& Jit::operator=(Jit&&) noexcept = default;
Jit::~Jit() = default;

Result<Jit> Jit::create() {
  return unavailable();
}

Status Jit::add(const ObjectCode&) {
  return unavailable();
}

Result<void*> Jit::find(std::string_view) {
  return unavailable();
}

}  // namespace cambium::codegen
