#include "codegen/llvm/gemm_testing.h"

#include <fmt/format.h>

namespace cambium::codegen {

std::string gemm_text(int m, int n, int k, int lanes, int rows, const std::string& k_hints) {
  using namespace fmt::literals;
  return fmt::format(
      R"(
program gemm(a: f32[{m}, {k}] input, b: f32[{panels}, {k}, {wide}] constant,
             c: f32[{m}, {n}] output) {{
  local acc: f32[{rows}, {wide}] @space("register")
  for j in {panels} {{
    for i in {tiles} {{
      for r.0 in {rows} unrolled {{
        for v.0 in 4 unrolled {{
          for l.0 in {lanes} vectorized {{
            block zero(spatial m in {rows} = r.0, spatial n in {wide} = {lanes}*v.0 + l.0) {{
              acc[m, n] = 0.0
            }}
          }}
        }}
      }}
      for k in {k} {hints} {{
        for r in {rows} unrolled {{
          for v in 4 unrolled {{
            for l in {lanes} vectorized {{
              block product(spatial m in {rows} = r, spatial n in {wide} = {lanes}*v + l,
                            spatial t in {tiles} = i, spatial p in {panels} = j, reduce k = k) {{
                acc[m, n] += a[{rows}*t + m, k] * b[p, k, n]
              }}
            }}
          }}
        }}
      }}
      for r.1 in {rows} unrolled {{
        for v.1 in 4 unrolled {{
          for l.1 in {lanes} vectorized {{
            block out(spatial m in {m} = {rows}*i + r.1, spatial n in {n} = {wide}*j + {lanes}*v.1 + l.1) {{
              c[m, n] = acc[m % {rows}, n % {wide}]
            }}
          }}
        }}
      }}
    }}
  }}
}}
)",
      "m"_a = m, "n"_a = n, "k"_a = k, "panels"_a = n / (4 * lanes), "wide"_a = 4 * lanes,
      "tiles"_a = m / rows, "rows"_a = rows, "lanes"_a = lanes, "hints"_a = k_hints);
}

}  // namespace cambium::codegen
