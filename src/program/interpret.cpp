#include "program/interpret.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "expr/evaluate.h"
#include "program/arithmetic.h"
#include "program/interpret_code.h"

namespace cambium::program {
namespace {

std::string list(std::span<const std::int64_t> numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(numbers[i]);
  }
  return text + "]";
}

class Runner {
 public:
  Runner(const InterpreterCode& code, std::optional<std::uint64_t> shuffle)
      : code_(code),
        slots_(code.slots),
        cells_(code.cells),
        memories_(code.memories),
        values_(code.loops.size()),
        shuffle_(shuffle.has_value()),
        rng_(shuffle.value_or(0)) {}

  Result<std::vector<Array>> run(std::span<const Array> arguments) {
    CAMBIUM_REQUIRE(take(arguments));
    machine_.slots = slots_.data();
    machine_.cells = cells_.data();
    machine_.memories = memories_.data();
    if (!run(code_.root)) return explain(code_, *machine_.failed, machine_, values_);
    return results();
  }

 private:
  struct Storage {
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>> elements;
    std::vector<std::uint32_t> stamps;
  };

  // The elements of an array in the form that the code wants.
  static void fill(Storage& storage, const Array& from, Form form, DType dtype) {
    const auto as_real = [&](std::size_t i) {
      return std::visit([i](const auto& v) { return static_cast<double>(v[i]); }, from.elements);
    };
    const auto size = static_cast<std::size_t>(from.size());
    if (form == Form::F32) {
      std::vector<float> values(size);
      for (std::size_t i = 0; i < size; ++i) {
        values[i] = static_cast<float>(stored(as_real(i), dtype));
      }
      storage.elements = std::move(values);
    } else if (form == Form::F64) {
      std::vector<double> values(size);
      for (std::size_t i = 0; i < size; ++i) values[i] = as_real(i);
      storage.elements = std::move(values);
    } else {
      storage.elements = std::get<std::vector<std::int64_t>>(from.elements);
    }
  }

  void allocate(std::size_t memory) {
    Memory& m = memories_[memory];
    const auto size = static_cast<std::size_t>(m.elements);
    Storage& storage = storage_[memory];
    if (m.form == Form::F32) storage.elements = std::vector<float>(size);
    if (m.form == Form::F64) storage.elements = std::vector<double>(size);
    if (m.form == Form::Whole) storage.elements = std::vector<std::int64_t>(size);
    storage.stamps.assign(size, 0);
    m.stamps = storage.stamps.data();
  }

  Status take(std::span<const Array> arguments) {
    storage_.resize(memories_.size());
    std::size_t next = 0;
    std::vector<bool> given(memories_.size());
    for (const auto& parameter : code_.parameters) {
      if (parameter.role == Role::Output) continue;
      const Memory& m = memories_[parameter.memory];
      if (next == arguments.size()) {
        return Rejection(Reason::WrongArgument, parameter.name, "it is missing");
      }
      const Array& argument = arguments[next++];
      const bool whole = std::holds_alternative<std::vector<std::int64_t>>(argument.elements);
      if (argument.dtype != m.dtype || whole != (m.form == Form::Whole)) {
        return Rejection(Reason::WrongArgument, parameter.name,
                         "it is " + std::string(name_of(argument.dtype)) + ", not " +
                             std::string(name_of(m.dtype)));
      }
      if (argument.size() != m.elements) {
        return Rejection(Reason::WrongArgument, parameter.name,
                         "it has " + std::to_string(argument.size()) + " elements, not " +
                             std::to_string(m.elements));
      }
      fill(storage_[parameter.memory], argument, m.form, m.dtype);
      given[parameter.memory] = true;
    }
    if (next != arguments.size()) {
      return Rejection(Reason::WrongArgument, std::to_string(next),
                       "the program has no input at this position");
    }
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (!given[i]) allocate(i);
      memories_[i].data =
          std::visit([](auto& v) -> void* { return v.data(); }, storage_[i].elements);
    }
    return Ok{};
  }

  Result<std::vector<Array>> results() {
    std::vector<Array> outputs;
    for (const auto& parameter : code_.parameters) {
      if (parameter.role != Role::Output) continue;
      Storage& storage = storage_[parameter.memory];
      const auto gap = std::find(storage.stamps.begin(), storage.stamps.end(), 0u);
      if (gap != storage.stamps.end()) {
        return Rejection(Reason::OutputNotWritten, parameter.name, {},
                         gap - storage.stamps.begin());
      }
      outputs.push_back({memories_[parameter.memory].dtype, std::move(storage.elements)});
    }
    return outputs;
  }

  bool run(const Task& task) {
    if (task.kind == StmtKind::Loop) return loop(task);
    if (task.kind == StmtKind::Seq) {
      return std::all_of(task.children.begin(), task.children.end(),
                         [this](const Task& child) { return run(child); });
    }
    return block(task);
  }

  bool block(const Task& task) {
    const Instruction* i = task.instructions.data();
    do {
      i = i->run(machine_, i);
    } while (i != nullptr);
    return machine_.failed == nullptr;
  }

  void advance(const Task& task, std::int64_t iterations) {
    for (const Step& step : task.steps) slots_[step.slot] += step.by * iterations;
  }

  bool loop(const Task& task) {
    if (shuffle_ && task.is_parallel) return shuffled(task);
    const Task& body = task.children.front();
    for (std::int64_t i = 0; i < task.extent; ++i) {
      values_[task.loop] = i;
      for (const std::uint32_t memory : task.born) ++memories_[memory].epoch;
      if (!(body.kind == StmtKind::Block ? block(body) : run(body))) return false;
      for (const Step& step : task.steps) slots_[step.slot] += step.by;
    }
    advance(task, -task.extent);
    return true;
  }

  bool shuffled(const Task& task) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(task.extent));
    std::iota(order.begin(), order.end(), 0);
    rng_.shuffle(std::span(order));
    std::int64_t at = 0;
    for (const std::int64_t i : order) {
      advance(task, i - at);
      at = i;
      values_[task.loop] = i;
      for (const std::uint32_t memory : task.born) ++memories_[memory].epoch;
      if (!run(task.children.front())) return false;
    }
    advance(task, -at);
    return true;
  }

  const InterpreterCode& code_;
  Machine machine_{};
  std::vector<std::int64_t> slots_;
  std::vector<Cell> cells_;
  std::vector<Memory> memories_;
  std::vector<Storage> storage_;
  std::vector<std::int64_t> values_;  // of the loops, for refusals
  bool shuffle_;
  Rng rng_;
};

}  // namespace

Rejection explain(const InterpreterCode& code, const Instruction& failed, const Machine& machine,
                  std::span<const std::int64_t> loop_values) {
  const AccessNote& access = code.accesses[failed.access];
  std::vector<expr::AxisValue> axes;
  for (std::size_t i = 0; i < loop_values.size(); ++i) {
    axes.push_back({code.loops[i], loop_values[i]});
  }
  std::vector<std::int64_t> at;
  for (Expr e : access.indices) {
    const auto value = expr::evaluate(e, axes);
    at.push_back(value.ok() ? *value : 0);
  }
  const std::string block(access.block->name);
  const std::string buffer(access.buffer->name);
  const bool is_bounds = failed.run == ops::check_index || failed.run == ops::gather_step;
  const std::string where = buffer + (access.indices.empty() && !access.buffer->dims.empty()
                                          ? " at " + std::to_string(machine.failed_value)
                                          : list(at));
  if (!is_bounds) return Rejection(Reason::ReadUnwritten, block, where);
  return Rejection(Reason::OutOfBounds, block,
                   (access.is_write ? "writes " : "reads ") + where + " of " + buffer +
                       list(access.buffer->dims));
}

std::int64_t Array::size() const {
  return std::visit([](const auto& v) { return static_cast<std::int64_t>(v.size()); }, elements);
}

std::vector<double> Array::as_doubles() const {
  return std::visit(
      [this](const auto& v) {
        std::vector<double> values;
        values.reserve(v.size());
        for (const auto x : v) {
          if constexpr (std::is_integral_v<std::remove_const_t<decltype(x)>>) {
            values.push_back(floating_from<double>(x, dtype));
          } else {
            values.push_back(static_cast<double>(x));
          }
        }
        return values;
      },
      elements);
}

Interpreter::Interpreter(std::unique_ptr<const InterpreterCode> code) : code_(std::move(code)) {}
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

Result<std::vector<Array>> Interpreter::run(std::span<const Array> arguments,
                                            std::optional<std::uint64_t> shuffle) const {
  return Runner(*code_, shuffle).run(arguments);
}

Result<std::vector<Array>> interpret(Context& cx, const Program& program,
                                     std::span<const Array> arguments, Precision precision) {
  CAMBIUM_TRY(const Interpreter interpreter, Interpreter::compile(cx, program, precision));
  return interpreter.run(arguments);
}

}  // namespace cambium::program
