"""Does a model prefer the order in which a benchmark was published?

The test needs an order without meaning (`meaning`), and no control. Either the items are put in
other orders, and read as one text in shards (`sharding`), or the options of each item (`options`).
`measuring` has the log-likelihoods, and `decision` the test.
"""
