"""Requests in protobuf, made from OTLP/JSON by Google's own JSON mapping: an oracle beside our readers."""

import base64
import copy
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def protobuf(request: dict[str, Any]) -> bytes:
    """The request as protobuf; its ids are turned into what protobuf's own JSON mapping has."""
    request = copy.deepcopy(request)
    for resource_spans in request["resourceSpans"]:
        for scope_spans in resource_spans["scopeSpans"]:
            for span in scope_spans["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    message = json_format.ParseDict(
        request, ExportTraceServiceRequest(), ignore_unknown_fields=True
    )
    body: bytes = message.SerializeToString()
    return body
