"""A worker of Beam, which a task manager of Flink starts as a process."""

from __future__ import annotations

import argparse

import grpc
from apache_beam.portability.api import beam_provision_api_pb2 as provision
from apache_beam.portability.api import beam_provision_api_pb2_grpc as provision_service
from apache_beam.runners.worker.sdk_worker import SdkHarness

parser = argparse.ArgumentParser()
parser.add_argument("--id")
parser.add_argument("--provision_endpoint")
arguments, _ = parser.parse_known_args()
with grpc.insecure_channel(arguments.provision_endpoint) as channel:
    service = provision_service.ProvisionServiceStub(channel)
    answer = service.GetProvisionInfo(
        provision.GetProvisionInfoRequest(), metadata=[("worker_id", arguments.id)], wait_for_ready=True
    )
SdkHarness(answer.info.control_endpoint.url, worker_id=arguments.id).run()
