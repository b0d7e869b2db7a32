# What may include what: the one truth. `cambium_layer` stops configuration on a forbidden edge,
# tools/check_layers.py applies the same table to #include lines, and ARCHITECTURE.md embeds it
# together with the words behind each row. Folders stand in the order in which data passes them.
# A sub-folder with a row of its own (`spaces/coordinate`) obeys that row instead of the one above it:
# it may include other rows of its top folder only where they are listed. A folder that may include
# `spaces` from outside may include all sub-folders of `spaces`.
set(CAMBIUM_ALLOW_base "")                    # results, fingerprints, random numbers, text, files, processes, threads
set(CAMBIUM_ALLOW_expr base)                  # symbolic sizes and index expressions, their rewrite rules
set(CAMBIUM_ALLOW_store base)                 # SQLite: tuning records and studies; texts and numbers, no IR
set(CAMBIUM_ALLOW_model base expr)            # graph, shapes, ONNX, zoo, targets, costs, reference executor
set(CAMBIUM_ALLOW_data base)                  # data sets and loaders
set(CAMBIUM_ALLOW_program base expr)          # loop-level IR: nodes, text, verifier, interpreter
set(CAMBIUM_ALLOW_spaces base model)          # what a candidate is, and the interface that every space implements
set(CAMBIUM_ALLOW_spaces/places base expr model spaces)  # where an operator may stand in a model, and what stands around it
set(CAMBIUM_ALLOW_spaces/coordinate base expr model program spaces spaces/places)  # operators made of equations of coordinates: found, checked, made runnable
set(CAMBIUM_ALLOW_schedule base expr program)  # transformations of programs, traces, default schedules
set(CAMBIUM_ALLOW_lower base expr model program)  # model operators to programs; fusion, folding
set(CAMBIUM_ALLOW_spaces/loopnest base expr model program schedule lower spaces spaces/places)  # convolutions whose loops are rewritten: NAS-PTE as a space
set(CAMBIUM_ALLOW_codegen base expr program)  # program and machine to native code
set(CAMBIUM_ALLOW_measure base program codegen)  # run native code in a process of its own, check it, time it
set(CAMBIUM_ALLOW_tune base expr program schedule store)  # features, cost models, search over traces
set(CAMBIUM_ALLOW_compile base expr model lower program schedule codegen)  # a whole model as native code
set(CAMBIUM_ALLOW_trial base store model program lower schedule codegen measure tune compile)  # tuning tasks of a model; candidates built, checked and timed; the times of its kernels
set(CAMBIUM_ALLOW_train base model data)      # a model as libtorch: trainer, early stopping, measures without training
set(CAMBIUM_ALLOW_study base store)           # what a study means: metrics, which evaluation counts, fronts, the best
set(CAMBIUM_ALLOW_search base expr model spaces store study)  # strategies, funnel, ports
set(CAMBIUM_ALLOW_report base store study)    # pages from what a study holds; computes nothing
set(CAMBIUM_ALLOW_engine base expr store model data program spaces schedule lower codegen measure tune compile trial train study search report)  # the C++ API: what a command does
set(CAMBIUM_ALLOW_cli base engine)            # options and printing only
