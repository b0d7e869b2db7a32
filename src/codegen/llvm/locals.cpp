#include "codegen/llvm/locals.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"

namespace cambium::codegen {

using expr::Expr;

namespace {

using program::Access;
using program::Buffer;
using program::Hint;
using program::Loop;
using program::LoopKind;
using program::Site;

constexpr std::int64_t kMostSlots = 512;
constexpr std::int64_t kAlignment = 64;

bool touches(const Site& site, const Buffer* buffer) {
  const auto& all = site.block->body->buffers;
  return std::find(all.begin(), all.end(), buffer) != all.end();
}

std::size_t depth_of(const Site& site, const Loop* home) {  // loops up to and with the home
  const auto found = std::find(site.loops.begin(), site.loops.end(), home);
  return home == nullptr ? 0 : static_cast<std::size_t>(found - site.loops.begin()) + 1;
}

bool wants_registers(const Buffer& buffer) {
  return std::any_of(buffer.annotations.begin(), buffer.annotations.end(), [](const auto& a) {
    return a.key == program::name_of(Hint::Space) && a.text == "register";
  });
}

// The elements that one vector access of this register buffer takes, as far as all agree on it; 0
// where there is no such access.
std::int64_t lanes_of(program::Context& cx, std::span<const Site> sites, const Buffer& buffer,
                      const Machine& machine) {
  std::int64_t lanes = 0;
  for (const Site& site : sites) {
    if (!touches(site, &buffer) || site.loops.empty()) continue;
    const Loop& inner = *site.loops.back();
    if (inner.how != LoopKind::Vectorized) continue;
    for (const Access& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer != &buffer || access.indices.empty()) continue;
      const Expr flat = flat_position(cx, *site.block, buffer.dims, access.indices);
      expr::Linear terms;
      if (!terms.add_scaled(flat, expr::Monomial::of(1))) continue;
      for (const expr::Term& term : terms.terms()) {
        if (term.atom != inner.axis || term.coefficient.factor != 1) continue;
        for (std::int64_t chunk : chunks_of(inner.extent(), machine)) {
          lanes = std::gcd(lanes, chunk);
        }
      }
    }
  }
  return lanes;
}

// Whether every access is a sum of loops in a buffer of these dimensions: none, a loop over several
// of its dimensions for example, then takes one element at a time.
bool is_plain(program::Context& cx, std::span<const Site> sites, const Buffer& buffer,
              std::span<const std::int64_t> dims) {
  for (const Site& site : sites) {
    if (!touches(site, &buffer)) continue;
    for (const Access& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer != &buffer) continue;
      expr::Linear terms;
      const Expr flat = flat_position(cx, *site.block, dims, access.indices);
      if (!terms.add_scaled(flat, expr::Monomial::of(1))) return false;
      for (const expr::Term& term : terms.terms()) {
        if (term.atom != nullptr && term.atom->kind != expr::Kind::Axis) return false;
      }
    }
  }
  return true;
}

// The innermost dimension whose rows can be rounded up to whole slots: with it, each of them begins
// a slot, and all accesses stay plain. Nothing where no rounding is needed or possible.
std::optional<RegisterForm> padded_form(program::Context& cx, std::span<const Site> sites,
                                        const Buffer& buffer, std::int64_t lanes) {
  std::int64_t inside = 1;  // elements of the dimensions behind
  for (std::size_t d = buffer.dims.size(); d-- > 0; inside *= buffer.dims[d]) {
    const std::int64_t row = buffer.dims[d] * inside;
    if (row % lanes == 0) return std::nullopt;
    const std::int64_t step = lanes / std::gcd(inside, lanes);
    RegisterForm form{lanes, {buffer.dims.begin(), buffer.dims.end()}, row, 0};
    form.dims[d] = (buffer.dims[d] + step - 1) / step * step;
    form.padded_row = form.dims[d] * inside;
    if (buffer.dims[d] > 1 && is_plain(cx, sites, buffer, form.dims)) return form;
  }
  return std::nullopt;
}

RegisterForm register_form(program::Context& cx, std::span<const Site> sites, const Buffer& buffer,
                           const Machine& machine) {
  const std::int64_t lanes = lanes_of(cx, sites, buffer, machine);
  if (lanes > 1) {
    if (const auto padded = padded_form(cx, sites, buffer, lanes)) return *padded;
  }
  RegisterForm form;
  form.dims.assign(buffer.dims.begin(), buffer.dims.end());
  if (lanes > 0 && buffer.elements() % lanes == 0) form.lanes = lanes;
  return form;
}

Rejection not_in_registers(const Buffer& buffer, std::string why) {
  return Rejection(Reason::NotInRegisters, std::string(buffer.name), std::move(why));
}

bool is_parallel(const Loop* loop) {
  return loop->how == LoopKind::Parallel && loop->extent() > 1;
}

// Whether the axis has known values where code is made.
bool is_written_out(const Site& site, Expr axis) {
  return std::any_of(site.loops.begin(), site.loops.end(), [axis](const Loop* loop) {
    return loop->axis == axis && (loop->how == LoopKind::Unrolled ||
                                  loop->how == LoopKind::Vectorized || loop->extent() == 1);
  });
}

// Whether every access is at a place that is known when the code is made, and can be one of
// registers: not a gather, and no element that several lanes write.
bool can_be_registers(program::Context& cx, std::span<const Site> sites, const Buffer& buffer,
                      const Loop* home) {
  for (const Site& site : sites) {
    if (!touches(site, &buffer)) continue;
    const std::size_t depth = depth_of(site, home);
    if (std::any_of(site.loops.begin() + static_cast<std::ptrdiff_t>(depth), site.loops.end(),
                    is_parallel)) {
      return false;
    }
    const Loop* inner = site.loops.empty() ? nullptr : site.loops.back();
    const bool in_lanes = inner != nullptr && inner->how == LoopKind::Vectorized && inner != home;
    for (const Access& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer != &buffer) continue;
      if (access.scalar != nullptr && access.scalar->kind == program::ScalarKind::Gather) {
        return false;
      }
      const Expr flat = flat_position(cx, *site.block, buffer.dims, access.indices);
      for (Expr axis : program::axes_of(flat)) {
        if (!is_written_out(site, axis)) return false;
      }
      const bool is_write = access.kind == Access::Kind::Write;
      if (is_write && in_lanes && !program::uses(flat, inner->axis)) return false;
    }
  }
  return true;
}

Status place_in_registers(program::Context& cx, std::span<const Site> sites, const Buffer& buffer,
                          const Machine& machine, LocalHome& home, Locals& locals) {
  home.in_registers = true;
  home.per_lane = home.loop != nullptr && home.loop->how == LoopKind::Vectorized;
  home.form = register_form(cx, sites, buffer, machine);
  if (home.form.slots() > kMostSlots) {
    return not_in_registers(buffer, "it has " + std::to_string(buffer.elements()) + " elements");
  }
  for (const Site& site : sites) {
    if (!touches(site, &buffer)) continue;
    for (std::size_t i = depth_of(site, home.loop); i < site.loops.size(); ++i) {
      const Loop* loop = site.loops[i];
      if (is_parallel(loop)) {
        return not_in_registers(
            buffer, "parallel loop '" + std::string(loop->name()) + "' does not begin its life");
      }
      auto& carried = locals.carried[loop];
      if (site.block->body->target == &buffer &&
          std::find(carried.begin(), carried.end(), &buffer) == carried.end()) {
        carried.push_back(&buffer);
      }
    }
  }
  return Ok{};
}

// The blocks, by order, between which a local holds values.
struct Life {
  std::size_t first, last;
};

Life life_of(std::span<const Site> sites, const Buffer* buffer, const Loop* home) {
  Life life{sites.size(), 0};
  for (const Site& site : sites) {
    if (!touches(site, buffer)) continue;
    const std::size_t depth = depth_of(site, home);
    const Loop* child = depth < site.loops.size() ? site.loops[depth] : nullptr;
    for (const Site& other : sites) {
      if (&other != &site && (child == nullptr || !other.is_under(child))) continue;
      life.first = std::min(life.first, other.order);
      life.last = std::max(life.last, other.order);
    }
  }
  return life;
}

struct Placed {
  Life life;
  std::int64_t begin, end;
};

// The lowest place that none of those holds who are alive at the same time.
std::int64_t lowest_place(std::vector<Placed>& placed, Life life, std::int64_t bytes) {
  std::int64_t begin = 0;
  for (const Placed& other : placed) {  // by begin
    if (other.life.last < life.first || life.last < other.life.first) continue;
    if (begin + bytes <= other.begin) break;
    begin = std::max(begin, other.end);
  }
  const auto at = std::find_if(placed.begin(), placed.end(),
                               [begin](const Placed& p) { return p.begin > begin; });
  placed.insert(at, {life, begin, begin + bytes});
  return begin;
}

void place_in_workspace(std::span<const Site> sites, const Buffer& buffer, LocalHome& home,
                        std::vector<Placed>& shared, std::vector<Placed>& worker,
                        Workspace& workspace) {
  for (const Site& site : sites) {
    if (home.loop == nullptr || !site.is_under(home.loop)) continue;
    const auto end = site.loops.begin() + static_cast<std::ptrdiff_t>(depth_of(site, home.loop));
    home.per_worker = std::any_of(site.loops.begin(), end, is_parallel);
  }
  const std::int64_t bytes =
      (buffer.elements() * size_of(buffer.dtype) + kAlignment - 1) / kAlignment * kAlignment;
  home.offset =
      lowest_place(home.per_worker ? worker : shared, life_of(sites, &buffer, home.loop), bytes);
  auto& total = home.per_worker ? workspace.worker_bytes : workspace.shared_bytes;
  total = std::max(total, home.offset + bytes);
}

}  // namespace

std::int64_t RegisterForm::slots() const {
  const std::int64_t elements =
      std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
  return elements / lanes;
}

Result<Locals> place_locals(program::Context& cx, const program::Program& program,
                            std::span<const Site> sites, const Machine& machine) {
  Locals locals;
  std::int64_t free = machine.vector_registers - 4;  // for operands on their way
  for (const Buffer* buffer : program.locals) {
    LocalHome& home = locals.homes[buffer];
    home.loop = program::home_of(sites, buffer);
    if (!wants_registers(*buffer)) continue;
    CAMBIUM_REQUIRE(place_in_registers(cx, sites, *buffer, machine, home, locals));
    free -= home.form.slots();
  }
  std::vector<Placed> shared;
  std::vector<Placed> worker;
  for (const Buffer* buffer : program.locals) {
    LocalHome& home = locals.homes[buffer];
    if (home.in_registers) continue;
    const bool in_lanes = home.loop != nullptr && home.loop->how == LoopKind::Vectorized;
    const std::int64_t slots = register_form(cx, sites, *buffer, machine).slots();
    const bool is_possible = can_be_registers(cx, sites, *buffer, home.loop);
    if (is_possible && (slots <= free || (in_lanes && slots <= kMostSlots))) {
      CAMBIUM_REQUIRE(place_in_registers(cx, sites, *buffer, machine, home, locals));
      free -= slots;
      continue;
    }
    if (in_lanes) locals.one_by_one.insert(home.loop);
    if (const auto inside = in_place(cx, sites, *buffer, home.loop)) {
      const bool is_taken = std::any_of(
          locals.homes.begin(), locals.homes.end(),
          [&](const auto& other) { return other.second.inside.result == inside->result; });
      if (!is_taken) {
        home.inside = *inside;
        continue;
      }
    }
    place_in_workspace(sites, *buffer, home, shared, worker, locals.workspace);
  }
  return locals;
}

Expr flat_position(program::Context& cx, const program::Block& block,
                   std::span<const std::int64_t> dims, std::span<const Expr> indices) {
  expr::Context& ix = cx.indices();
  Expr flat = cx.number(0);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    flat = expr::mul(ix, flat, expr::Monomial::of(dims[i]));
    flat = expr::add(ix, flat, program::over_loops(cx, block, indices[i]));
  }
  return expr::simplify(ix, flat);
}

std::vector<std::int64_t> chunks_of(std::int64_t extent, const Machine& machine) {
  const std::int64_t full = std::max<std::int64_t>(machine.lanes(), 1);
  std::vector<std::int64_t> chunks(static_cast<std::size_t>(extent / full), full);
  if (extent % full != 0) chunks.push_back(extent % full);
  return chunks;
}

}  // namespace cambium::codegen
