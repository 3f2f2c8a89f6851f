/** The exports of `@coffer/sdk`. */
export { type Answer, Call } from "./Call.ts"
export { Coffer } from "./Coffer.ts"
export {
  ApiError,
  AuthenticationError,
  CofferError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type Raw,
  ServerError,
  TimeoutError
} from "./errors.ts"
export type { FollowOptions } from "./follow.ts"
export type * from "./generated/types.ts"
export type { Hooks, RequestInfo, ResponseInfo } from "./hooks.ts"
export { List, type ListData, type Page } from "./List.ts"
export type { CallOptions, Clock, CofferOptions, Fetch, Upload, WriteOptions } from "./options.ts"
export {
  type VerifyOptions,
  type WebhookFailure,
  type WebhookHeaders,
  webhooks,
  WebhookVerificationError
} from "./webhooks.ts"
