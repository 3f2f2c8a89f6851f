/** The parts of an expected answer: plain JSON, numbers chosen by the service, and texts of a certain form. */

export type Fields = Readonly<Record<string, unknown>>

/** A number chosen by the service: any at first, and the same from then on. */
export class Hole {
  readonly form: RegExp
  value: string | undefined
  constructor(form: RegExp) {
    this.form = form
  }
}

/** A time within bounds: the first answer decides it, and it must stay the same. */
export class Time {
  readonly from: number
  readonly to: number
  value: number | undefined
  constructor(from: number, to: number) {
    this.from = from
    this.to = to
    this.value = from === to ? from : undefined
  }
}

/** An object of which only these fields are compared. */
export class Part {
  readonly fields: Fields
  constructor(fields: Fields) {
    this.fields = fields
  }
}

/** For a step the current time; for automatic changes a little later than the due time. */
export type When = number | Time
export const timeOf = (when: When) => (typeof when === "number" ? new Time(when, when) : when)

export const idOf = (prefix: string) => new Hole(new RegExp(`^${prefix}[0-9A-Z]{24,28}$`))

/** Checks a value without a single valid form; returns the problem, if any. */
export type Check = (actual: unknown) => string | undefined

export const textLike =
  (form: RegExp): Check =>
  (actual) =>
    typeof actual === "string" && form.test(actual) ? undefined : `a text like ${form}`

export const nullOr =
  (check: Check): Check =>
  (actual) =>
    actual === null ? undefined : check(actual)

/** These texts in any order. */
export const sameTexts =
  (texts: ReadonlyArray<string>): Check =>
  (actual) =>
    JSON.stringify([...(actual as ReadonlyArray<string>)].toSorted()) === JSON.stringify([...texts].toSorted())
      ? undefined
      : `${texts.join()} in any order`

/** Anything: left to the service by the specification, such as a message. */
export const someText: Check = textLike(/^[^]+$/)

export const iso = (millis: number) => new Date(millis).toISOString()

/** An answer. `data` of a success; `error` and the rest of a refusal. Undefined fields are not compared. */
export interface Answer {
  readonly status: number
  readonly data?: unknown
  readonly error?: string
  /** Of several invalid fields any may be named. */
  readonly params?: ReadonlyArray<string>
  readonly reason?: string
  readonly replayed?: boolean
}

export const ok = (data: unknown, status = 200): Answer => ({ status, data })

const refusal =
  (status: number, error: string) =>
  (more: Pick<Answer, "params" | "reason"> = {}): Answer => ({ status, error, ...more })

export const invalid = (...params: ReadonlyArray<string>) => refusal(400, "invalid_request")({ params })
export const conflict = (reason?: string) => refusal(409, "conflict")(reason === undefined ? {} : { reason })
export const missing = (what: string) => refusal(404, `${what}_not_found`)()
export const unanswered = () => refusal(502, "processor_error")({ reason: "channel_unanswered" })
export const limited = () => refusal(429, "rate_limited")()
export const refused = (status: number, error: string, param?: string) =>
  refusal(status, error)(param === undefined ? {} : { params: [param] })

export const seconds = 1_000
export const minutes = 60 * seconds
export const hours = 60 * minutes
export const days = 24 * hours
