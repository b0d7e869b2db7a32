// Document: the neural half of a trace for one convolution, identified by the function that it
// computes. Two documents of one function have one text. All facts about a document follow from the
// replay of that text, so programs, training graphs and native code made from it agree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schedule/recipe/canonical.h"
#include "schedule/recipe/replay.h"

namespace cambium::schedule {

// Remembered facts about documents of one convolution: outcomes of steps, functions of programs.
// Lives as long as the context.
struct DocumentMemory;

// A convolution without a document. One is enough for all layers of a shape. Lives in the context
// of the program.
struct Original {
  Program program;  // as lowered: one input, the weight, one output
  std::string block;
  NestSizes sizes;
  Function function;
  Fingerprint identity;
  std::int64_t macs = 0;                        // multiply-adds of all samples
  std::int64_t weights = 0;                     // elements
  std::shared_ptr<DocumentMemory> memory = {};  // null: nothing is remembered
};
// Refuses UnknownName, NotAContraction, and SizeOutOfRange for more channels than function_of takes
// and more multiply-adds than are counted.
Result<Original> original_of(Context& cx, const Program& program, std::string_view block);

struct Document {
  std::string text;  // canonical, one step a line; empty: the original
  NeuralHalf half;   // replay of this text
  Function function;
  Fingerprint identity;  // of the function
  std::int64_t macs = 0, weights = 0;

  bool is_original() const { return text.empty(); }
};

// A catalogue name (`group 4`) or steps, with sizes. A function that canonical_document cannot
// write keeps its effective steps as they stand, so two orders of these steps give two texts.
// Refuses what catalogue_document, parse_document and replay_document refuse.
Result<Document> read_document(Context& cx, const Original& original, std::string_view written);
// The same for steps that are already parsed.
Result<Document> document_of(Context& cx, const Original& original, const Trace& steps);

// The parts of document_of, for callers that see many documents repeatedly.
struct Replayed {
  NeuralHalf half;
  Function function;
  Fingerprint identity;
};
Result<Replayed> replayed(Context& cx, const Original& original, const Trace& steps);
// The text of the document, if these steps, or others that lead to the same program, were seen
// before.
std::optional<std::string> text_met_before(const Original& original, const Replayed& replayed);
Result<Document> document_of(Context& cx, const Original& original, const Trace& steps,
                             Replayed replayed);

// Steps of a catalogue name or of a written document.
Result<Trace> steps_of(std::string_view written, const NestSizes& sizes);

}  // namespace cambium::schedule
