"""tfx_bsl's tests of its adapter, which are in its wheel, pass on arrowfeed."""

import unittest
from types import SimpleNamespace

from tfx_bsl.tfxio import tensor_adapter_test

from arrowfeed import tfxio

DIFFERENT = {
    "testRaggedTensorSlicedRecordBatch": "expects an error for a slice; here it is converted",
    "test2DSparseTensorunknown_dense_shape": "expects -1 as size of a tensor; here it is the size",
}
"""The intended differences. The names are those of tfx_bsl."""


def outcomes() -> tuple[set[str], set[str]]:
    """Names of all tests, and of the failed ones."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(tensor_adapter_test.TensorAdapterTest)
    names = {test._testMethodName for test in suite}
    result = unittest.TestResult()
    suite.run(result)
    failed = {getattr(test, "test_case", test)._testMethodName for test, _ in result.failures + result.errors}
    return names - {test._testMethodName for test, _ in result.skipped}, failed


def test_the_tests_of_adapters_of_tfx_bsl_pass_except_for_intended_differences(monkeypatch):
    ours = SimpleNamespace(TensorAdapter=tfxio.TensorAdapter, TensorAdapterConfig=tfxio.TensorAdapterConfig)
    monkeypatch.setattr(tensor_adapter_test, "tensor_adapter", ours)
    names, failed = outcomes()
    assert len(names) >= 60
    assert failed == set(DIFFERENT)


def test_they_pass_on_tfx_bsls_adapter():
    assert outcomes()[1] == set()
