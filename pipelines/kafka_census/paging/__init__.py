"""What an RPC, a cursor, a page and a chain are, and the one pager that walks them."""
