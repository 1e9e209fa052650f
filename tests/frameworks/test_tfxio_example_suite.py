"""tfx_bsl's tests of its coders and of its `tf.Example` and Parquet sources pass on arrowfeed."""

import functools
import json

import pytest
from samples import sample

from conftest import printed

PARSER = "is about the configuration of TensorFlow's parser of messages, which is not used here"

DIFFERENT = {
    "tfx_bsl.coders.example_coder_test": {},
    "tfx_bsl.tfxio.tf_example_record_test": {
        "testInvalidGetTfExampleParserConfiginvalid_duplicate_feature": PARSER,
        "testInvalidGetTfExampleParserConfigno_schema": PARSER,
        "testInvalidGetTfExampleParserConfigsparse_and_fixed_feature": PARSER,
        "testValidGetTfExampleParserConfigWithRaggedFeature": PARSER,
        "testValidGetTfExampleParserConfigrename_one_feature": PARSER,
        "testValidGetTfExampleParserConfigsame_feature_name": PARSER,
        "testValidGetTfExampleParserConfigsparse_and_varlen_features_shared": PARSER,
        "testValidGetTfExampleParserConfigsparse_feature": PARSER,
    },
    "tfx_bsl.coders.sequence_example_coder_test": {},
    "tfx_bsl.tfxio.tf_sequence_example_record_test": {},
    "tfx_bsl.tfxio.csv_tfxio_test": {
        "testOptionalSchemacsv_tfxio": "files without a schema have the types of all their cells",
    },
    "tfx_bsl.tfxio.raw_tf_record_test": {},
    "tfx_bsl.tfxio.parquet_tfxio_test": {},
}
"""The intended differences, with reasons. The names are those of tfx_bsl."""

OUTCOMES = """
    import importlib, json, sys, tempfile, unittest
    from types import SimpleNamespace

    from absl import flags

    whose, *names = sys.argv[1:]
    modules = {name: importlib.import_module(name) for name in names}
    flags.FLAGS(sys.argv[:1])
    flags.FLAGS.test_tmpdir = tempfile.mkdtemp()
    if whose == "ours":
        from arrowfeed import tfxio
        ours = SimpleNamespace(**{name: getattr(tfxio, name) for name in tfxio.__all__})
    outcomes = {}
    for name, module in modules.items():
        if whose == "ours":
            setattr(module, name.rpartition(".")[2].removesuffix("_test"), ours)
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        tests = {test._testMethodName for case in suite for test in case}
        result = unittest.TestResult()
        suite.run(result)
        failed = {
            getattr(test, "test_case", test)._testMethodName: text
            for test, text in result.failures + result.errors
        }
        skipped = {test._testMethodName for test, _ in result.skipped}
        outcomes[name] = [sorted(tests - skipped), failed]
    print(json.dumps(outcomes))
"""


THEIRS = sample(DIFFERENT, 1)
"""That the tests pass on tfx_bsl's own depends on the version of tfx_bsl only."""


@functools.cache
def outcomes(whose):
    """For each module, the names of its tests, and the failed tests with their messages.

    One process runs all modules, because importing TensorFlow takes several seconds.
    """
    names = THEIRS if whose == "theirs" else DIFFERENT
    return json.loads(printed(OUTCOMES, whose, *names).splitlines()[-1])


@pytest.mark.parametrize("module", DIFFERENT)
def test_the_tests_of_examples_of_tfx_bsl_pass_except_for_intended_differences(module):
    names, failed = outcomes("ours")[module]
    assert len(names) > len(failed)
    assert failed.keys() == DIFFERENT[module].keys(), "\n".join(failed.values())


@pytest.mark.parametrize("module", THEIRS)
def test_they_pass_on_tfx_bsls_own(module):
    assert outcomes("theirs")[module][1] == {}
