// Step kinds: the kinds of neural steps that a document has, by the names of moves
// (schedule/recipe/moves.h). For statistics over many candidates, so it reads only the text: it
// needs no sizes and no replay. Refuses nothing: a document that cannot be read has no kinds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cambium::spaces::loopnest {

// The kinds in a canonical document or a name of the catalogue, each once, in the order of the
// document. Steps that only prepare others have no kind.
std::vector<std::string> step_kinds(std::string_view document);

}  // namespace cambium::spaces::loopnest
