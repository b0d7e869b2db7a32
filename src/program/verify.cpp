#include "program/verify.h"

#include <algorithm>
#include <unordered_set>

#include "program/analysis.h"
#include "program/verify_rules.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kMostCopies = 4096;

#define CAMBIUM_X(function, name, from, until, text) {name, Stage::from, Stage::until, text},
constexpr Rule kRules[] = {CAMBIUM_FOR_EACH_PROGRAM_RULE(CAMBIUM_X)};
#undef CAMBIUM_X

static_assert(std::size(kRules) <= 32, "Context::sound has a bit for each");

using Apply = void (*)(Inspection&);
#define CAMBIUM_X(function, name, from, until, text) function,
constexpr Apply kApply[] = {CAMBIUM_FOR_EACH_PROGRAM_RULE(CAMBIUM_X)};
#undef CAMBIUM_X

void check_axes(Inspection& i, const Block& block, Expr e, std::span<const Expr> scope) {
  for (Expr axis : axes_of(e)) {
    if (std::find(scope.begin(), scope.end(), axis) == scope.end()) {
      i.refuse(Rejection(Reason::AxisUnbound, std::string(expr::name_of(axis))).at(called(block)));
    }
  }
}

void check_body(Inspection& i, const Block& block) {
  std::vector<Expr> all;
  std::vector<Expr> spatial;
  for (const Iterator& it : block.body->iterators) {
    all.push_back(it.axis);
    if (it.kind == IteratorKind::Spatial) spatial.push_back(it.axis);
  }
  // The target of a reduction is where its spatial point says.
  for (Expr e : block.body->indices) check_axes(i, block, e, spatial);
  for_each_scalar(block.body->value, [&](Scalar s) {
    for (Expr e : s->indices) check_axes(i, block, e, all);
  });
  if (block.body->init == nullptr) return;
  for_each_scalar(block.body->init, [&](Scalar s) {
    for (Expr e : s->indices) check_axes(i, block, e, spatial);
  });
}

void check_hints(Inspection& i, Annotations annotations, const std::string& where) {
  for (const Annotation& a : annotations) {
    const auto hint = enumerator_named<Hint>(a.key);
    if (!hint || takes_number(*hint) == a.is_text) {
      i.refuse(Rejection(Reason::UnknownHint, std::string(a.key)).at(where));
    }
  }
}

Fingerprint key_of(const Site& site) {
  Hasher key;
  key.add(site.block->key);
  for (const Loop* loop : site.loops) key.add(reinterpret_cast<std::uintptr_t>(loop->axis));
  return key.done();
}

// Whether no text stands there twice.
bool are_different(std::vector<std::string_view>& texts) {
  const auto is_less = [](std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  std::sort(texts.begin(), texts.end(), is_less);
  return std::adjacent_find(texts.begin(), texts.end()) == texts.end();
}

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

Inspection::Inspection(Context& context, const Program& inspected)
    : cx(context), program(inspected), sites(sites_of(inspected)), known_(sites.size()) {}

const Fingerprint& Inspection::key_of(const Site& site) {
  std::optional<Fingerprint>& key = known_[site.order].key;
  if (!key) key = program::key_of(site);
  return *key;
}

const Loop* Inspection::home_of(const Site& site) {
  std::optional<const Loop*>& home = known_[site.order].home;
  if (!home) home = program::home_of(sites, site.block->body->target);
  return *home;
}

std::uint32_t& Inspection::sound(const Site& site) {
  std::uint32_t*& sound = known_[site.order].sound;
  if (sound == nullptr) sound = &cx.sound()[key_of(site)];
  return *sound;
}

std::uint32_t& Inspection::sound_at_home(const Site& site) {
  std::uint32_t*& sound = known_[site.order].sound_at_home;
  if (sound == nullptr) sound = &cx.sound()[key_at_home(site)];
  return *sound;
}

void Inspection::apply(Apply function) {
  rule = &kRules[std::find(std::begin(kApply), std::end(kApply), function) - std::begin(kApply)];
  function(*this);
}

Fingerprint Inspection::key_at_home(const Site& site) {
  const auto home = std::find(site.loops.begin(), site.loops.end(), home_of(site));
  return fingerprint_of(key_of(site), home - site.loops.begin());
}

namespace {

std::vector<Violation> found_in(Inspection& inspection, Stage stage) {
  for (int i = 0; i < static_cast<int>(std::size(kRules)); ++i) {
    if (inspection.is_done() || (i == kFirstRules && !inspection.found.empty())) break;
    if (kRules[i].from <= stage && stage <= kRules[i].until) inspection.apply(kApply[i]);
  }
  return std::move(inspection.found);
}

}  // namespace

std::vector<Violation> violations(Context& cx, const Program& program, Stage stage) {
  Inspection inspection(cx, program);
  return found_in(inspection, stage);
}

Status check(Context& cx, const Program& program, Stage stage) {
  Inspection inspection(cx, program);
  inspection.first_only = true;
  std::vector<Violation> found = found_in(inspection, stage);
  if (found.empty()) return Ok{};
  return std::move(found.front().rejection).at("rule " + std::string(found.front().rule->name));
}

void names_unique(Inspection& i) {
  std::vector<std::string_view> all_loops, all_blocks, all_buffers;
  for (const auto& group : {i.program.parameters, i.program.locals}) {
    for (const Buffer* buffer : group) all_buffers.push_back(buffer->name);
  }
  for_each_stmt(i.program, [&](Stmt s, const std::vector<const Loop*>&) {
    if (const Loop* loop = as_loop(s)) all_loops.push_back(loop->name());
    if (const Block* block = as_block(s)) all_blocks.push_back(block->name);
  });
  if (are_different(all_loops) && are_different(all_blocks) && are_different(all_buffers)) return;
  // One of them is not: in the order of the text.
  std::unordered_set<std::string_view> loops, blocks, buffers;
  const auto add = [&i](auto& names, std::string_view name) {
    if (!names.insert(name).second) i.refuse(Rejection(Reason::NameTaken, std::string(name)));
  };
  for (const auto& group : {i.program.parameters, i.program.locals}) {
    for (const Buffer* buffer : group) add(buffers, buffer->name);
  }
  for_each_stmt(i.program, [&](Stmt s, const std::vector<const Loop*>&) {
    if (const Loop* loop = as_loop(s)) add(loops, loop->name());
    if (const Block* block = as_block(s)) add(blocks, block->name);
  });
}

void axes_in_scope(Inspection& i) {
  for (const Site& site : i.sites) {
    i.unless_known(i.sound(site), [&] {
      std::vector<Expr> loops;
      for (const Loop* loop : site.loops) loops.push_back(loop->axis);
      for (Expr binding : site.block->bindings) check_axes(i, *site.block, binding, loops);
      check_axes(i, *site.block, site.block->predicate, loops);
      check_body(i, *site.block);
    });
  }
}

void buffers_declared(Inspection& i) {
  for (const Buffer* buffer : i.program.parameters) {
    if (buffer->role == Role::Local) {
      i.refuse(Rejection(Reason::UnknownName, std::string(buffer->name)).at("parameters"));
    }
  }
  for (const Site& site : i.sites) {
    for (const Buffer* buffer : site.block->body->buffers) {
      const auto& declared = buffer->role == Role::Local ? i.program.locals : i.program.parameters;
      if (std::find(declared.begin(), declared.end(), buffer) == declared.end()) {
        i.refuse(Rejection(Reason::UnknownName, std::string(buffer->name)).at(called(*site.block)));
      }
    }
  }
}

void read_only_kept(Inspection& i) {
  for (const Site& site : i.sites) {
    const Buffer& target = *site.block->body->target;
    if (target.role == Role::Input || target.role == Role::Constant) {
      i.refuse(Rejection(Reason::WritesReadOnly, std::string(site.block->name),
                         std::string(target.name)));
    }
  }
}

void loops_plain(Inspection& i) {
  for_each_stmt(i.program, [&](Stmt s, const std::vector<const Loop*>&) {
    const Loop* loop = as_loop(s);
    if (loop != nullptr && (loop->how != LoopKind::Serial || !loop->annotations.empty())) {
      i.refuse(Rejection(Reason::LoopNotPlain, std::string(loop->name())));
    }
  });
}

void vectorized_innermost(Inspection& i) {
  for_each_stmt(i.program, [&](Stmt s, const std::vector<const Loop*>& around) {
    if (s->kind != StmtKind::Loop) return;
    for (const Loop* outer : around) {
      if (outer->how != LoopKind::Vectorized) continue;
      if (i.only != nullptr && i.only != outer && i.only != s) continue;
      i.refuse(Rejection(Reason::VectorizedNotInnermost, std::string(outer->name()),
                         std::string(as_loop(s)->name())));
    }
  });
}

void hints_known(Inspection& i) {
  for (const auto& group : {i.program.parameters, i.program.locals}) {
    for (const Buffer* buffer : group) {
      check_hints(i, buffer->annotations, "buffer '" + std::string(buffer->name) + "'");
    }
  }
  for_each_stmt(i.program, [&](Stmt s, const std::vector<const Loop*>&) {
    if (const Loop* loop = as_loop(s)) {
      check_hints(i, loop->annotations, "loop '" + std::string(loop->name()) + "'");
    } else if (const Block* block = as_block(s)) {
      check_hints(i, block->annotations, called(*block));
    }
  });
}

void inits_decomposed(Inspection& i) {
  for (const Site& site : i.sites) {
    if (site.block->body->init != nullptr) {
      i.refuse(Rejection(Reason::InitNotDecomposed, std::string(site.block->name)));
    }
  }
}

void unroll_bounded(Inspection& i) {
  for (const Site& site : i.sites) {
    if (i.only != nullptr && !site.is_under(i.only)) continue;
    std::int64_t copies = 1;
    for (const Loop* loop : site.loops) {
      if (loop->how == LoopKind::Unrolled && copies <= kMostCopies) copies *= loop->extent();
    }
    if (copies > kMostCopies) {
      i.refuse(Rejection(Reason::UnrollTooLarge, std::string(site.block->name), {}, copies,
                         kMostCopies));
    }
  }
}

}  // namespace cambium::program
