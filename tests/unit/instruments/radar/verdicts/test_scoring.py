"""What the job that scores a benchmark loads; its scores: `test_suspected.py`."""

import subprocess
import sys

from tests.checkout import REPOSITORY


def test_scores_are_computed_without_loading_a_models_libraries() -> None:
    code = (
        "import sys; import scripts.radar.score_suspected; "
        "sys.exit(', '.join({'torch', 'transformers', 'sklearn'} & set(sys.modules)) or 0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
