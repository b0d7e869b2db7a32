// The program that all of this is for: a matrix product in register tiles of 6 rows by 4 vectors,
// with the columns of the right side packed.
#pragma once

#include <string>

namespace cambium::codegen {

// c[m, n] = a[m, k] * b, which lies as b[n / (4 lanes), k, 4 lanes]. 6 divides m, 4 lanes divide n.
std::string gemm_text(int m, int n, int k, int lanes, int rows = 6,
                      const std::string& k_hints = "");

}  // namespace cambium::codegen
