"""The teaching lab: four faces over the rooms engine, model, files and view.

A face offers `add_arguments(parser)`, `Params`, `Result`, `run(params)`, `render(result, lang)` and
`document(result)`. Imports go down: face -> engine, model -> files, view -> base.
"""

LABS = ("attention", "prefix", "schedule", "capacity")
