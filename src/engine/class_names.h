// The names of the classes that a model scores, kept in its file: an image folder numbers its
// classes by their names, so that without them nobody knows which class a score stands for. In an
// ONNX file they are an entry of the metadata; in a .cambium file a comment behind the model, since
// they are no part of the graph. What cannot be understood is taken as not there. Called by
// files.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cambium::engine {

inline constexpr const char* kClassesKey = "cambium.classes";

// JSON: an array of texts. Empty for none, and for names that are not UTF-8, which JSON cannot hold
// and data sets refuse.
std::string classes_text(const std::vector<std::string>& classes);
std::vector<std::string> parse_classes(std::string_view text);

// The comment, with its end of line; empty where there are none.
std::string classes_comment(const std::vector<std::string>& classes);
std::vector<std::string> classes_in_comment(std::string_view model_text);

}  // namespace cambium::engine
