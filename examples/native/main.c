/* Runs a model that `cambium compile zoo:tiny-resnet -o DIR` has written, with no Cambium installed:
     cc -IDIR main.c DIR/tiny_resnet.so -lm -Wl,-rpath,DIR -o classify
     ./classify DIR/tiny_resnet.weights < image    (28x28 floats in, ten numbers out) */
#include <stdio.h>
#include <stdlib.h>
#include "tiny_resnet.h"

int main(int argc, char** argv) {
  void *weights = aligned_alloc(64, TINY_RESNET_WEIGHT_BYTES), *workspace = aligned_alloc(64, TINY_RESNET_WORKSPACE_BYTES(1));
  static float image[TINY_RESNET_INPUT0_BYTES / 4], logits[TINY_RESNET_OUTPUT0_BYTES / 4];
  FILE* file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(weights, 1, TINY_RESNET_WEIGHT_BYTES, file) != TINY_RESNET_WEIGHT_BYTES) return 1;
  if (fread(image, sizeof image, 1, stdin) != 1) return 2;
  if (tiny_resnet_run((const void*[]){image}, (void*[]){logits}, weights, workspace, NULL) != 0) return 3;
  for (size_t i = 0; i < sizeof logits / sizeof *logits; ++i) printf("%.9g\n", logits[i]);
  return 0;
}
