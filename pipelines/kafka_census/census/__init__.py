"""One census from its pages to its publication: `staging` > `gate` > `publish`, and `run`, which joins the steps."""
