/**
 * The memory of this process that clients hold (docs/decisions/0014): bodies that they send, answers that they read,
 * answers that are being built. docs/security.md says who can fill each, and what others see then.
 */
import { Context, Duration, Effect, Layer, Metric } from "effect"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Vitals } from "../../platform/runtime/Vitals.ts"
import * as Building from "./Building.ts"
import * as Holdings from "./Holdings.ts"

export class Clients extends Context.Service<
  Clients,
  {
    readonly bodies: Holdings.Holdings
    readonly answers: Holdings.Holdings
    readonly building: Building.Building
  }
>()("@coffer/http/Clients") {}

const megabyte = 1024 * 1024

/** Bodies of requests. The values that are made of them take several times as much. */
export const bodiesMax = 32 * megabyte
export const bodiesOfOneMax = bodiesMax / 4
/** How long a body may be behind the minimum rate: with 16 kB at once, as in nearly all requests, it never is. */
const bodyPatience = Duration.seconds(20)

/** Answers that clients have not read yet. */
export const answersMax = 128 * megabyte
export const answersOfOneMax = answersMax / 4

/** Between two looks at how fast clients are. */
const lookMillis = 1_000
/** Between two reports of the event loop. */
const tickMillis = 100

const cut = Metric.counter("coffer_http_clients_cut_total", {
  description:
    "Clients that were cut off, by what they held and why; room: memory was needed, slow: below the minimum rate",
  incremental: true
})

type WasCut = (held: "body" | "answer", reason: Holdings.CutReason) => void

/** Counts only, without a clock. `answerPatience`: how long a reader may be behind the minimum rate. */
export const make = (answerPatience: Duration.Duration, wasCut: WasCut): Clients["Service"] => {
  const bodies = Holdings.make(
    { bytesMax: bodiesMax, bytesOfOneMax: bodiesOfOneMax, graceMillis: Duration.toMillis(bodyPatience) },
    (reason) => wasCut("body", reason)
  )
  const answers = Holdings.make(
    { bytesMax: answersMax, bytesOfOneMax: answersOfOneMax, graceMillis: Duration.toMillis(answerPatience) },
    (reason) => wasCut("answer", reason)
  )
  return { bodies, answers, building: Building.make((whose) => answers.of(whose) < answersOfOneMax / 2) }
}

export const layer = Layer.effect(
  Clients,
  Effect.gen(function* () {
    const { clientPatience } = yield* Settings
    const { watchDelay } = yield* Vitals
    const context = yield* Effect.context<never>()
    const counterOf = (held: "body" | "answer", reason: Holdings.CutReason) =>
      Metric.withAttributes(cut, { held, reason })
    for (const held of ["body", "answer"] as const) {
      for (const reason of ["room", "slow"] as const) counterOf(held, reason).updateUnsafe(0, context)
    }
    const clients = make(clientPatience, (held, reason) => counterOf(held, reason).updateUnsafe(1, context))

    let elapsed = 0
    watchDelay((delay) => {
      elapsed += tickMillis + delay
      if (elapsed < lookMillis) return
      clients.bodies.look(elapsed)
      clients.answers.look(elapsed)
      clients.building.serve()
      elapsed = 0
    })
    return clients
  })
)
