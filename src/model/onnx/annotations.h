// What a Model knows and an ONNX graph does not, kept beside the graph in one metadata entry
// ("cambium", JSON): blocks, which nodes are composed of several ONNX operators, and attributes
// that a float cannot hold. A file that other tools have edited still reads: what no longer fits
// is ignored.
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

// From the text of the entry; what cannot be understood is left out.
Annotations parse_annotations(std::string_view text);
std::string text_of(const Annotations& annotations);

// The attributes of an operator that are numbers, for `exact`: those that change when they pass
// through the file, as a float or as an element of the type that the operator computes in.
std::map<std::string, std::vector<double>> inexact_attributes(const Op& op, DType dtype);
// Puts exact numbers back where they round to what the file says.
void restore_exact(const std::map<std::string, std::vector<double>>& exact, DType dtype, Op& op);

}  // namespace cambium::model::onnx_io
