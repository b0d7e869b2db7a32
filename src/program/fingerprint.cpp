#include "program/fingerprint.h"

#include <algorithm>

namespace cambium::program {

Fingerprint Fingerprinter::operator()(const Program& program) {
  words_.clear();
  buffers_.assign(program.parameters.begin(), program.parameters.end());
  around_.clear();
  loops_ = 0;
  words_.add(program.parameters.size());
  for (const Buffer* buffer : program.parameters) describe(buffer);
  visit(program.root);
  return words_.done();
}

void Fingerprinter::describe(const Buffer* buffer) {
  words_.add(buffer->dtype);
  words_.add(buffer->role);
  words_.add(buffer->dims.size());
  for (const std::int64_t dim : buffer->dims) words_.add(dim);
  words_.add(buffer->annotations);
}

void Fingerprinter::visit(Stmt s) {
  words_.add(s->kind);
  if (const Loop* loop = as_loop(s)) {
    words_.add(loop->how);
    words_.add(loop->extent());
    words_.add(loop->annotations);
    around_.emplace_back(loop->axis, loops_++);
    visit(loop->body);
    around_.pop_back();
  } else if (const Seq* seq = as_seq(s)) {
    words_.add(seq->children.size());
    for (Stmt child : seq->children) visit(child);
  } else {
    add_block(*as_block(s));
  }
}

void Fingerprinter::add_block(const Block& block) {
  words_.add(block.body->fingerprint);
  for (const Buffer* buffer : block.body->buffers) add_buffer(buffer);
  // An axis that no loop around has is refused elsewhere; here it only needs a number.
  const auto number_of = [this](Expr axis) {
    for (auto it = around_.rbegin(); it != around_.rend(); ++it) {
      if (it->first == axis) return it->second;
    }
    return ~std::uint64_t{0};
  };
  for (Expr binding : block.bindings) words_.add_index(binding, number_of);
  words_.add_index(block.predicate, number_of);
  words_.add(block.annotations);
}

void Fingerprinter::add_buffer(const Buffer* buffer) {
  const auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
  words_.add(found - buffers_.begin());
  if (found != buffers_.end()) return;
  buffers_.push_back(buffer);
  describe(buffer);
}

Fingerprint fingerprint_of(const Program& program) {
  return Fingerprinter()(program);
}

}  // namespace cambium::program
