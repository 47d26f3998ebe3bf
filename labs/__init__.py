"""The teaching lab: four faces over the rooms engine, model, files and view.

A face offers `add_arguments(parser)`, `Params`, `Result` (with `holds`: False makes exit code 1),
`run(params)`, `render(result, lang)` and `document(result)`; and `params(**options)` where options are more
than the fields of `Params`. Imports go down: face -> engine, model -> files, view -> base.
"""

LABS = ("attention", "prefix", "schedule", "capacity")
