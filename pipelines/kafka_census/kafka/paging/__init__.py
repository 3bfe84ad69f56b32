"""RPCs, cursors, pages and chains, and the pager that walks them."""
