/**
 * Where Stripe sends events: `POST /channels/stripe/{token}`. The token and the signature over the raw bytes are
 * checked before anything is looked up but the merchant, which is in memory. An event is stored before it is answered,
 * and handled by a worker.
 */
import { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { ByteSize, Duration, Effect, type Layer, Metric, Option, Result } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Stripe } from "stripe"
import * as PublicAdmission from "../../edge/PublicAdmission.ts"
import type { Admission } from "../../http/Admission.ts"
import * as Body from "../../http/Body.ts"
import type { Clients } from "../../http/Clients.ts"
import { Merchants } from "../../merchants/Merchants.ts"
import { openStripeKeys } from "../../merchants/stripeAccount.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"
import { StripeEvents } from "./StripeEvents.ts"
import { isEvent, isThin, toldBy } from "./eventKinds.ts"
import { webhookAddresses, webhookPath } from "./webhookAddress.ts"

/** An event with its object; those of Stripe have a few kilobytes. */
const bytesMax = 512 * 1_024

/** Older signatures are refused: somebody may send again what was recorded. */
const tolerance = Duration.minutes(5)

/** Stripe's dashboard shows it beside the attempt. */
const thinProblem = "this destination sends thin events; make one with snapshot events"
/** How often it is kept that webhooks of an account come. */
const keptEvery = Duration.toMillis("1 hour")
const accountsMax = 10_000

const outcomes = ["stored", "repeated", "ignored", "thin", "refused"] as const
const webhooks = Metric.counter("coffer_stripe_webhooks_total", {
  description: "Requests of Stripe with events, by what became of them",
  incremental: true
})
/** `none`: the address is nobody's. */
type Of = Mode | "none"
const count = (mode: Of, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(webhooks, { mode, outcome }), by)

type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Admission | Clients | Merchants | Secrets | Settings | StripeEvents
>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const merchants = yield* Merchants
    const secrets = yield* Secrets
    const addresses = yield* webhookAddresses
    const events = yield* StripeEvents
    const through = yield* PublicAdmission.make
    const receiving = yield* Body.makeReceiving
    const { webhooks: signatures } = new Stripe("sk_none")
    for (const mode of Mode.literals) yield* Effect.forEach(outcomes, (outcome) => count(mode, outcome, 0))
    yield* count("none", "refused", 0)

    const keptAt = new Map<string, number>()
    const noteArrival = Effect.fnUntraced(function* (account: Account, kind: "whole" | "thin") {
      const key = `${account.merchantId}/${account.mode}/${kind}`
      const millis = yield* currentMillis
      if (millis - (keptAt.get(key) ?? -Infinity) < keptEvery) return
      if (keptAt.size >= accountsMax) keptAt.clear()
      if (yield* events.noteArrival(account, kind)) keptAt.set(key, millis)
    })

    const receive = Effect.gen(function* () {
      const { token = "" } = yield* HttpRouter.params
      const account = addresses.read(token)
      if (Option.isNone(account)) return yield* refused("none", "no such address", 404)
      const { mode } = account.value
      const merchant = yield* Effect.option(merchants.find(account.value.merchantId))
      const stripeAccount = Option.getOrUndefined(merchant)?.modes[mode].stripe
      if (stripeAccount == null) return yield* refused(mode, "no account of Stripe is set", 404)
      const request = yield* HttpServerRequest.HttpServerRequest
      const arrived = yield* Effect.option(receiving(readBody(request)))
      if (Option.isNone(arrived)) return answer("not now", 503)
      const body = arrived.value
      if (body === undefined) return yield* refused(mode, `the body must have ${bytesMax} bytes at most`, 400)
      const { webhookSecret } = openStripeKeys(secrets, account.value, stripeAccount)
      const now = yield* currentMillis
      const signature = request.headers["stripe-signature"] ?? ""
      const signed = Result.try(() =>
        signatures.signature!.verifyHeader(
          body,
          signature,
          webhookSecret,
          Duration.toSeconds(tolerance),
          undefined,
          now
        )
      )
      if (Result.isFailure(signed)) return yield* refused(mode, "the signature is not valid, or is too old", 400)
      const event = Option.getOrUndefined(parseJson(body.toString()))
      if (isThin(event)) {
        yield* noteArrival(account.value, "thin")
        yield* Effect.logWarning(`A destination of events at Stripe says too little: ${thinProblem}`).pipe(
          Effect.annotateLogs({ merchant_id: account.value.merchantId, mode })
        )
        return yield* Effect.as(count(mode, "thin"), answer(thinProblem, 400))
      }
      if (!isEvent(event)) return yield* refused(mode, "the body is no event", 400)
      const told = toldBy(event)
      const isOurs = (event.account ?? null) === stripeAccount.account && event.livemode === (mode === "live")
      if (isOurs) yield* noteArrival(account.value, "whole")
      if (Option.isNone(told) || !isOurs) return yield* taken(mode, "ignored")
      return yield* taken(mode, (yield* events.note(account.value, told.value)) ? "stored" : "repeated")
    }).pipe(
      Effect.catchDefect((defect) =>
        isDatabaseTrouble(defect) ? Effect.succeed(answer("not now", 503)) : Effect.die(defect)
      ),
      Effect.withSpan("stripe.webhook")
    )

    yield* router.add("POST", webhookPath, through(receive, Effect.succeed(answer("busy", 503))))
  })
)

/** As it was sent: a signature is over bytes. Undefined for too many of them. */
const readBody = ({ arrayBuffer, headers }: HttpServerRequest.HttpServerRequest) => {
  if (Number(headers["content-length"] ?? 0) > bytesMax) return Effect.succeed(undefined)
  return arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
    Effect.map((bytes) => Buffer.from(bytes)),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

const answer = (text: string, status: number) => HttpServerResponse.text(text, { status })

/** Stripe sends again what is not answered with 2xx. */
const taken = (mode: Mode, outcome: "stored" | "repeated" | "ignored") =>
  Effect.as(count(mode, outcome), answer(outcome, 200))

const refused = (mode: Of, why: string, status: number) => Effect.as(count(mode, "refused"), answer(why, status))
