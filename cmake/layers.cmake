# What may include what: the one truth. `cambium_layer` stops configuration on a forbidden edge,
# tools/check_layers.py applies the same table to #include lines, and ARCHITECTURE.md embeds it.
# Folders stand in the order in which data passes through them.
set(CAMBIUM_ALLOW_base "")
set(CAMBIUM_ALLOW_expr base)
set(CAMBIUM_ALLOW_model base expr)
set(CAMBIUM_ALLOW_data base)
set(CAMBIUM_ALLOW_engine base expr model data)
set(CAMBIUM_ALLOW_cli base engine)
