// Step kinds: which kinds of neural steps a document has, under the words that moves go by
// (schedule/recipe/moves.h). For statistics over many candidates, so it reads the text alone: no
// sizes, no replay. Refuses nothing; what is no step has no kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cambium::spaces::loopnest {

// Of a canonical document or a name of the catalogue; each once, in the order of the document.
// Steps that only prepare others have no kind.
std::vector<std::string> step_kinds(std::string_view document);

}  // namespace cambium::spaces::loopnest
