"""What every room uses: files, tables, statistics, seeds, records, errors, pages."""
