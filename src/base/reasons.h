// Every reason for which Cambium refuses something, in one list. The enum, the texts,
// docs/reasons.md and the test that each reason is provoked somewhere all come from it.
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
  X(TooLarge,            "{s} holds {a} bytes or more, the limit is {b}")                       \
  X(WrongFileSize,       "{s} holds {a} bytes, expected {b}")                                   \
  X(BadSyntax,           "line {a}, column {b}: expected {s}, found {t}")                       \
  X(BadNumber,           "{s} is not {t}")                                                      \
  X(Unstartable,         "{s} cannot be started: {t}")                                          \
  X(BadOption,           "{s}: {t}")                                                            \
  X(Unavailable,         "{s} is not available: {t}")                                           \
  X(UnknownMachine,      "there is no machine '{s}'; there are {t}")                           \
  /* expr */                                                                                    \
  X(SizeNotPositive,     "a size must be a positive number, not {a}")                           \
  X(SizeOverflow,        "the size does not fit 64 bits")                                       \
  X(SizePowerRange,      "a power of a size variable is outside -128..127")                     \
  X(SizeNotDivisible,    "{a} is not divisible by {b} (binding {c})")                           \
  X(SizeNotInteger,      "the size is {a}/{b}, not an integer (binding {c})")                   \
  X(SizeUnbound,         "size variable {a} has no value")                                      \
  X(TooManySizeVars,     "'{s}': a table holds at most {a} {t} variables")                      \
  X(BadName,             "'{s}' is not a name: letters, digits, '_' and '.', not a digit first") \
  X(NameTaken,           "'{s}' is already declared")                                           \
  X(UnknownName,         "'{s}' is not declared")                                               \
  X(AmbiguousName,       "'{s}' names {a} axes, which differ in their extents")                 \
  X(AxisUnbound,         "axis '{s}' has no value")                                             \
  X(IndexOverflow,       "an index does not fit 64 bits")                                       \
  X(NotQuasiAffine,      "'{s}' needs a constant on its right, a positive one to divide by")    \
  X(WrongOperand,        "expected {s} as operand, found {t}")                                  \
  X(TooDeep,             "an expression is nested deeper than {a}")                             \
  /* data */                                                                                      \
  X(WrongMagic,          "starts with {s}, expected {t}")                                         \
  X(SizeOutOfRange,      "{s} is {a}, not in {b}..{c}")                                           \
  X(CountMismatch,       "{a} labels for {b} images")                                             \
  X(LabelOutOfRange,     "the label of record {a} is {b}, the largest allowed is {c}")            \
  X(BadPickle,           "not a pickle as CIFAR has it: byte {a}: {s}")                           \
  X(MissingField,        "'{s}' is missing or not {t}")                                           \
  X(BadImage,            "the image cannot be decoded: {s}")                                      \
  X(ImageSizeDiffers,    "is {s}, the images before it are {t}; give size=N")                     \
  X(NoSamples,           "{s} holds no {t}")                                                      \
  X(NoSuchSplit,         "there is no {s} split: {t}")                                            \
  X(SplitSealed,         "the {s} split is sealed: the data set was opened for {t}")              \
  X(UnknownDataset,      "there is no data set '{s}'; {t}")                                       \
  X(WrongDataKind,       "{s} holds {t}")                                                         \
  X(UnknownClass,        "class '{s}' has no training images: {t}")                               \
  /* program */                                                                                   \
  X(OperandType,         "{s} takes {t}")                                                         \
  X(WrongRank,           "'{s}' has {a} dimensions and is indexed by {b}")                        \
  X(BadReduction,        "{s}")                                                                   \
  X(UnknownFunction,     "there is no function '{s}' of {a} operands")                            \
  X(WritesReadOnly,      "block '{s}' writes '{t}', which is an input or a constant")             \
  X(OutOfBounds,         "block '{s}' {t}")                                                       \
  X(ReadUnwritten,       "block '{s}' reads {t}, which nothing has written")                      \
  X(OutputNotWritten,    "output '{s}' is not written in full (element {a}) {t}")                 \
  X(WrongArgument,       "argument '{s}': {t}")                                                   \
  X(NotProved,           "{s}: could not prove that {t}")                                         \
  X(LoopNotPlain,        "loop '{s}' is scheduled already")                                       \
  X(BindingOutOfRange,   "block '{s}': iterator '{t}' becomes {a}, its extent is {b}")            \
  X(ComputedTwice,       "block '{s}' computes a point more than once")                           \
  X(WritesCollide,       "points of block '{s}' write the same element of '{t}'")                 \
  X(ReductionIncomplete, "block '{s}' leaves out points of its reduction")                        \
  X(AccessOutOfBounds,   "block '{s}': the index of {t} becomes {a}, the dimension is {b}")       \
  X(ReadBeforeWrite,     "block '{s}' reads '{t}' before it is written completely")               \
  X(ParallelReduction,   "loop '{s}' is parallel or vectorized and feeds the reduction of '{t}'") \
  X(ParallelOverlap,     "loop '{s}' is parallel or vectorized and all its iterations write what block '{t}' writes") \
  X(VectorizedNotInnermost, "loop '{s}' is vectorized and holds loop '{t}'")                      \
  X(UnknownHint,         "annotation '{s}' is no hint of that form")                              \
  X(InitNotDecomposed,   "block '{s}' still has its initial value")                               \
  X(UnrollTooLarge,      "block '{s}' would be unrolled into {a} copies, at most {b} are allowed") \
  X(BufferTooLarge,      "an extent of {a} is refused: programs hold {b} elements at most")       \
  /* model */                                                                                   \
  X(RankTooHigh,         "a tensor of rank {a} is refused; the highest is {b}")                 \
  X(NegativeDimension,   "a dimension is {a}; it must not be negative")                         \
  X(TensorTooLarge,      "a tensor {s} is refused; the largest holds {a} bytes")                \
  X(WrongInputCount,     "has {a} inputs; it takes {b} to {c} (-1: any number)")                \
  X(UnknownValue,        "reads a value that does not exist")                                   \
  X(Cycle,               "the graph has a cycle through node '{s}'")                            \
  X(NoOutputs,           "model '{s}' has no output")                                           \
  X(WrongType,           "{s}: {t}")                                                            \
  X(ShapeMismatch,       "{s}: {t}")                                                            \
  X(Unsound,             "broken model: {s}")                                                   \
  X(IndexOutOfRange,     "an index is {a}; axis {b} holds {c} elements")                       \
  X(BadAttribute,        "attribute {s}: {t}")                                             \
  X(UnknownModel,        "there is no model '{s}' in the zoo; {t}")                             \
  X(BadSelector,         "selector '{s}': {t}")                                                 \
  X(NothingSelected,     "selector '{s}' matches nothing; the model has {t}")                   \
  X(OnnxMalformed,        "not a sound ONNX model: {s}")                                        \
  X(UnsupportedOpset,     "opset {a} is not supported; {b} to {c} are")                         \
  X(UnsupportedOperator,  "operator {s} is not supported{t}")                                   \
  X(UnsupportedVersion,   "{s} as of opset {a} is not supported; as of opsets {b} to {c} it is")\
  X(UnsupportedType,      "{s} is {t}, which is not supported")                                 \
  X(UnboundDimension,     "dimension '{s}' of input '{t}' is free; fix it with --bind {s}=N")   \
  X(UnknownBinding,       "--bind {s}: the model has no free dimension of that name; {t}")      \
  X(UnknownConstant,      "constant '{s}': the model has no input of that name; {t}")           \
  X(NotConstant,          "input {s} must be constant, but it depends on {t}")                  \
  X(UndefinedValue,       "reads '{s}', which nothing computes")                                \
  X(DuplicateValue,       "value '{s}' is computed twice")                                      \
  X(BadExternalData,      "external data '{s}': {t}")                                           \
  X(BadTensorData,        "tensor '{s}': {t}")                                                  \
  X(NotExportable,        "cannot be written at opset {a}: {s}")                               \
  /* spaces */                                                                                  \
  X(CoordinateUsedTwice,  "{s} is used {t}; a coordinate is used once")                          \
  X(CoordinateUnused,     "{s} is unused: {t}")                                                 \
  X(WrongDomain,          "{s} has the domain {t}")                                             \
  X(DiscardsData,         "{s} discards data: {t}")                                             \
  X(MixesFixedAxis,       "{s} is fixed, as the batch is: {t}")                                 \
  X(UnknownSpace,         "there is no space '{s}'; there are {t}")                             \
  X(UnknownSite,          "the model has no place '{s}'; {t}")                                  \
  X(NotThisBase,          "the candidate edits model {s}, this is {t}")                         \
  X(NoProposal,           "{s}: {t}")                                                           \
  X(WrongDecomposition,   "the stages of {s} do not compute the operator: {t}")                 \
  /* schedule */                                                                                \
  X(UnknownStep,          "there is no transformation '{s}'")                                   \
  X(TraceDiffers,         "the trace says it makes {s}, but it makes {t}")                      \
  X(BadFactors,           "{s}: {t}")                                                           \
  X(NotDivisible,         "the extent {a} of '{s}' is not divisible by {b}")                    \
  X(NotNested,            "'{s}' and '{t}' do not stand directly inside each other")            \
  X(ChangesOrder,         "'{s}' would come too early or too late: {t}")                        \
  X(SplitsReduction,      "loop '{s}' takes part in the reduction of block '{t}'")              \
  X(NoInit,               "block '{s}' has no initial value of its own")                        \
  X(NotAround,            "loop '{s}' does not stand around block '{t}'")                       \
  X(NotLocal,             "'{s}' is not a local buffer that this block alone fills: {t}")       \
  X(NotConsumer,          "block '{s}': {t}")                                                   \
  X(NotABox,              "block '{s}' needs points of '{t}' that form no box")                 \
  X(NotElementwise,       "block '{s}' is not elementwise: {t}")                                \
  X(NotAReduction,        "loop '{s}' does not feed one reduction alone: {t}")                  \
  X(NotAssociative,       "block '{s}' combines in a way that may not be regrouped")            \
  X(BadLayout,            "layout of '{s}': {t}")                                               \
  X(NotPadding,           "block '{s}' does not pad: {t}")                                      \
  X(NotAContraction,      "block '{s}' is not such a contraction: {t}")                         \
  X(TooManyRegisters,     "a tile of {s} needs {a} registers, there are {b}")                   \
  X(NotOutermost,         "loop '{s}' is not the outermost of its nest")                        \
  X(ChangesInterface,     "'{s}' would change its shape, which nobody has accepted: {t}")       \
  X(BadDecision,          "decision '{s}': {t}")                                               \
  X(UnknownRule,          "there is no rule '{s}'; there are {t}")                              \
  X(NothingToDo,          "rule '{s}' leaves this block alone: {t}")                            \
  X(NotWinograd,          "block '{s}' is no 3x3 convolution of stride 1: {t}")                 \
  /* lower */                                                                                   \
  X(NotLowered,           "{s} has no program: {t}")                                            \
  X(UnknownPass,          "there is no pass '{s}'; there are {t}")                              \
  /* codegen */                                                                                 \
  X(NotInRegisters,       "local '{s}' cannot live in registers: {t}")                           \
  X(SpillsInLoop,         "the innermost loops touch the stack {a} times")                      \
  X(CodeTooLarge,         "the unrolled code has {a} operations, at most {b} are allowed")      \
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
  X(KernelMemory,         "the kernel wants {a} bytes, the limit is {b}")                       \
  X(GuardTouched,         "the kernel wrote outside buffer '{s}'")                              \
  X(OutputUntouched,      "element {a} of output '{s}' was not written")                        \
  X(WrongResult,          "element {a} of output '{s}' is wrong: {t}")                          \
  /* store */                                                                                   \
  X(NotADatabase,         "{s} is not a database of Cambium: {t}")                              \
  X(NewerDatabase,        "{s} has version {a}; this program reads up to {b}")                  \
  X(DatabaseFailed,       "{s}: {t}")                                                           \
  X(BadRecord,            "line {a}: {s}")                                                      \
  X(StudyDiffers,         "study {s} is of {t}")                                                \
  X(NoSuchCandidate,      "there is no one candidate {s} in {t}")                               \
  /* tune */                                                                                    \
  X(NoSchedule,           "no schedule of '{s}' could be made: {t}")                            \
  X(TriedBefore,          "the same program was tried before")                                  \
  X(UnknownStrategy,      "there is no strategy '{s}'; there are {t}")                          \
  X(LearnerFailed,        "XGBoost: {s}")                                                       \
  X(ModelUnfit,           "the cost model {s} does not fit this program: {t}")                  \
  /* search */                                                                                  \
  X(NoFacet,              "strategy '{s}' needs a space that {t}")                              \
  X(OverBudget,           "{s}: {t}")                                                           \
  X(NotPromising,         "{s}: {t}")                                                           \
  X(ImpossibleBudget,     "{s}: {t}")                                                           \
  X(WorkerDied,           "the worker died: {s}")                                               \
  X(BadJob,               "not a job: {s}")                                                     \
  /* engine */                                                                                  \
  X(NotEnoughMemory,      "{s} takes {a} MiB of memory or more, {t}")                           \
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
