/**
 * Front door to payment links: made, read and changed by merchants, visited by buyers (spec: Payment links; silences:
 * L1 to L10).
 */
import { isoText } from "@coffer/model/isoText"
import { titleOf } from "@coffer/model/Text"
import type { CreatePaymentLink, PaymentLinkQuery, UpdatePaymentLink } from "@coffer/contract/PaymentLinks"
import { createdAtOf, LinkId, prefixes, TradeNo } from "@coffer/model/Ids"
import { checkoutValidity } from "@coffer/model/Limits"
import { merge, patchProblem } from "@coffer/model/Metadata"
import { belongsTo, type Account } from "@coffer/model/Account"
import { nothing } from "@coffer/rules/Consequence"
import { InvalidField } from "@coffer/rules/InvalidField"
import {
  type LinkClosed,
  LinkCommand,
  type LinkConflict,
  type PaymentLink,
  repeatOf
} from "@coffer/rules/link/PaymentLink"
import { readTimestamp } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { amountProblem, currencyProblem, termsProblem } from "@coffer/rules/order/termsProblem"
import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { type Answering, withAnswer } from "../../shared/idempotency/Answering.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { ask } from "../../platform/cluster/ask.ts"
import { makeKnownByAll } from "../../platform/cluster/knownByAll.ts"
import { retryOvertaken } from "../../platform/commit/Change.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { holdsSince, notYet } from "../orders/OrderCommands.ts"
import { captureProblem } from "../orders/Orders.ts"
import { askLink, LinkCommands, LinkNotFound } from "./LinkCommands.ts"
import { LinkStore } from "./LinkStore.ts"

export { LinkNotFound }

/** The order that a visit has made. */
export interface Visited {
  readonly tradeNo: TradeNo
  readonly expiresAt: DateTime.Utc
}

const visitAnswer = ({ tradeNo }: { readonly tradeNo: TradeNo }): Visited => ({
  tradeNo,
  expiresAt: DateTime.addDuration(createdAtOf(tradeNo), checkoutValidity)
})

export class Links extends Context.Service<
  Links,
  {
    readonly create: (
      account: Account,
      terms: CreatePaymentLink
    ) => Effect.Effect<PaymentLink, InvalidField | WriteFailure>
    readonly find: (account: Account, linkId: string) => Effect.Effect<PaymentLink, LinkNotFound>
    /** A link of any account: for the page that buyers see. */
    readonly byId: (linkId: string) => Effect.Effect<PaymentLink, LinkNotFound>
    /** Newest first. */
    readonly page: (account: Account, query: PaymentLinkQuery) => Effect.Effect<Page<PaymentLink>, InvalidField>
    readonly update: (
      account: Account,
      linkId: string,
      changes: UpdatePaymentLink
    ) => Effect.Effect<PaymentLink, InvalidField | LinkNotFound | LinkConflict | WriteFailure>
    /** Makes an order, unless the link takes no more visits, or a visit of this number has made one. */
    readonly visit: (
      link: PaymentLink,
      visitNo?: string
    ) => Effect.Effect<Visited, LinkClosed | LinkNotFound | InvalidField | WriteFailure>
  }
>()("@coffer/links/Links") {}

export const layer = Layer.effect(
  Links,
  Effect.gen(function* () {
    const services = yield* linkServices
    const { byId, store } = services
    const find = Effect.fnUntraced(function* (account: Account, linkId: string) {
      const link = yield* byId(linkId)
      return belongsTo(account, link) ? link : yield* new LinkNotFound({ linkId })
    })
    return Links.of({
      create: create(services),
      find,
      byId,
      page: span("Links.page")(function* (account, query) {
        return yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)))
      }),
      update: update(services, find),
      visit: visit(services)
    })
  })
)

const linkServices = Effect.gen(function* () {
  const store = yield* LinkStore
  const merchants = yield* Merchants
  const tell = yield* askLink
  return {
    store,
    channel: yield* Channel,
    commands: yield* LinkCommands,
    ids: yield* NewIds,
    knownByAll: yield* makeKnownByAll,
    privateAllowed: (yield* Settings).allowPrivateWebhooks,
    /** The owner of a link or of a valid key is a merchant that exists. */
    merchantOf: ({ merchantId }: Pick<Account, "merchantId">) =>
      Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die }),
    byId: Effect.fnUntraced(function* (linkId: string) {
      const stored = yield* store.load(linkId)
      return Option.isSome(stored) ? stored.value.state : yield* new LinkNotFound({ linkId })
    }),
    send: (linkId: LinkId, command: LinkCommand, answer?: Answering) => ask(tell({ linkId, command, answer }))
  }
})

type LinkServices = Effect.Success<typeof linkServices>

const create = ({ channel, commands, ids, knownByAll, merchantOf, privateAllowed }: LinkServices) =>
  span("Links.create")(function* (account: Account, terms: CreatePaymentLink) {
    const merchant = yield* merchantOf(account)
    const linkId = LinkId.make(yield* ids.next(prefixes.link))
    const now = yield* currentTime
    const metadata = terms.metadata ?? {}
    const link: PaymentLink = {
      linkId,
      ...account,
      amount: terms.amount,
      currency: terms.currency ?? "USD",
      notifyUrl: terms.notify_url ?? null,
      returnUrl: terms.return_url ?? null,
      createdAt: createdAtOf(linkId),
      status: "active",
      subject: titleOf(terms.subject),
      maxUses: terms.max_uses ?? null,
      expiresAt: yield* Effect.fromResult(readExpiry(terms.expires_at)),
      usedCount: 0,
      recentVisits: [],
      metadata: merge({}, metadata),
      capture: terms.capture === "manual" ? "manual" : null
    }
    const situation = {
      mode: account.mode,
      privateAllowed,
      liveCurrencies: merchant.live_currencies,
      amountBounds: channel.boundsOf(merchant.modes[account.mode].channel_accounts),
      // Endpoints do not count, unlike for orders (spec: Payment links; silences: L9).
      otherTarget: "default address",
      hasOtherTarget: merchant.modes[account.mode].default_notify_url !== null
    }
    const problem =
      termsProblem({ ...link, metadata }, situation) ??
      (link.capture === "manual" ? yield* captureProblem(channel, account, merchant) : undefined)
    if (problem !== undefined) return yield* problem
    if (link.expiresAt !== null && DateTime.isLessThanOrEqualTo(link.expiresAt, now)) {
      const clock = account.mode === "sandbox" ? "the clock of this sandbox" : "the clock"
      const problem = `must be in the future: ${clock} says ${isoText(now)}`
      return yield* new InvalidField({ param: "expires_at", problem })
    }
    if (link.capture === "manual" && !(yield* knownByAll(holdsSince))) return yield* notYet
    return yield* withAnswer((answer) => commands.create(link, nothing, { answer })).pipe(
      Effect.catchTags({ AlreadyExists: Effect.die, InsufficientBalance: Effect.die })
    )
  }, retryOvertaken)

const update = ({ send }: LinkServices, find: Links["Service"]["find"]) =>
  span("Links.update")(function* (account: Account, linkId: string, body: UpdatePaymentLink) {
    const { expires_at, max_uses, metadata = {}, status, subject } = body
    // A value that no link could have is refused also for an unknown link (silences: G10).
    const unfit = patchProblem({}, metadata)
    if (unfit !== undefined) return yield* new InvalidField(unfit)
    const expiresAt = yield* Effect.fromResult(readExpiry(expires_at))
    const link = yield* find(account, linkId)
    const problem = patchProblem(link.metadata, metadata)
    if (problem !== undefined) return yield* new InvalidField(problem)
    const changes = {
      ...(status === undefined ? {} : { status }),
      ...(subject === undefined ? {} : { subject: titleOf(subject) }),
      ...(max_uses === undefined ? {} : { maxUses: max_uses }),
      ...(expires_at === undefined ? {} : { expiresAt })
    }
    const command = LinkCommand.cases.Update.make({ changes, metadata })
    return yield* withAnswer((answer) => send(link.linkId, command, answer)).pipe(
      Effect.catchTags({ ...withoutEntry, LinkClosed: Effect.die })
    )
  })

/** The cluster may deliver a visit twice. Its order has one number, so the second finds the order made. */
const visit = ({ channel, ids, knownByAll, merchantOf, send }: LinkServices) =>
  span("Links.visit")(function* (link: PaymentLink, visitNo?: string) {
    const merchant = yield* merchantOf(link)
    const { closed_at, live_currencies: liveCurrencies, modes, suspended_at } = merchant
    if (closed_at !== null) return yield* new InvalidField({ param: "merchant_id", problem: "is closed" })
    if (suspended_at !== null) return yield* new InvalidField({ param: "merchant_id", problem: "is suspended" })
    // The operator may have taken the currency away since, or set a channel that takes no such amount (silences: L8).
    const problem =
      currencyProblem(link.currency, { mode: link.mode, liveCurrencies }) ??
      amountProblem(link, channel.boundsOf(modes[link.mode].channel_accounts)) ??
      (link.capture === "manual" ? yield* captureProblem(channel, link, merchant) : undefined)
    if (problem !== undefined) return yield* problem
    const at = yield* currentTime
    const numbered = { at, ...(visitNo === undefined ? {} : { visitNo }) }
    const repeated = repeatOf(link, numbered)
    if (repeated !== undefined) return visitAnswer(repeated)
    if (link.capture === "manual" && !(yield* knownByAll(holdsSince))) return yield* notYet
    const tradeNo = TradeNo.make(yield* ids.next(prefixes.tradeNo[link.mode]))
    const command = LinkCommand.cases.Visit.make({ ...numbered, tradeNo })
    const after = yield* send(link.linkId, command).pipe(
      Effect.catchTags({ ...withoutEntry, AlreadyExists: () => Effect.succeed(link), LinkConflict: Effect.die })
    )
    return visitAnswer(repeatOf(after, numbered) ?? command)
  }, retryOvertaken)

const readExpiry = (text: string | null | undefined): Result.Result<DateTime.Utc | null, InvalidField> => {
  if (text === null || text === undefined) return Result.succeed(null)
  const time = readTimestamp(text)
  return time === undefined
    ? Result.fail(
        new InvalidField({
          param: "expires_at",
          problem: "must be an ISO 8601 date and time, such as 2030-01-01T00:00:00Z"
        })
      )
    : Result.succeed(time)
}
