/**
 * Handlers of Stripe's room: the operator's groups `reconciliation` and `stray_sessions`
 * (docs/architecture.md, section 7), and the address to which Stripe sends events (`POST /channels/stripe/{token}`).
 * The token and the signature over the raw bytes are checked before any look-up except that of the merchant, which is
 * in memory. An event is stored before it is answered, and handled by a worker.
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import type { ClosedSession } from "@coffer/contract/HeldUp"
import type { ComparedResource, DifferenceResource } from "@coffer/contract/Reconciliation"
import type { Account } from "@coffer/model/Account"
import { Mode } from "@coffer/model/Ids"
import { Effect, Option, Schema, ByteSize, Duration, type Layer, Metric, Result } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as PublicAdmission from "../../door/edge/PublicAdmission.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import * as Body from "../../shared/http/Body.ts"
import type { Clients } from "../../shared/http/Clients.ts"
import { commonRefusals, refuseAs } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import type { FeeOf } from "../../shared/channel/fees.ts"
import { type Progress, Reconciliation } from "./Reconciliation.ts"
import { type ClosedStraySession, type StraySessionNotFound, type StraySessionOver, StraySessions } from "./Sessions.ts"
import { makePayees } from "./payees.ts"
import { openStripeKeys, stripeAccountIn } from "./StripeClient.ts"
import { loadStripe } from "./StripeGuard.ts"
import { isEvent, isThin, noticeOf } from "./notices.ts"
import { StripeEvents } from "./StripeEvents.ts"
import { stripeAddresses } from "./Accounts.ts"

type Row = Effect.Success<ReturnType<Reconciliation["Service"]["page"]>>["data"][number]

export const layerReconciliation = HttpApiBuilder.group(
  OperatorApi,
  "reconciliation",
  Effect.fnUntraced(function* (handlers) {
    const reconciliation = yield* Reconciliation
    const merchants = yield* Merchants
    const channel = yield* Channel
    const { InvalidField } = commonRefusals

    const accountOf = Effect.fnUntraced(function* ({ merchant_id, mode }: AccountQuery) {
      const { merchant_id: merchantId, modes } = yield* merchants.find(merchant_id)
      return stripeAccountIn(modes[mode].channel_accounts) === null ? yield* new NoAccount() : { merchantId, mode }
    })
    const progressOf = (account: Account) => Effect.map(reconciliation.progress(account), comparisonView(account))

    return handlers.handleAll({
      list: span("reconciliation.list")(function* ({ query }) {
        const page = yield* reconciliation.page(query)
        const feeOf = yield* channel.feesOf(page.data.map(paymentOf))
        return yield* replyList("reconciliation_difference", "/operator/v1/reconciliation", page, differenceView(feeOf))
      }, Effect.catchTags({ InvalidField })),

      get: span("reconciliation.get")(function* ({ params }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        return yield* reply(yield* progressOf({ merchantId, mode: params.mode }))
      }, Effect.catchTags(merchantRefusals)),

      begin: span("reconciliation.begin")(function* ({ params }) {
        const account = yield* accountOf(params)
        yield* reconciliation.begin(account)
        return yield* reply(yield* progressOf(account), 202)
      }, Effect.catchTags(reconciliationRefusals))
    })
  })
)

interface AccountQuery {
  readonly merchant_id: string
  readonly mode: Mode
}

class NoAccount extends Schema.TaggedError<NoAccount>()("NoAccount", {}) {}

const reconciliationRefusals = {
  ...merchantRefusals,
  NoAccount: refuseAs(Wire.Conflict, (_: NoAccount) => ({
    message: "The merchant has no account at Stripe in this environment."
  }))
}

const comparisonView =
  ({ merchantId, mode }: Account) =>
  (progress: Option.Option<Progress>): ComparedResource => ({
    object: "reconciliation",
    merchant_id: merchantId,
    mode,
    compared_until: Option.match(progress, { onNone: () => null, onSome: (one) => isoText(one.movements_since) }),
    next_at: Option.match(progress, { onNone: () => null, onSome: (one) => isoText(one.movements_due_at) })
  })

const paymentOf = ({ merchant_id: merchantId, mode, payment_id: paymentId }: Row) => ({ merchantId, mode, paymentId })

const differenceView =
  (feeOf: FeeOf) =>
  (row: Row): DifferenceResource => {
    const fee = feeOf(paymentOf(row))
    return {
      object: "reconciliation_difference",
      id: row.id,
      merchant_id: row.merchant_id,
      mode: row.mode,
      channel: row.channel,
      payment_id: row.payment_id,
      trade_no: row.trade_no,
      currency: row.currency,
      ours: row.ours,
      theirs: row.theirs,
      channel_fee: fee?.fee ?? null,
      channel_fee_currency: fee?.currency ?? null,
      status: row.agreed_at === null ? "open" : "agreed",
      created_at: isoText(row.created_at),
      seen_at: isoText(row.seen_at),
      agreed_at: isoTextOrNull(row.agreed_at)
    }
  }

export const layerStraySessions = HttpApiBuilder.group(
  OperatorApi,
  "stray_sessions",
  Effect.fnUntraced(function* (handlers) {
    const strays = yield* StraySessions
    return handlers.handleAll({
      close: span("stray_sessions.close")(function* ({ params, payload }) {
        return yield* reply(strayView(yield* strays.close(params.id, payload.note)))
      }, Effect.catchTags(strayRefusals))
    })
  })
)

const strayRefusals = {
  StraySessionNotFound: refuseAs(Wire.StraySessionNotFound, ({ id }: StraySessionNotFound) => ({
    message: `No session ${id}.`
  })),
  StraySessionOver: refuseAs(Wire.Conflict, (_: StraySessionOver) => ({
    message: "The session has ended: it can no longer be paid, or its whole payment was returned."
  }))
}

const strayView = ({ closed_note: note, ended_at, ...session }: ClosedStraySession): ClosedSession => ({
  object: "stray_session",
  id: session.id,
  channel: session.channel,
  merchant_id: session.merchant_id,
  mode: session.mode,
  trade_no: session.trade_no,
  session_id: session.session_id,
  payment_id: session.payment_id,
  amount: session.amount,
  currency: session.currency,
  status: "closed",
  note,
  closed_at: isoText(ended_at)
})

export const webhookPath = "/channels/stripe/:token"

/** An event with its object; those of Stripe have a few kilobytes. */
const bytesMax = 512 * 1_024

/** Older signatures are refused: an attacker may replay a recorded event. */
const tolerance = Duration.minutes(5)

/** Stripe's dashboard shows this text beside the attempt. */
const thinProblem = "this destination sends thin events; create one with snapshot events"
/** How often the last webhook of an account is recorded. */
const keptEvery = Duration.toMillis("1 hour")
const accountsMax = 10_000

const outcomes = ["stored", "repeated", "ignored", "no_account", "thin", "refused"] as const
const webhooks = Metric.counter("coffer_stripe_webhooks_total", {
  description: "Webhook requests from Stripe, by outcome",
  incremental: true
})
/** `none`: the address belongs to no merchant. */
type Of = Mode | "none"
const count = (mode: Of, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(webhooks, { mode, outcome }), by)

type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Admission | Clients | Merchants | Secrets | Settings | StripeEvents
>

export const layerWebhooks: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const secrets = yield* Secrets
    const addresses = yield* stripeAddresses
    const events = yield* StripeEvents
    const through = yield* PublicAdmission.make
    const receiving = yield* Body.makeReceiving
    const library = yield* Effect.cached(Effect.map(loadStripe, (Library) => new Library("sk_none").webhooks))
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

    const { accountAt, payeesOf } = yield* makePayees

    const receive = Effect.gen(function* () {
      const { token = "" } = yield* HttpRouter.params
      const account = addresses.read(token)
      if (Option.isNone(account)) return yield* refused("none", "no such address", 404)
      const { mode } = account.value
      const stripeAccount = yield* accountAt(account.value)
      if (stripeAccount === null) return yield* refused(mode, "no Stripe account is set", 404)
      const request = yield* HttpServerRequest.HttpServerRequest
      const arrived = yield* Effect.option(receiving(readBody(request)))
      if (Option.isNone(arrived)) return answer("not now", 503)
      const body = arrived.value
      if (body === undefined) return yield* refused(mode, `the body must have at most ${bytesMax} bytes`, 400)
      const { webhookSecret } = openStripeKeys(secrets, account.value, stripeAccount)
      const signatures = yield* library
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
        yield* Effect.logWarning(`An event destination at Stripe is wrong: ${thinProblem}`).pipe(
          Effect.annotateLogs({ merchant_id: account.value.merchantId, mode })
        )
        return yield* Effect.as(count(mode, "thin"), answer(thinProblem, 400))
      }
      if (!isEvent(event)) return yield* refused(mode, "the body is not an event", 400)
      const notice = noticeOf(event)
      const payees = yield* payeesOf(account.value, event, { ...stripeAccount, webhookSecret })
      if (payees.length === 0) return yield* countTaken(mode, "no_account")
      yield* Effect.forEach(payees, (payee) => noteArrival(payee, "whole"), { discard: true })
      if (Option.isNone(notice)) return yield* countTaken(mode, "ignored")
      const { value } = notice
      const stored = yield* Effect.forEach(payees, (payee) => events.note(payee, value))
      return yield* countTaken(mode, stored.includes(true) ? "stored" : "repeated")
    }).pipe(
      Effect.catchDefect((defect) =>
        isDatabaseTrouble(defect) ? Effect.succeed(answer("not now", 503)) : Effect.die(defect)
      ),
      Effect.withSpan("stripe.webhook")
    )

    yield* router.add("POST", webhookPath, through(receive, Effect.succeed(answer("busy", 503))))
  })
)

/** The raw body, over which the signature is made. Undefined if it is too large. */
const readBody = ({ arrayBuffer, headers }: HttpServerRequest.HttpServerRequest) => {
  if (Number(headers["content-length"] ?? 0) > bytesMax) return Effect.succeed(undefined)
  return arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
    Effect.map((bytes) => Buffer.from(bytes)),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

const answer = (text: string, status: number) => HttpServerResponse.text(text, { status })

/** Stripe retries unless the answer is 2xx. */
const countTaken = (mode: Mode, outcome: Exclude<(typeof outcomes)[number], "thin" | "refused">) =>
  Effect.as(count(mode, outcome), answer(outcome, 200))

const refused = (mode: Of, why: string, status: number) => Effect.as(count(mode, "refused"), answer(why, status))
