// The names of the classes that a model scores, stored in the model's file. An image folder numbers
// its classes by their names, so without the names nobody knows which class a score belongs to. An
// ONNX file keeps them in its metadata. A .cambium file keeps them in a comment behind the model,
// because they are not part of the graph. Names that cannot be read are ignored. Called by
// files.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cambium::engine {

inline constexpr const char* kClassesKey = "cambium.classes";

// As a JSON array of strings. Empty if there are no names, or if one is not UTF-8, which JSON
// cannot hold and data sets refuse.
std::string classes_text(const std::vector<std::string>& classes);
std::vector<std::string> parse_classes(std::string_view text);

// The comment with its line end; empty if there are no classes.
std::string classes_comment(const std::vector<std::string>& classes);
std::vector<std::string> classes_in_comment(std::string_view model_text);

}  // namespace cambium::engine
