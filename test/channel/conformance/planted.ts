/** Faults that someone may write into a channel, and the law that tells each: planted into the channel in memory. */
import { Effect } from "effect"
import type { RefundNo } from "@coffer/model/Ids"
import type { RegisteredChannel } from "../../../src/shared/channel/Channel.ts"
import { ChannelUnreachable } from "../../../src/shared/channel/payments.ts"
import type { MemoryAcquirer } from "../../kit/stories/memoryAcquirer.ts"
import type { Parts } from "../../kit/stories/memoryChannel.ts"

interface Fault {
  readonly name: string
  /** A law that it breaks. */
  readonly breaks: string
  readonly plant: (parts: Parts, acquirer: MemoryAcquirer) => Parts
}

/** A fault in what is registered. */
const inChannel =
  (change: (channel: RegisteredChannel, acquirer: MemoryAcquirer) => Partial<RegisteredChannel>): Fault["plant"] =>
  ({ channel, take }, acquirer) => ({ channel: { ...channel, ...change(channel, acquirer) }, take })
/** A fault in what is done with notices. */
const inNotices =
  (change: (take: Parts["take"], acquirer: MemoryAcquirer) => Parts["take"]): Fault["plant"] =>
  ({ channel, take }, acquirer) => ({ channel, take: change(take, acquirer) })

const certainly = <A>(work: Effect.Effect<A, ChannelUnreachable>) =>
  Effect.mapError(work, ({ because }) =>
    because === "unknown" ? new ChannelUnreachable() : new ChannelUnreachable({ ...(because && { because }) })
  )
let fresh = 0

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a refund that is asked for twice is made twice",
    breaks: "a refund that is asked for twice is done once, and both answers are the same",
    plant: inChannel((channel) => ({
      refund: (request) => channel.refund({ ...request, refundNo: `${request.refundNo}${++fresh}` as RefundNo })
    }))
  },
  {
    name: "a refund whose outcome is unknown is refused",
    breaks: "a refund whose answers are all lost for a while is made once, and is known",
    plant: inChannel((channel, acquirer) => ({
      refund: (request) => {
        const isLost = acquirer.troubles.some(({ call, times }) => call === "refund" && times > 0)
        return Effect.map(channel.refund(request), (said) => (isLost ? { _tag: "Refused", reason: "no answer" } : said))
      }
    }))
  },
  {
    name: "a refund that takes time has succeeded",
    breaks: "a refund that is refused late is failed, and the money is the merchant's again",
    plant: inChannel((channel) => ({
      refund: (request) =>
        Effect.map(channel.refund(request), (said) => (said._tag === "Pending" ? { _tag: "Succeeded" } : said))
    }))
  },
  {
    name: "a refund beyond the payment is paid",
    breaks: "the channel itself pays nothing back beyond the payment",
    plant: inChannel((channel, acquirer) => ({
      refund: Effect.fnUntraced(function* (request) {
        const said = yield* channel.refund(request)
        if (said._tag !== "Refused") return said
        const { amount, merchantId, paymentId, refundNo: key } = request
        acquirer.refunds.set(key, { key, merchantId, paymentId, amount, state: "succeeded", settlesAt: 0 })
        return { _tag: "Succeeded" } as const
      })
    }))
  },
  {
    name: "a whole payment goes back at each call",
    breaks: "the return of a whole payment that is asked for twice is done once, and both answers are the same",
    plant: inChannel((channel, acquirer) => ({
      giveBack: Effect.fnUntraced(function* (checkout, payment) {
        const said = yield* channel.giveBack(checkout, payment)
        const key = `again/${++fresh}`
        const of = { merchantId: checkout.merchantId, paymentId: payment.paymentId, amount: payment.amount }
        acquirer.refunds.set(key, { ...of, key, state: "succeeded", settlesAt: 0 })
        return said
      })
    }))
  },
  {
    name: "a checkout is closed though it is paid",
    breaks: "the port itself says that the buyer has paid, and with what",
    plant: inChannel((channel) => ({
      cancel: (checkout) => Effect.as(channel.cancel(checkout), { _tag: "Cancelled" })
    }))
  },
  {
    name: "a checkout is closed though the buyer is in a wallet",
    breaks: "an order whose buyer is in a wallet cannot be closed, and is paid when the buyer comes back",
    plant: inChannel((channel) => ({
      cancel: (checkout) =>
        Effect.map(channel.cancel(checkout), (said) => (said._tag === "BuyerBusy" ? { _tag: "Cancelled" } : said))
    }))
  },
  {
    name: "a checkout is closed, and its session is not",
    breaks: "an order that is closed has no session in which a buyer can pay",
    plant: inChannel(() => ({ cancel: () => Effect.succeed({ _tag: "Cancelled" }) }))
  },
  {
    name: "a closing whose outcome is unknown has certainly done nothing",
    breaks: "the end of a checkout that is lost after its effect, with no answer, is done once in the end",
    plant: inChannel((channel) => ({ cancel: (checkout) => certainly(channel.cancel(checkout)) }))
  },
  {
    name: "each page gets a session of its own",
    breaks: "the same method leads to the same session",
    plant: inChannel(({ page }, acquirer) => ({
      page: {
        ...page!,
        begin: Effect.fnUntraced(function* ({ amount, currency, merchantId, tradeNo }, method) {
          const { id } = yield* acquirer.open(`${++fresh}`, { merchantId, tradeNo, method, amount, currency })
          return { _tag: "Redirect" as const, url: `memory:${id}` }
        })
      }
    }))
  },
  {
    name: "a session whose answer is lost has certainly not been made",
    breaks: "a session that is lost after its effect, with no answer, is done once in the end",
    plant: inChannel(({ page }) => ({
      page: {
        ...page!,
        begin: (order, method, language) =>
          Effect.mapError(page!.begin(order, method, language), (failure) =>
            failure._tag === "ChannelUnreachable" ? new ChannelUnreachable() : failure
          )
      }
    }))
  },
  {
    name: "a paid order gets another session",
    breaks: "an order that is paid gets no other session",
    plant: inChannel(({ page }, acquirer) => ({
      page: {
        ...page!,
        begin: Effect.fnUntraced(function* (order, method, language) {
          const said = yield* page!.begin(order, method, language)
          if (said._tag !== "Settled") return said
          const { amount, currency, merchantId, tradeNo } = order
          const { id } = yield* acquirer.open(`${tradeNo}/more`, { merchantId, tradeNo, method, amount, currency })
          return { _tag: "Redirect" as const, url: `memory:${id}` }
        })
      }
    }))
  },
  {
    name: "a buyer who comes back is not looked up",
    breaks: "a buyer who comes back before the notice is seen as paid, or as paying",
    plant: inChannel(({ page }) => ({ page: { ...page!, lookUp: Effect.succeed } }))
  },
  {
    name: "a payment that is processed is not seen",
    breaks: "a buyer whose payment is processed is not asked to pay again",
    plant: inChannel(({ page }) => ({ page: { ...page!, isProcessing: () => Effect.succeed(false) } }))
  },
  {
    name: "each notice of a payment is another payment",
    breaks: "a payment that is told twice counts once",
    plant: inNotices((take, acquirer) => (notice) => {
      const paid = acquirer.payments.find(({ id }) => id === notice.of)
      if (paid === undefined) return take(notice)
      const copy = { ...paid, id: `${paid.id}/${++fresh}` }
      acquirer.payments.push(copy)
      return take({ ...notice, of: copy.id, signature: acquirer.sign({ ...notice, of: copy.id }) })
    })
  },
  {
    name: "a forged notice is believed",
    breaks: "a payment that somebody forges is not believed",
    plant: inNotices((take, acquirer) => (notice) => take({ ...notice, signature: acquirer.sign(notice) }))
  },
  {
    name: "a notice at a stranger's address is believed",
    breaks: "a dispute that is told to a stranger's address changes nothing for either",
    plant: inNotices((take, acquirer) => (notice) => {
      const to = acquirer.disputes.get(notice.of)?.merchantId ?? notice.to
      return take({ ...notice, to, signature: acquirer.sign({ ...notice, to }) })
    })
  },
  {
    name: "a notice that comes too early is dropped",
    breaks: "a dispute that is lost whose notice is lost is found",
    plant: inNotices(
      (take, acquirer) => (notice) =>
        acquirer.disputes.get(notice.of)?.status === "lost" ? Effect.succeed(true) : take(notice)
    )
  },
  {
    name: "the sum of the order is reported, and not what was paid",
    breaks: "a sum that is less than the order's is parked, and the order stays open",
    plant: inNotices((take, acquirer) => (notice) => {
      const place = acquirer.payments.findIndex(({ id }) => id === notice.of)
      const paid = acquirer.payments[place]
      const [session] = paid === undefined ? [] : acquirer.sessionsOf(paid.tradeNo)
      if (paid !== undefined && session !== undefined) acquirer.payments[place] = { ...paid, amount: session.amount }
      return take(notice)
    })
  },
  {
    name: "evidence is sent again at each call",
    breaks: "an answer to a dispute that is asked for twice is done once, and both answers are the same",
    plant: inChannel(({ disputes }, acquirer) => ({
      disputes: {
        ...disputes,
        submit: Effect.fnUntraced(function* (dispute, evidence, answer) {
          const said = yield* disputes.submit(dispute, evidence, answer)
          const known = acquirer.disputes.get(dispute.processorDisputeId)!
          known.answers = [...known.answers, `${++fresh}`]
          return said
        })
      }
    }))
  },
  {
    name: "a concession is taken after an answer",
    breaks: "a dispute that is answered cannot be conceded",
    plant: inChannel(({ disputes }) => ({
      disputes: {
        ...disputes,
        accept: (dispute) =>
          Effect.map(disputes.accept(dispute), (said) => (said._tag === "Refused" ? { ...said, _tag: "Taken" } : said))
      }
    }))
  },
  {
    name: "the bank's decision is not read",
    breaks: "a question about a decided dispute has the decision",
    plant: inChannel(({ disputes }) => ({
      disputes: {
        ...disputes,
        status: (dispute) => Effect.map(disputes.status(dispute), (word) => ({ ...word, outcome: undefined }))
      }
    }))
  },
  {
    name: "payments have numbers without the channel's prefix",
    breaks: "a payment by card has its method, the order's amount, a number of the channel's and its refund window",
    plant: inChannel(() => ({ paymentNumbers: { prefix: "other_" } }))
  },
  {
    name: "it takes payments of an environment without an account",
    breaks: "nothing is taken in the environment where the merchant has no account",
    plant: inChannel(() => ({ takes: () => Effect.succeed(true) }))
  },
  {
    name: "a limit of calls looks like no answer",
    breaks: "a refund beyond the acquirer's limit of calls is refused, and done later",
    plant: inChannel((channel) => ({
      refund: (request) => Effect.mapError(channel.refund(request), () => new ChannelUnreachable())
    }))
  }
]
