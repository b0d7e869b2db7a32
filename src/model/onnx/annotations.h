// Properties of a Model that an ONNX graph cannot express. One metadata entry ("cambium", JSON) of
// the file stores them: blocks, the nodes that are composed of several ONNX operators, and
// attributes that a float cannot represent. Files that other tools have edited can still be read:
// annotations that no longer fit are ignored.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace cambium::model::onnx_io {

inline constexpr const char* kAnnotationsKey = "cambium";

struct Annotations {
  std::vector<Block> blocks;
  std::map<std::string, std::uint32_t> block_of;  // by the name of a node
  std::set<std::string> composed;
  std::map<std::string, std::map<std::string, std::vector<double>>> exact;
};

// Parses the text of the entry; ignores what it does not understand.
Annotations parse_annotations(std::string_view text);
std::string text_of(const Annotations& annotations);

// The numeric attributes of an operator that the file would change, by storing them as a float or
// as an element of the operator's type. They go to `exact`.
std::map<std::string, std::vector<double>> inexact_attributes(const Op& op, DType dtype);
// Restores exact numbers if they round to the numbers of the file.
void restore_exact(const std::map<std::string, std::vector<double>>& exact, DType dtype, Op& op);

}  // namespace cambium::model::onnx_io
