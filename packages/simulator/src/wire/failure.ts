/** An error in Stripe's format: a status and `{ error: { type, code, message, param } }`. */
import { Result } from "effect"
import type Stripe from "stripe"

export interface Failure {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** The parameters are invalid, so processing did not begin, and the idempotency key does not keep this answer. */
  readonly isValidation?: boolean
  readonly error: {
    readonly type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error"
    readonly message: string
    readonly code?: string
    readonly decline_code?: string
    readonly advice_code?: string
    readonly param?: string
    readonly charge?: string
    readonly payment_intent?: Stripe.PaymentIntent
    readonly payment_method?: Stripe.PaymentMethod
    readonly doc_url?: string
    readonly request_log_url?: string
  }
}

/** The outcome of an operation. */
export type Outcome<A> = Result.Result<A, Failure>

interface Details {
  readonly code?: string
  readonly param?: string
  readonly status?: number
}

const docs = (code: string) => ({ doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}` })

/** Codes of parameters that are missing or malformed. */
const isOfParameters = ({ code = "" }: Details) =>
  code.startsWith("parameter_") || code === "url_invalid" || code === "simulator_unsupported"

/** 400 by default: the request is invalid, and nothing was done. */
export const invalid = (message: string, { status = 400, ...details }: Details = {}): Failure => ({
  status,
  ...(isOfParameters(details) && { isValidation: true }),
  error: { type: "invalid_request_error", message, ...details, ...(details.code && docs(details.code)) }
})

export const refuse = (message: string, details?: Details): Result.Result<never, Failure> =>
  Result.fail(invalid(message, details))

export const noSuch = (kind: string, id: string, param = "id") =>
  refuse(`No such ${kind}: '${id}'`, { code: "resource_missing", param, status: param === "id" ? 404 : 400 })

/** Known to Stripe but not simulated. Refused by name, so that it is not silently ignored. */
export const notSimulated = (what: string, param: string) =>
  refuse(`Stripe has ${what}, but the simulator does not simulate it.`, { code: "simulator_unsupported", param })

export const apiError = (message: string, status = 500): Failure => ({ status, error: { type: "api_error", message } })

export const idempotencyError = (message: string, status: number, code?: string): Failure => ({
  status,
  error: { type: "idempotency_error", message, ...(code && { code }) }
})
