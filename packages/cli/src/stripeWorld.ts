/** Calls Stripe, or its simulator, with one sandbox key. Answers are never printed here. */
import { randomUUID } from "node:crypto"
import { Effect, Option } from "effect"
import { failed } from "./CliFailure.ts"
import { parseJson } from "./json.ts"

export const stripes = "https://api.stripe.com"
/** The only host at which Stripe accepts files. */
const stripesForFiles = "https://files.stripe.com"

/** The requested API version. */
export const apiVersion = "2026-10-28.endive"

// oxlint-disable-next-line no-explicit-any -- what others answer; the comparison looks at its form
export type Body = any

export interface Answer {
  readonly status: number
  readonly body: Body
}

export interface Ask {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly params?: object
  /** Sent as multipart/form-data. */
  readonly file?: File
}

export interface World {
  /** `key`: the idempotency key, for a retry after a lost answer. */
  readonly call: (ask: Ask, key?: string) => Effect.Effect<Answer, ReturnType<typeof failed>>
}

const answerMillisMax = 30_000
/** How often rate-limited calls (429) are retried, a second apart. */
const putOffMax = 5

export const worldAt = (url: string, key: string): World => {
  const once = (ask: Ask, idempotencyKey: string) =>
    Effect.tryPromise({
      try: () => {
        const form = pairsOf(ask.params ?? {})
        const { file } = ask
        const query = ask.method === "GET" && form.length > 0 ? `?${new URLSearchParams(form)}` : ""
        const host = file !== undefined && url === stripes ? stripesForFiles : url
        return fetch(`${host}${ask.path}${query}`, {
          method: ask.method,
          redirect: "error",
          signal: AbortSignal.timeout(answerMillisMax),
          headers: {
            Authorization: `Bearer ${key}`,
            "Stripe-Version": apiVersion,
            ...(ask.method === "POST" && { "Idempotency-Key": idempotencyKey })
          },
          ...(ask.method === "POST" && { body: file === undefined ? new URLSearchParams(form) : withFile(form, file) })
        }).then((response) =>
          response.text().then((text) => ({
            status: response.status,
            body: Option.getOrElse(parseJson(text), () => ({}))
          }))
        )
      },
      catch: () =>
        failed(
          "no_answer",
          `${new URL(url).host} did not respond.`,
          "check the network and STRIPE_PROXY, and run it again; with --progress it resumes"
        )
    })
  return {
    call: Effect.fnUntraced(function* (ask, key = randomUUID()) {
      let answer = yield* once(ask, key)
      for (let time = 0; answer.status === 429 && time < putOffMax; time++) {
        yield* Effect.sleep("1 second")
        answer = yield* once(ask, key)
      }
      return answer
    })
  }
}

const withFile = (form: ReadonlyArray<[string, string]>, file: File): FormData => {
  const parts = new FormData()
  for (const [name, value] of form) parts.append(name, value)
  parts.append("file", file)
  return parts
}

/** `{a: {b: [1]}}` becomes `a[b][0]=1`, Stripe's format. */
const pairsOf = (value: object, within = ""): Array<[string, string]> =>
  Object.entries(value).flatMap(([name, each]): Array<[string, string]> => {
    const path = within === "" ? name : `${within}[${name}]`
    if (each === undefined) return []
    return typeof each === "object" && each !== null ? pairsOf(each, path) : [[path, String(each)]]
  })
