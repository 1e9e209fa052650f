"""`arrowfeed.tfio` returns the results of tensorflow-io 0.37.1 that are stored in `data/tfio.jsonl`."""

import json
from pathlib import Path

import pytest
import tfio_cases

from arrowfeed import tfio

API = {name: getattr(tfio, name) for name in tfio.__all__}
LINES = (Path(__file__).parent / "data" / "tfio.jsonl").read_text("utf-8").splitlines()
RESULTS = dict(json.loads(line) for line in LINES)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("parity")
    pytest.importorskip("fastavro", reason="expected fastavro, found it not installed")
    tfio_cases.write(directory)
    return directory


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_tensorflow_ios(files, name):
    case = dict(tfio_cases.cases(API, files))[name]
    assert json.loads(json.dumps(case())) == RESULTS[name]


@pytest.mark.parametrize("in_graph", [False, True])
@pytest.mark.parametrize("name", tfio_cases.features(tfio.VarLenFeatureWithRank))
def test_parse_avro_returns_the_tensors_of_make(files, name, in_graph):
    people, schema = str(files / "people.avro"), json.dumps(tfio_cases.PERSON)
    wanted = tfio_cases.features(tfio.VarLenFeatureWithRank)[name]
    made = tfio.make_avro_record_dataset(people, wanted, 8, schema, num_epochs=1, shuffle=False)
    records = tfio.AvroRecordDataset(people, reader_schema=schema).batch(8)
    if in_graph:
        parsed = records.map(lambda batch: tfio.parse_avro(batch, schema, wanted))
        assert parsed.element_spec == made.element_spec
    else:
        parsed = [tfio.parse_avro(batch, schema, wanted) for batch in records]
    assert tfio_cases.batches(parsed) == tfio_cases.batches(made)


def test_enough_cases_of_each_kind_are_compared():
    kinds = [name.split(":")[0] for name in RESULTS]
    assert {kind: kinds.count(kind) >= 3 for kind in kinds} == {"make": True, "records": True, "atds": True}
