"""A client of Coffer's merchant API for servers. Types of parameters and answers are in `coffer.types`."""
from . import types, webhooks
from ._client import AsyncCoffer, Coffer
from ._errors import (
    AnswerTimeoutError,
    ApiError,
    AuthenticationError,
    CofferError,
    ConflictError,
    ConnectionLostError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
)
from ._options import Answer, RequestInfo, ResponseInfo
from ._pages import AsyncList, AsyncPage, List, Page
from ._version import version as __version__
from .webhooks import WebhookVerificationError

__all__ = [
    "Answer",
    "AnswerTimeoutError",
    "ApiError",
    "AsyncCoffer",
    "AsyncList",
    "AsyncPage",
    "AuthenticationError",
    "Coffer",
    "CofferError",
    "ConflictError",
    "ConnectionLostError",
    "InvalidRequestError",
    "List",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "RequestInfo",
    "ResponseInfo",
    "ServerError",
    "WebhookVerificationError",
    "__version__",
    "types",
    "webhooks",
]
