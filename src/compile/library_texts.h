// The texts beside a compiled library: the C header, and the manifest that
// docs/schema/manifest.json describes.
#pragma once

#include <string>
#include <string_view>

#include "compile/compile.h"

namespace cambium::compile {

std::string header_text(const CompiledModel& model);
std::string manifest_text(const CompiledModel& model);

// The text of codegen/kernel_abi.h at build time. Generated headers contain it, so they need no
// other file.
std::string_view kernel_abi_text();

}  // namespace cambium::compile
