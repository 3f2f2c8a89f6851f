/**
 * Clients of three runners use one order and one wallet at once. Their answers can be put in an order in which
 * each operation happened at one moment, as if there were one process.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { credit, newOrderState, orderDeed, perform, price, type Purse, walletDeed } from "../kit/stories/histories.ts"
import { linearize, type Operation, shown } from "../kit/stories/linearizable.ts"
import { type Coffer, liftQuotas, seeded } from "../kit/Process.ts"
import { rounds } from "../kit/run/soak.ts"
import { threeRunners } from "../kit/runners/threeRunners.ts"

const [histories, clients, deedsEach] = [rounds(15, 500), 4, 4]

type Draw = ReturnType<typeof seeded>

/** Each client does one thing after the other, at any runner. */
const recorded = <State>(
  nodes: ReadonlyArray<Coffer>,
  draw: Draw,
  deedOf: (number: number) => Parameters<typeof perform<State>>[2]
) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: clients }).keys(),
      (client) =>
        Effect.forEach(Array.from({ length: deedsEach }).keys(), (turn) =>
          Effect.suspend(() => perform(nodes[draw(nodes.length)]!, client, deedOf(client * deedsEach + turn)))
        ),
      { concurrency: "unbounded" }
    ),
    (all) => all.flat()
  )

const assertLinear = <State>(what: string, initial: State, operations: ReadonlyArray<Operation<State>>) =>
  assert.isDefined(linearize(initial, operations), `${what}, of which nothing makes sense:\n${shown(operations)}`)

const newOrder = Effect.fnUntraced(function* ({ api }: Coffer, key: string) {
  const { body, status } = yield* api.post("/v1/orders", key, { amount: price, currency: "USD" })
  assert.strictEqual(status, 201)
  return String(body.data.trade_no)
})

it.live(`${histories} histories of an order and ${histories} of a wallet over three runners are linearizable`, () =>
  Effect.gen(function* () {
    const { nodes } = yield* threeRunners
    const history = Effect.fnUntraced(function* (round: number) {
      const draw = seeded(round)
      const node = nodes[round % nodes.length]!
      const { merchantId, sandboxKey: key } = yield* node.api.newMerchant()
      yield* liftQuotas(node.api, merchantId)

      const order = { key, tradeNo: yield* newOrder(node, key) }
      const ofOrder = yield* recorded(nodes, draw, (number) => orderDeed(order, draw, number))
      assertLinear(`order history ${round}`, newOrderState, ofOrder)

      const { merchantId: owner, sandboxKey } = yield* node.api.newMerchant()
      yield* liftQuotas(node.api, owner)
      const orders = yield* Effect.replicateEffect(newOrder(node, sandboxKey), 6, { concurrency: 3 })
      const first = orders.pop()!
      yield* node.api.post(`/v1/test_helpers/orders/${first}/pay`, sandboxKey, {})
      const purse: Purse = { merchantId: owner, key: sandboxKey, orders }
      const ofWallet = yield* recorded(nodes, draw, (number) => walletDeed(purse, draw, number))
      assertLinear(`wallet history ${round}`, { available: credit, frozen: 0 }, ofWallet)
    })
    yield* Effect.forEach(Array.from({ length: histories }).keys(), history, { concurrency: 4, discard: true })
  })
)
