"""Pages as Arrow: the fetcher that landing and the Data Source share, and the Data Source."""
