/** What an expected answer is made of: plain JSON, numbers that the service chooses, and texts of a certain form. */

export type Fields = Readonly<Record<string, unknown>>

/** A number that the service chooses. It is whatever the first answer says, and must be the same from then on. */
export class Hole {
  readonly form: RegExp
  value: string | undefined
  constructor(form: RegExp) {
    this.form = form
  }
}

/** A moment that lies within bounds. Which one it is, the first answer says, and it stays that. */
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

/** An object of which these fields are compared. The others are not the oracle's to say. */
export class Part {
  readonly fields: Fields
  constructor(fields: Fields) {
    this.fields = fields
  }
}

/** By a step it is now; by itself it is a little later than it was due. */
export type When = number | Time
export const timeOf = (when: When) => (typeof when === "number" ? new Time(when, when) : when)

export const idOf = (prefix: string) => new Hole(new RegExp(`^${prefix}[0-9A-Z]{24,28}$`))

/** Says what is wrong with a value that has no single right form, or nothing. */
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

/** What the specification leaves to the service, such as a text for people. */
export const someText: Check = textLike(/^[^]+$/)

export const iso = (millis: number) => new Date(millis).toISOString()

/** An answer. `data` of a success; `error` and the rest of a refusal. What is undefined is not compared. */
export interface Answer {
  readonly status: number
  readonly data?: unknown
  readonly error?: string
  /** Where several fields are wrong, any of them may be named. */
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
