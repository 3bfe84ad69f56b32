"""What transforms of several tables have in common; each is a pure function of DataFrames or columns."""
