// Every reason for which Cambium refuses something, in one list. The enum, the texts,
// docs/reasons.md and the check that a test provokes each reason all come from it.
//
// X(Name, "text"): {a} {b} {c} stand for the numbers of the rejection, {s} {t} for its texts.
// Append to the group of the folder that refuses.
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off
#define CAMBIUM_FOR_EACH_REASON(X)                                                              \
  /* base */                                                                                    \
  X(NotFound,            "{s} does not exist")                                                  \
  X(Unreadable,          "{s} cannot be read: {t}")                                             \
  X(Unwritable,          "{s} cannot be written: {t}")                                          \
  X(TooLarge,            "{s} is too large: {a} or more; the limit is {b}")                     \
  X(WrongFileSize,       "{s} holds {a} bytes, expected {b}")                                   \
  X(BadSyntax,           "line {a}, column {b}: expected {s}, found {t}")                       \
  X(BadNumber,           "{s} is not {t}")                                                      \
  X(Unstartable,         "{s} cannot be started: {t}")                                          \
  X(BadOption,           "{s}: {t}")                                                            \
  X(Unavailable,         "{s} is not available: {t}")                                           \
  X(UnknownMachine,      "unknown machine '{s}'; expected one of {t}")                          \
  /* expr */                                                                                    \
  X(SizeNotPositive,     "a size must be a positive number, not {a}")                           \
  X(SizeOverflow,        "the size does not fit 64 bits")                                       \
  X(SizePowerRange,      "the power of a size variable is outside -128..127")                   \
  X(SizeNotDivisible,    "{a} is not divisible by {b} (binding {c})")                           \
  X(SizeNotInteger,      "the size is {a}/{b}, not an integer (binding {c})")                   \
  X(SizeUnbound,         "size variable {a} has no value")                                      \
  X(TooManySizeVars,     "'{s}': a table holds at most {a} {t} variables")                      \
  X(BadName,             "'{s}' is not a valid name: use letters, digits, '_' and '.', and do not begin with a digit") \
  X(NameTaken,           "'{s}' is already declared")                                           \
  X(UnknownName,         "'{s}' is not declared")                                               \
  X(AmbiguousName,       "'{s}' names {a} axes with different extents")                         \
  X(AxisUnbound,         "axis '{s}' has no value")                                             \
  X(IndexOverflow,       "an index does not fit 64 bits")                                       \
  X(NotQuasiAffine,      "the right operand of '{s}' must be a constant, and a positive one for a division") \
  X(WrongOperand,        "expected {s} as operand, found {t}")                                  \
  X(TooDeep,             "an expression is nested more than {a} levels deep")                   \
  /* data */                                                                                      \
  X(WrongMagic,          "the file starts with {s}; expected {t}")                              \
  X(SizeOutOfRange,      "{s} is {a}; it must be from {b} to {c}")                              \
  X(CountMismatch,       "there are {a} labels for {b} images")                                 \
  X(LabelOutOfRange,     "the label of record {a} is {b}; the largest allowed is {c}")          \
  X(BadPickle,           "this is not a pickle of CIFAR: byte {a}: {s}")                        \
  X(MissingField,        "'{s}' is missing or not {t}")                                           \
  X(BadImage,            "the image cannot be decoded: {s}")                                      \
  X(ImageSizeDiffers,    "the image is {s}, but earlier images are {t}; scale them with size=N") \
  X(NoSamples,           "{s} contains no {t}")                                                 \
  X(NoSuchSplit,         "the data set has no {s} split: {t}")                                  \
  X(SplitSealed,         "the {s} split is sealed, because the data set was opened for {t}")    \
  X(UnknownDataset,      "unknown data set '{s}'; {t}")                                         \
  X(WrongDataKind,       "{s} contains {t}")                                                    \
  X(UnknownClass,        "class '{s}' has no training images: {t}")                               \
  /* program */                                                                                   \
  X(OperandType,         "{s} takes {t}")                                                         \
  X(WrongRank,           "'{s}' has {a} dimensions, but is indexed by {b}")                     \
  X(BadReduction,        "{s}")                                                                   \
  X(UnknownFunction,     "unknown function '{s}' with {a} operands")                            \
  X(WritesReadOnly,      "block '{s}' writes '{t}', which is an input or a constant")             \
  X(OutOfBounds,         "block '{s}' {t}")                                                       \
  X(ReadUnwritten,       "block '{s}' reads {t}, which no block has written")                   \
  X(OutputNotWritten,    "output '{s}' is not completely written: element {a} is missing")      \
  X(WrongArgument,       "argument '{s}': {t}")                                                   \
  X(NotProved,           "{s}: cannot prove that {t}")                                          \
  X(LoopNotPlain,        "loop '{s}' is already scheduled")                                     \
  X(BindingOutOfRange,   "block '{s}': iterator '{t}' becomes {a}, but its extent is {b}")      \
  X(ComputedTwice,       "block '{s}' computes a point more than once")                           \
  X(WritesCollide,       "points of block '{s}' write the same element of '{t}'")                 \
  X(ReductionIncomplete, "block '{s}' omits points of its reduction")                           \
  X(AccessOutOfBounds,   "block '{s}': the index of {t} becomes {a}, but the dimension is {b}") \
  X(ReadBeforeWrite,     "block '{s}' reads '{t}' before it is completely written")             \
  X(ParallelReduction,   "loop '{s}' is parallel or vectorized, but feeds the reduction of '{t}'") \
  X(ParallelOverlap,     "loop '{s}' is parallel or vectorized, but all its iterations write the elements of block '{t}'") \
  X(VectorizedNotInnermost, "loop '{s}' is vectorized, but contains loop '{t}'")                \
  X(UnknownHint,         "annotation '{s}' is unknown or malformed")                    \
  X(InitNotDecomposed,   "block '{s}' still contains its initial value")                        \
  X(UnrollTooLarge,      "block '{s}' would be unrolled into {a} copies; at most {b} are allowed") \
  X(BufferTooLarge,      "an extent of {a} is too large: a program holds at most {b} elements") \
  /* model */                                                                                   \
  X(RankTooHigh,         "a tensor has rank {a}; the highest supported rank is {b}")            \
  X(NegativeDimension,   "a dimension is {a}; it must not be negative")                         \
  X(TensorTooLarge,      "a tensor {s} is too large: at most {a} bytes are supported")          \
  X(WrongInputCount,     "it has {a} inputs, but takes {b} to {c} (-1: any number)")            \
  X(UnknownValue,        "the node reads a value that does not exist")                          \
  X(Cycle,               "the graph has a cycle through node '{s}'")                            \
  X(NoOutputs,           "model '{s}' has no output")                                           \
  X(WrongType,           "{s}: {t}")                                                            \
  X(ShapeMismatch,       "{s}: {t}")                                                            \
  X(Unsound,             "broken model: {s}")                                                   \
  X(IndexOutOfRange,     "an index is {a}, but axis {b} has {c} elements")                      \
  X(BadAttribute,        "attribute {s}: {t}")                                             \
  X(UnknownModel,        "unknown zoo model '{s}'; {t}")                                        \
  X(BadSelector,         "selector '{s}': {t}")                                                 \
  X(NothingSelected,     "selector '{s}' matches nothing; the model has {t}")                   \
  X(OnnxMalformed,        "this is not a valid ONNX model: {s}")                                \
  X(UnsupportedOpset,     "opset {a} is not supported; opsets {b} to {c} are")                  \
  X(UnsupportedOperator,  "operator {s} is not supported{t}")                                   \
  X(UnsupportedVersion,   "{s} of opset {a} is not supported; opsets {b} to {c} are")           \
  X(UnsupportedType,      "{s} is {t}, which is not supported")                                 \
  X(UnboundDimension,     "dimension '{s}' of input '{t}' is free; fix it with --bind {s}=N")   \
  X(UnknownBinding,       "--bind {s}: the model has no free dimension with this name; {t}")    \
  X(UnknownConstant,      "constant '{s}': the model has no input with this name; {t}")         \
  X(NotConstant,          "input {s} must be constant, but it depends on {t}")                  \
  X(UndefinedValue,       "the node reads '{s}', which no node computes")                       \
  X(DuplicateValue,       "value '{s}' is computed twice")                                      \
  X(BadExternalData,      "external data '{s}': {t}")                                           \
  X(BadTensorData,        "tensor '{s}': {t}")                                                  \
  X(NotExportable,        "it cannot be written at opset {a}: {s}")                             \
  /* spaces */                                                                                  \
  X(CoordinateUsedTwice,  "{s} is used {t}; each coordinate must be used exactly once")         \
  X(CoordinateUnused,     "{s} is unused: {t}")                                                 \
  X(WrongDomain,          "{s} has the domain {t}")                                             \
  X(DiscardsData,         "{s} discards data: {t}")                                             \
  X(MixesFixedAxis,       "{s} is fixed, like the batch axis: {t}")                             \
  X(UnknownSpace,         "unknown space '{s}'; expected one of {t}")                           \
  X(UnknownSite,          "the model has no site '{s}'; {t}")                                   \
  X(NotThisBase,          "the candidate edits model {s}, but this is model {t}")               \
  X(NoProposal,           "{s}: {t}")                                                           \
  X(WrongDecomposition,   "the stages of {s} do not compute the operator: {t}")                 \
  /* schedule */                                                                                \
  X(UnknownStep,          "unknown transformation '{s}'")                                       \
  X(TraceDiffers,         "the trace says that the step makes {s}, but it makes {t}")           \
  X(BadFactors,           "{s}: {t}")                                                           \
  X(NotDivisible,         "the extent {a} of '{s}' is not divisible by {b}")                    \
  X(NotNested,            "'{s}' and '{t}' are not directly nested in each other")              \
  X(ChangesOrder,         "the order of '{s}' would change: {t}")                               \
  X(SplitsReduction,      "loop '{s}' takes part in the reduction of block '{t}'")              \
  X(NoInit,               "block '{s}' has no separate initial value")                          \
  X(NotAround,            "loop '{s}' does not contain block '{t}'")                            \
  X(NotLocal,             "'{s}' is not a local buffer that only this block fills: {t}")        \
  X(NotConsumer,          "block '{s}': {t}")                                                   \
  X(NotABox,              "the points of '{t}' that block '{s}' needs do not form a box")       \
  X(NotElementwise,       "block '{s}' is not elementwise: {t}")                                \
  X(NotAReduction,        "loop '{s}' does not feed exactly one reduction: {t}")                \
  X(NotAssociative,       "the reduction of block '{s}' may not be regrouped")                  \
  X(BadLayout,            "layout of '{s}': {t}")                                               \
  X(NotPadding,           "block '{s}' is not padding: {t}")                                    \
  X(NotAContraction,      "block '{s}' is not a contraction that this step supports: {t}")      \
  X(TooManyRegisters,     "a tile of {s} needs {a} registers, but there are only {b}")          \
  X(NotOutermost,         "loop '{s}' is not the outermost loop of its nest")                   \
  X(ChangesInterface,     "the step would change the shape of '{s}' without permission: {t}")   \
  X(BadDecision,          "decision '{s}': {t}")                                               \
  X(UnknownRule,          "unknown rule '{s}'; expected one of {t}")                            \
  X(NothingToDo,          "rule '{s}' does not apply to this block: {t}")                       \
  X(NotWinograd,          "block '{s}' is not a 3x3 convolution with stride 1: {t}")            \
  /* lower */                                                                                   \
  X(NotLowered,           "{s} cannot be lowered: {t}")                                         \
  X(UnknownPass,          "unknown pass '{s}'; expected one of {t}")                            \
  /* codegen */                                                                                 \
  X(NotInRegisters,       "local buffer '{s}' cannot be kept in registers: {t}")                \
  X(SpillsInLoop,         "the innermost loops access the stack {a} times")                     \
  X(CodeTooLarge,         "the unrolled code has {a} operations; at most {b} are allowed")      \
  X(CodegenFailed,        "LLVM: {s}")                                                          \
  X(LinkerMissing,        "{s} was not found; install {t}")                                     \
  X(LinkFailed,           "{s} failed: {t}")                                                    \
  X(SymbolMissing,        "the code has no symbol '{s}'")                                       \
  X(ForeignMachine,       "code for {s} does not run here ({t})")                               \
  /* measure */                                                                                 \
  X(RunnerMissing,        "cambium-runner was not found: {s}")                                  \
  X(RunnerFailed,         "cambium-runner: {s}")                                                \
  X(BadObject,            "the object code cannot be loaded: {s}")                              \
  X(KernelCrashed,        "the kernel crashed: {s}")                                            \
  X(KernelTimeout,        "the kernel ran longer than {a} ms")                                  \
  X(KernelMemory,         "the kernel needs {a} bytes; the limit is {b}")                       \
  X(GuardTouched,         "the kernel wrote outside buffer '{s}'")                              \
  X(OutputUntouched,      "element {a} of output '{s}' was not written")                        \
  X(WrongResult,          "element {a} of output '{s}' is wrong: {t}")                          \
  /* store */                                                                                   \
  X(NotADatabase,         "{s} is not a database of Cambium: {t}")                              \
  X(NewerDatabase,        "{s} has version {a}; this program reads versions up to {b}")         \
  X(DatabaseFailed,       "{s}: {t}")                                                           \
  X(BadRecord,            "line {a}: {s}")                                                      \
  X(StudyDiffers,         "study {s} belongs to {t}")                                           \
  X(NoSuchCandidate,      "{s} matches no candidate of {t}, or several")                           \
  /* tune */                                                                                    \
  X(NoSchedule,           "'{s}' cannot be scheduled: {t}")                                     \
  X(TriedBefore,          "the same program was already tried")                                 \
  X(UnknownStrategy,      "unknown strategy '{s}'; expected one of {t}")                        \
  X(LearnerFailed,        "XGBoost: {s}")                                                       \
  X(ModelUnfit,           "the cost model {s} does not fit this program: {t}")                  \
  /* search */                                                                                  \
  X(NoFacet,              "strategy '{s}' needs a space that {t}")                              \
  X(OverBudget,           "{s}: {t}")                                                           \
  X(NotPromising,         "{s}: {t}")                                                           \
  X(ImpossibleBudget,     "{s}: {t}")                                                           \
  X(WorkerDied,           "the worker died: {s}")                                               \
  X(BadJob,               "this is not a valid job: {s}")                                       \
  /* engine */                                                                                  \
  X(NotEnoughMemory,      "{s} needs at least {a} MiB of memory; {t}")                          \
  X(UnknownOperator,      "'{s}' is neither a model nor an operator: {t}")                      \
  X(NothingToTune,        "'{s}' has nothing to tune: {t}")                                     \
  X(NoSuchTrial,          "there is no trial {s} in {t}")
// clang-format on

namespace cambium {

enum class Reason : std::uint16_t {
#define CAMBIUM_X(name, text) name,
  CAMBIUM_FOR_EACH_REASON(CAMBIUM_X)
#undef CAMBIUM_X
};

std::string_view name_of(Reason reason);
std::string_view text_of(Reason reason);  // the template, before numbers and texts are filled in

}  // namespace cambium
