"""A testbed as the plain data that checks and reports read."""

import numpy as np

from gradcheck.evidence import InputRecord, TestbedRecord
from gradcheck.testbed import Testbed


def testbed_record(testbed: Testbed) -> TestbedRecord:
    """What `testbed` is, without its functions. Nominal inputs are flattened."""
    return TestbedRecord(
        name=testbed.name,
        question=testbed.question,
        family=testbed.family,
        source=testbed.source,
        dt=testbed.dt,
        steps=testbed.steps,
        speed=testbed.speed,
        inputs=[
            InputRecord(
                name=one.name,
                labels=one.labels(),
                scale=one.scale,
                reach=one.reach,
                unit=one.unit,
                nominal=np.ravel(one.default).tolist(),
            )
            for one in testbed.inputs
        ],
        outputs=list(testbed.outputs),
        weights=list(testbed.weights),
        truth=testbed.truth.source if testbed.truth else None,
        noise=dict(testbed.noise),
        directions=list(testbed.directions),
    )
