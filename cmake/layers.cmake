# What may include what: the one truth. `cambium_layer` stops configuration on a forbidden edge,
# tools/check_layers.py applies the same table to #include lines, and ARCHITECTURE.md embeds it
# together with the words behind each row. Folders stand in the order in which data passes them.
set(CAMBIUM_ALLOW_base "")                    # results, fingerprints, random numbers, text, files, processes, threads
set(CAMBIUM_ALLOW_expr base)                  # symbolic sizes and index expressions, their rewrite rules
set(CAMBIUM_ALLOW_store base)                 # SQLite: tuning records and studies; texts and numbers, no IR
set(CAMBIUM_ALLOW_model base expr)            # graph, shapes, ONNX, zoo, targets, costs, reference executor
set(CAMBIUM_ALLOW_data base)                  # data sets and loaders
set(CAMBIUM_ALLOW_program base expr)          # loop-level IR: nodes, text, verifier, interpreter
set(CAMBIUM_ALLOW_spaces base expr model program)  # new operators: what a candidate may be, how it is found and made runnable
set(CAMBIUM_ALLOW_schedule base expr program)  # transformations of programs, traces, default schedules
set(CAMBIUM_ALLOW_lower base expr model program)  # model operators to programs; fusion, folding
set(CAMBIUM_ALLOW_codegen base expr program)  # program and machine to native code
set(CAMBIUM_ALLOW_measure base program codegen)  # run native code in a process of its own, check it, time it
set(CAMBIUM_ALLOW_tune base expr program schedule store)  # features, cost models, search over traces
set(CAMBIUM_ALLOW_compile base expr model lower program schedule codegen)  # a whole model as native code
set(CAMBIUM_ALLOW_train base model data)      # a model as libtorch: trainer, early stopping, measures without training
set(CAMBIUM_ALLOW_search base expr model spaces store)  # strategies, funnel, what a study means; ports
set(CAMBIUM_ALLOW_report base store)          # pages from what a study holds; computes nothing
set(CAMBIUM_ALLOW_engine base expr store model data program spaces schedule lower codegen measure tune compile train search report)  # the C++ API: what a command does
set(CAMBIUM_ALLOW_cli base engine)            # options and printing only
