"""Programs that generate docs (`make docs`); they are not installed with the project."""
