"""What keeps censuses going: `doctor` before one, `maintenance` of the lake between them."""
