// What one block costs by count, whatever it is that holds it back: vector operations, loads and
// stores after what registers keep, accumulators and the chains between them, registers, bytes of
// code. The analytic model turns it into seconds, features.cpp into columns.
#pragma once

#include "base/machine.h"
#include "tune/analysis.h"

namespace cambium::tune {

struct BlockCost {
  double outer = 1;         // iterations of the loops that run, as far as they compute something
  double copies = 1;        // of the body in each of them, by unrolling
  double chunks = 1;        // vectors of each copy
  double lanes = 1;         // used of each
  double operations = 0;    // vector operations in all, in multiply-adds
  double loads = 0;         // vectors from memory, in all
  double broadcasts = 0;    // single elements, for all lanes or where there are none, in all
  double stores = 0;        // in all
  double gathered = 0;      // elements loaded or stored one by one, in all
  double accumulators = 0;  // vectors that a reduction keeps
  double registers = 0;     // vectors alive at once
  double spills = 0;        // of those, more than there are
  double chain = 0;         // operations in all that wait for the one before
  bool chain_in_memory = false;
  double code_bytes = 0;  // of the body
  double divisions = 0;   // of addresses, in all
  double steps = 0;       // of loops, in all
  double entries = 0;     // into loops, in all
};

BlockCost cost_of(const BlockInfo& block, const Machine& machine);

}  // namespace cambium::tune
