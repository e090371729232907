"""Who did the work of a span: components and their runs, as native records."""

from lineage.formats.openinference_spans import class_of, said, shortened
from lineage.formats.otlp import Span
from lineage.formats.writing import Told, instant, record
from lineage.identifiers import text_digest
from lineage.types import JsonValue
from lineage.vocabulary import UNSTATED


class Doers:
    """Collects the components and runs of one trace, each once."""

    def __init__(self) -> None:
        self._components: dict[tuple[str, str], JsonValue] = {}
        # Keys of the spans that name a component, each once, in the order told.
        self._naming: dict[tuple[str, str], dict[str, None]] = {}
        self._runs: dict[str, Told] = {}

    def records(self) -> list[Told]:
        """The components, then the runs."""
        components = (
            Told(made, tuple(self._naming[place])) for place, made in self._components.items()
        )
        return [*components, *self._runs.values()]

    def retriever(self, span: Span) -> JsonValue:
        return self._of_service("retriever", span, class_of(span))

    def reranker(self, span: Span) -> JsonValue:
        return self._of_service(
            "reranker",
            span,
            said(span.attributes, "reranker.model_name") or class_of(span),
        )

    def chunker(self, span: Span) -> JsonValue:
        return self._of_service("chunker", span, class_of(span))

    def embedder(self, span: Span, name: str | None, provider: str | None) -> JsonValue:
        """Like a model, the provider's."""
        return self._component(
            "embedder", span, name or class_of(span), UNSTATED, namespace=provider or ""
        )

    def prompt(self, span: Span, template: str | None) -> JsonValue:
        """A template by the digest of its text; one that is only named by name and version."""
        version = said(span.attributes, "llm.prompt_template.version") or UNSTATED
        return self._component(
            "prompt",
            span,
            said(span.attributes, "prompt.id") or class_of(span),
            version,
            namespace=_service(span),
            digest=None if template is None else text_digest(template),
            config=None if template is None else {"template": template},
            attributes=_instrumentation(span),
        )

    def model(self, span: Span, name: str | None, provider: str | None) -> JsonValue:
        """Models are the provider's, so that services that call the same one share it."""
        return self._component(
            "model", span, name or class_of(span), UNSTATED, namespace=provider or ""
        )

    def run(
        self, kind: str, span: Span, component: JsonValue, parameters: JsonValue = None
    ) -> JsonValue:
        """A reference to the run that the span was."""
        key = span.key
        made = record(
            "run",
            key,
            occurred_at=instant(span.end or span.start),
            run_kind=kind,
            component=component,
            started_at=instant(span.start),
            ended_at=instant(span.end),
            status="failed" if span.failed else "completed",
            parameters=parameters,
        )
        self._runs[key] = Told(made, (key,))
        return key

    def check(
        self,
        key: str,
        span: Span,
        name: str,
        *,
        at: str | None,
        used: JsonValue,
        parameters: JsonValue,
    ) -> None:
        """The run of an evaluation, by the checker of its name."""
        made = record(
            "run",
            key,
            occurred_at=at,
            run_kind="check",
            component=self._of_service("checker", span, name),
            ended_at=at,
            status="completed",
            used=used,
            parameters=parameters,
        )
        self._runs[key] = Told(made, (span.key,))

    def _of_service(self, kind: str, span: Span, name: str) -> JsonValue:
        """Spans name classes, not their versions: what runs in a service has the service's."""
        version = said(span.attributes, "rag.component.version")
        version = version or said(span.resource, "service.version") or UNSTATED
        return self._component(
            kind,
            span,
            name,
            version,
            namespace=_service(span),
            attributes=_instrumentation(span),
        )

    def _component(
        self,
        kind: str,
        span: Span,
        name: str,
        version: str,
        *,
        namespace: str,
        digest: str | None = None,
        config: JsonValue = None,
        attributes: JsonValue = None,
    ) -> JsonValue:
        name, version, namespace = (
            shortened(name),
            shortened(version),
            shortened(namespace),
        )
        key = f"{kind}:{name}@{version}" + (f"#{digest}" if digest else "")
        self._naming.setdefault((namespace, key), {})[span.key] = None
        self._components[namespace, key] = record(
            "component",
            key,
            namespace=namespace or None,
            component_kind=kind,
            name=name,
            version=version,
            config_digest=digest,
            config=config,
            attributes=attributes,
        )
        return {"key": key, "namespace": namespace}


def _service(span: Span) -> str:
    return said(span.resource, "service.name") or ""


def _instrumentation(span: Span) -> JsonValue:
    scope = f"{span.scope_name} {span.scope_version}".strip()
    return {"instrumentation": scope} if scope else None
