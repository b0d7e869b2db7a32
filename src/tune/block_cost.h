// Counts the costs of one block, whichever of them limits it: vector operations, loads and stores
// that registers do not save, accumulators and the chains between them, registers, bytes of code.
// The analytic model turns the counts into seconds, features.cpp into columns.
#pragma once

#include "base/machine.h"
#include "tune/analysis.h"

namespace cambium::tune {

struct BlockCost {
  double outer = 1;   // iterations of the loops around the body, as far as they compute something
  double copies = 1;  // unrolled copies of the body in each iteration
  double chunks = 1;  // vectors in each copy
  double lanes = 1;   // used lanes of each vector
  double operations = 0;    // all vector operations, in multiply-adds
  double loads = 0;         // all vectors loaded from memory
  double broadcasts = 0;    // all single elements loaded, for all lanes or without vectors
  double stores = 0;        // all vectors stored
  double gathered = 0;      // all elements loaded or stored one by one
  double accumulators = 0;  // vectors that a reduction keeps
  double registers = 0;     // vectors alive at once
  double spills = 0;        // vectors alive beyond the registers of the machine
  double chain = 0;         // all operations that wait for the one before
  bool chain_in_memory = false;
  double code_bytes = 0;  // of the body
  double divisions = 0;   // all divisions in addresses
  double steps = 0;       // all loop iterations
  double entries = 0;     // all entries into loops
};

BlockCost cost_of(const BlockInfo& block, const Machine& machine);

}  // namespace cambium::tune
