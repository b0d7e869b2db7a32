// Draft: a program in which some nests and buffer shapes are being changed. `finish` makes the new
// program and reports how the interface changed. Neural steps use it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "schedule/neural/nest.h"

namespace cambium::schedule::neural {

class Draft {
 public:
  Draft(Context& cx, const Program& program);

  Context& cx() const { return cx_; }
  const Program& program() const { return program_; }
  const std::vector<program::Site>& sites() const { return sites_; }

  // The nest of a block, to be edited. Later calls return the same nest. Refuses NotAContraction.
  Result<Nest*> edit(const program::Block* block);
  bool is_edited(const program::Block* block) const { return nests_.count(block) > 0; }

  // Adds a nest directly before or after that of a block.
  void put(const program::Block* beside, bool after, Nest nest);

  std::vector<std::int64_t> dims_of(const Buffer* buffer) const;
  void resize(const Buffer* buffer, std::size_t axis, std::int64_t size);
  const Buffer* add_local(const Buffer* like, std::string_view suffix,
                          const std::vector<std::int64_t>& dims);
  const Buffer* add_weights(const Buffer* origin, const std::vector<std::int64_t>& dims);
  // Changes the indices at which all other blocks read `buffer`.
  void redirect(const Buffer* buffer, std::function<Indices(const Indices&)> to);

  Fresh& fresh() { return fresh_; }

  NeuralApplied finish(Names made) const;

 private:
  const Buffer* resolve(const Buffer* buffer) const;
  program::Stmt built(const Nest& nest) const;
  program::Stmt rebuilt(program::Stmt s) const;
  const program::Body* retargeted(const program::Body& body) const;

  Context& cx_;
  Program program_;
  Fresh fresh_;
  std::vector<program::Site> sites_;
  std::map<const program::Block*, Nest> nests_;
  std::map<const program::Block*, std::vector<Nest>> before_, after_;
  std::map<const Buffer*, const Buffer*> resized_;
  std::map<const Buffer*, std::function<Indices(const Indices&)>> redirected_;
  std::vector<const Buffer*> parameters_, locals_;
  std::set<const Buffer*> added_;
};

}  // namespace cambium::schedule::neural
