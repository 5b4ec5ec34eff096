# The part of the official client that is used here; the shipped types import hundreds of modules.
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Literal, Self, overload

class OpenAIError(Exception): ...

class APIError(OpenAIError):
    message: str
    body: object | None

class APIStatusError(APIError):
    status_code: int

class APIConnectionError(APIError): ...
class APITimeoutError(APIConnectionError): ...
class APIResponseValidationError(APIError): ...

class DefaultHttpxClient:
    def __init__(self, *, follow_redirects: bool = ..., timeout: float | None = ...) -> None: ...

class Usage:
    prompt_tokens: int | None
    completion_tokens: int | None

class _Text:
    content: str | None
    refusal: str | None

class Choice:
    index: int
    finish_reason: str | None
    message: _Text
    delta: _Text

class ChatCompletion:
    model: str
    choices: list[Choice] | None
    usage: Usage | None

class Stream:
    def __iter__(self) -> Iterator[ChatCompletion]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

class _Completions:
    @overload
    def create(self, *, stream: Literal[True], **body: Any) -> Stream: ...
    @overload
    def create(self, *, stream: Literal[False] = ..., **body: Any) -> ChatCompletion: ...

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
