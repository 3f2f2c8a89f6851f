/** The channel in memory, for the suite. */
import { Effect, type Scope } from "effect"
import type { Order } from "@coffer/rules/order/Order"
import { start } from "../../kit/Service.ts"
import { memoryAcquirer, type Notice } from "../../kit/stories/memoryAcquirer.ts"
import { memoryChannel, type Parts, states } from "../../kit/stories/memoryChannel.ts"
import type { Act, Harness, Own, World } from "./Harness.ts"

const lacks = { inquiries: "its bank does not ask before it takes the money" }

/** `through`: a test plants a fault there, in the channel and beside its acquirer. */
export const memoryWorld = (through?: (parts: Parts, acquirer: ReturnType<typeof memoryAcquirer>) => Parts) =>
  Effect.gen(function* (): Effect.fn.Return<World, unknown, Scope.Scope> {
    const acquirer = memoryAcquirer()
    const channels = memoryChannel({
      acquirer,
      ...(through === undefined ? {} : { through: (parts: Parts) => through(parts, acquirer) })
    })
    const running = yield* start({ clock: "test", channels })
    const { receiver } = acquirer

    return {
      running,
      account: ({ merchantId }) =>
        Effect.sync((): Own => {
          // What an earlier law has held back is not this one's.
          receiver.held = false
          acquirer.troubles.splice(0)
          acquirer.unsent.splice(0)
          const rest = Effect.andThen(acquirer.send(), running.atRest)
          const own = <A extends { readonly merchantId: string }>(all: Iterable<A>) =>
            [...all].filter((each) => each.merchantId === merchantId)
          const dispute = ({ tradeNo }: Order) =>
            [...acquirer.disputes.values()].findLast((each) => each.tradeNo === tradeNo)!
          const decide = (order: Order, status: "won" | "lost" | "closed") =>
            Effect.suspend(() => {
              const { id } = Object.assign(dispute(order), { status })
              return acquirer.tell("dispute", id, merchantId)
            })
          const pay = (order: Order, act: string, amount: number = order.amount, method = order.currency && "card") =>
            Effect.suspend(() => {
              const session = acquirer
                .sessionsOf(order.tradeNo)
                .find(({ state }) => state !== "over" && state !== "paid")
              const { currency, tradeNo } = order
              const of = {
                merchantId,
                tradeNo,
                method: (session?.method ?? method) as "card",
                amount,
                currency,
                state: act
              }
              return Effect.asVoid(acquirer.pays(of, session === undefined ? {} : { session }))
            })
          const trouble = (
            call: (typeof acquirer.troubles)[number]["call"],
            kind: "lost before" | "lost after" | "crowded"
          ) => Effect.sync(() => void acquirer.troubles.push({ call, kind, merchantId, times: 1 }))
          const acts: Readonly<Record<Act, (order: Order) => Effect.Effect<void>>> = {
            pays: (order) => pay(order, states.succeed),
            declines: (order) => pay(order, states.decline),
            fails: (order) => pay(order, states.fail),
            "leaves for the wallet": ({ tradeNo }) =>
              Effect.sync(() => {
                for (const each of acquirer.sessionsOf(tradeNo)) {
                  if (each.state === "open") Object.assign(each, { state: "away", awaySince: running.now() })
                }
              }),
            "pays later": ({ tradeNo }) =>
              Effect.sync(() => {
                for (const each of acquirer.sessionsOf(tradeNo)) if (each.state === "open") each.state = "processing"
              })
          }
          const settles: Own["settles"] = (refundNo, state) =>
            Effect.suspend(() => {
              acquirer.refunds.get(refundNo)!.state = state
              return acquirer.tell("refund", refundNo, merchantId)
            })
          const noticesOf = (): ReadonlyArray<Notice> =>
            [
              ...own(acquirer.payments).map(({ id }) => ["payment", id] as const),
              ...own(acquirer.refunds.values()).map(({ key }) => ["refund", key] as const),
              ...own(acquirer.disputes.values()).map(({ id }) => ["dispute", id] as const)
            ].map(([kind, of]) => ({
              kind,
              of,
              to: merchantId,
              signature: acquirer.sign({ kind, of, to: merchantId })
            }))
          const taken = (notices: ReadonlyArray<Notice>) => Effect.forEach(notices, (each) => receiver.take(each))
          return {
            rest,
            acts: (order, act) => acts[act](order),
            sums: (order, amount) => pay(order, states.succeed, amount),
            fails: true,
            page: true,
            processes: { ends: (order) => pay(order, states.succeed) },
            books: ({ tradeNo }) =>
              Effect.sync(() => {
                const paid = acquirer.paidOf(tradeNo)
                const numbers = new Set(paid.map(({ id }) => id))
                const disputes = own(acquirer.disputes.values()).filter((each) => each.tradeNo === tradeNo)
                return {
                  open: acquirer.sessionsOf(tradeNo).filter(({ state }) => state === "open" || state === "away").length,
                  paid: paid.map(({ amount }) => amount),
                  refunded: own(acquirer.refunds.values())
                    .filter((each) => numbers.has(each.paymentId) && each.state !== "failed")
                    .map(({ amount }) => amount),
                  answers: disputes.reduce((sum, { answers }) => sum + answers.length, 0),
                  isConceded: disputes.some(({ lostAt }) => lostAt > 0)
                }
              }),
            reachable: (is) =>
              Effect.sync(
                () => void (is ? acquirer.unreachable.delete(merchantId) : acquirer.unreachable.add(merchantId))
              ),
            disputes: ({ amount, tradeNo }, part = amount) =>
              Effect.flatMap(
                acquirer.objects({ merchantId, tradeNo, amount: part, reason: "fraudulent", dueBy: null }),
                ({ id }) => acquirer.tell("dispute", id, merchantId)
              ),
            decides: decide,
            withdraws: (order) => decide(order, "closed"),
            pends: Effect.succeed("alipay"),
            settles,
            sendsBack: (refundNo) => settles(refundNo, "failed"),
            wire: {
              lose: (call, when) => trouble(call, `lost ${when}`),
              calm: Effect.sync(() => void acquirer.troubles.splice(0))
            },
            crowd: (call) => trouble(call, "crowded"),
            key: {
              revoke: Effect.sync(() => void acquirer.revoked.add(merchantId)),
              restore: Effect.sync(() => void acquirer.revoked.delete(merchantId))
            },
            notices: {
              hold: Effect.sync(() => void (receiver.held = true)),
              release: (order) =>
                Effect.andThen(
                  Effect.sync(() => void (receiver.held = false)),
                  acquirer.send(order)
                ),
              again: (how) =>
                Effect.suspend(() =>
                  taken(noticesOf().map((each) => (how === undefined ? each : { ...each, signature: "forged" })))
                ),
              astray: () =>
                Effect.suspend(() =>
                  taken(
                    noticesOf().map(({ kind, of }) => {
                      const to = "mer_stranger"
                      return { kind, of, to, signature: acquirer.sign({ kind, of, to }) }
                    })
                  )
                ),
              lose: Effect.sync(() => void (receiver.held = true)),
              find: Effect.sync(() => void (receiver.held = false))
            },
            clock: { ahead: Effect.sync(() => void (acquirer.clock.aheadMillis = 120_000)) }
          }
        })
    }
  })

export const memory: Harness = { name: "memory", lacks, world: memoryWorld() }
