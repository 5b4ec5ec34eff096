# The part of the official client that is used here; the shipped types import hundreds of modules.
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

class OpenAIError(Exception): ...

class APIError(OpenAIError):
    message: str
    body: object | None

class _HttpResponse:
    headers: Mapping[str, str]

class APIStatusError(APIError):
    status_code: int
    response: _HttpResponse

class APIConnectionError(APIError): ...
class APITimeoutError(APIConnectionError): ...
class APIResponseValidationError(APIError): ...

class DefaultHttpxClient:
    def __init__(self, *, follow_redirects: bool = ..., timeout: float | None = ...) -> None: ...

class Usage:
    prompt_tokens: int | None
    completion_tokens: int | None

class _Delta:
    content: str | None
    refusal: str | None

class Choice:
    index: int
    finish_reason: str | None
    delta: _Delta

class ChatCompletionChunk:
    model: str
    choices: list[Choice] | None
    usage: Usage | None

class _Response:
    headers: Mapping[str, str]
    def iter_bytes(self) -> Iterator[bytes]: ...
    def parse(self) -> Iterable[ChatCompletionChunk]: ...

class _WithStreamingResponse:
    def create(self, **body: Any) -> AbstractContextManager[_Response]: ...

class _Completions:
    with_streaming_response: _WithStreamingResponse

class _Chat:
    completions: _Completions

class _FileObject:
    id: str

class _Files:
    def create(self, *, file: tuple[str, bytes], purpose: str) -> _FileObject: ...

class _JobError:
    message: str | None

class FineTuningJob:
    id: str
    status: str
    fine_tuned_model: str | None
    trained_tokens: int | None
    error: _JobError | None

class _JobEvent:
    id: str
    created_at: int
    message: str

class _EventPage:
    data: list[_JobEvent]

class _Jobs:
    def create(self, **body: Any) -> FineTuningJob: ...
    def retrieve(self, fine_tuning_job_id: str) -> FineTuningJob: ...
    def list_events(self, fine_tuning_job_id: str, *, limit: int = ...) -> _EventPage: ...

class _FineTuning:
    jobs: _Jobs

class OpenAI:
    chat: _Chat
    files: _Files
    fine_tuning: _FineTuning
    organization: str | None
    project: str | None
    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        timeout: float = ...,
        max_retries: int = ...,
        http_client: DefaultHttpxClient | None = ...,
    ) -> None: ...
    def close(self) -> None: ...
