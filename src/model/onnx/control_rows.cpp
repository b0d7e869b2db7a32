// Operators that vanish: Identity, Dropout as inference sees it, and an If whose condition is
// known. Loops and scans are refused because they have no row.
#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

Status identity(NodeContext& n) {
  n.set(0, n.in(0));
  return Ok{};
}

Status dropout(NodeContext& n) {
  n.ignore("ratio");
  n.ignore("seed");
  if (n.opset() < 7) {
    CAMBIUM_TRY(const bool is_test, n.flag_or("is_test", false));
    if (!is_test) return bad_attribute("is_test", "0 is training, which is not supported");
  }
  if (n.opset() >= 12 && n.has(2)) {
    CAMBIUM_TRY(const Tensor training, n.known(2, "training_mode"));
    bool drops = true;
    if (n.has(1)) {
      CAMBIUM_TRY(const Tensor ratio, n.known(1, "ratio"));
      drops = ratio.elements() != 1 || ratio.to_doubles()[0] != 0;
    }
    if (drops && (training.elements() != 1 || training.to_ints()[0] != 0)) {
      return Rejection(Reason::UnsupportedOperator, "Dropout", " in training mode");
    }
  }
  n.set(0, n.in(0));
  const DType mask = n.opset() < 10 ? n.type(0).dtype : DType::Bool;
  if (n.wants(1)) n.set(1, n.constant(filled(mask, n.type(0).dims, 1)));
  return Ok{};
}

Status if_known(NodeContext& n) {
  const AttributeValue* branches[] = {n.raw("else_branch"), n.raw("then_branch")};
  CAMBIUM_TRY(const Tensor condition, n.known(0, "condition"));
  if (condition.elements() != 1) return bad_shape("condition", "must be one bool");
  const AttributeValue* chosen = branches[condition.to_ints()[0] != 0 ? 1 : 0];
  const auto* graph =
      chosen != nullptr ? std::get_if<std::shared_ptr<const Graph>>(chosen) : nullptr;
  if (graph == nullptr) return bad_attribute("then_branch, else_branch", "are not graphs");
  CAMBIUM_TRY(const std::vector<Operand> outputs, n.inlined(**graph));
  for (std::size_t i = 0; i < outputs.size(); ++i) n.set(i, outputs[i]);
  return Ok{};
}

constexpr Row kControlRows[] = {
    {"Identity", 1, kAny, 1, 1, identity},
    {"Dropout", 6, kAny, 1, 3, dropout},
    {"If", 1, kAny, 1, 1, if_known},
};

}  // namespace

std::span<const Row> control_rows() {
  return kControlRows;
}

}  // namespace cambium::model::onnx_io
