# What may include what: the one truth. `cambium_layer` stops configuration on a forbidden edge,
# tools/check_layers.py applies the same table to #include lines, and ARCHITECTURE.md embeds it
# together with the words behind each row. Folders stand in the order in which data passes them.
set(CAMBIUM_ALLOW_base "")                    # results, fingerprints, random numbers, text, files, processes, threads
set(CAMBIUM_ALLOW_expr base)                  # symbolic sizes and index expressions, their rewrite rules
set(CAMBIUM_ALLOW_model base expr)            # graph, shapes, ONNX, zoo, targets, costs, reference executor
set(CAMBIUM_ALLOW_data base)                  # data sets and loaders
set(CAMBIUM_ALLOW_program base expr)          # loop-level IR: nodes, text, verifier, interpreter
set(CAMBIUM_ALLOW_engine base expr model data)  # the C++ API: what a command does
set(CAMBIUM_ALLOW_cli base engine)            # options and printing only
