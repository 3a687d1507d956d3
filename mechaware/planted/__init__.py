"""Where the truth is known because we put it there: twins, controls, SQL, papers."""
