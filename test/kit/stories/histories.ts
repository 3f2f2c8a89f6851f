/** The deeds of clients of several runners on one order and on one wallet at once, and what the rules say of them. */
import { Effect } from "effect"
import type { Reply } from "../Api.ts"
import type { Operation } from "./linearizable.ts"
import { answered, type Coffer } from "../Process.ts"

/** One thing that a client does, and what an answer to it means. */
interface Deed<State> {
  readonly name: string
  readonly ask: (node: Coffer) => Effect.Effect<Reply>
  /** The state afterwards where the answer is what the rules say; undefined where it is not. */
  readonly judge: (state: State, reply: Reply) => State | undefined
  /** The state afterwards if it was done without an answer. */
  readonly unseen: (state: State) => State
}

export interface OrderState {
  readonly status: "pending" | "paid" | "expired"
  /** Keys of the metadata, sorted. */
  readonly notes: ReadonlyArray<string>
}

export const newOrderState: OrderState = { status: "pending", notes: [] }

type Order = { readonly key: string; readonly tradeNo: string }
type Draw = (limit: number) => number

const isShown = ({ notes, status }: OrderState, { body }: Reply) =>
  body.data.status === status &&
  Object.keys(body.data.metadata ?? {})
    .toSorted()
    .join() === notes.join()

/** `number` is another for each deed of a history. */
export const orderDeed = ({ key, tradeNo }: Order, draw: Draw, number: number): Deed<OrderState> => {
  const path = `/v1/orders/${tradeNo}`
  const note = `note${number}`
  const noted = (state: OrderState) => ({ ...state, notes: [...state.notes, note].toSorted() })
  const shownAs = (next: OrderState, reply: Reply) => (reply.status === 200 && isShown(next, reply) ? next : undefined)
  const paid = (state: OrderState): OrderState => (state.status === "pending" ? { ...state, status: "paid" } : state)
  const expired = (state: OrderState): OrderState =>
    state.status === "pending" ? { ...state, status: "expired" } : state
  switch (draw(8)) {
    case 0:
      return {
        name: "pays",
        ask: ({ api }) => api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, key, {}),
        // Money for an order that is closed goes back, and changes nothing that is shown.
        judge: (state, reply) =>
          reply.status === 409 ? (state.status === "expired" ? state : undefined) : shownAs(paid(state), reply),
        unseen: paid
      }
    case 1:
      return {
        name: "closes",
        ask: ({ api }) => api.post(`${path}/expire`, key, {}),
        judge: (state, reply) =>
          reply.status === 409 ? (state.status === "paid" ? state : undefined) : shownAs(expired(state), reply),
        unseen: expired
      }
    case 2:
    case 3:
    case 4:
      return {
        name: `notes ${note}`,
        ask: ({ api }) => api.post(path, key, { metadata: { [note]: "1" } }),
        judge: (state, reply) => shownAs(noted(state), reply),
        unseen: noted
      }
    default:
      return { name: "reads", ask: ({ api }) => api.get(path, key), judge: shownAs, unseen: (state) => state }
  }
}

export interface WalletState {
  readonly available: number
  readonly frozen: number
}

export interface Purse {
  readonly merchantId: string
  readonly key: string
  /** Orders that wait to be paid. */
  readonly orders: Array<string>
}

/** The amount of an order, and that less its fee. */
export const [price, credit] = [1_000, 941]

export const walletDeed = ({ key, merchantId, orders }: Purse, draw: Draw, number: number): Deed<WalletState> => {
  const credited = ({ available, frozen }: WalletState) => ({ available: available + credit, frozen })
  const kind = draw(3)
  const tradeNo = kind === 0 ? orders.pop() : undefined
  if (tradeNo !== undefined) {
    return {
      name: "is paid",
      ask: ({ api }) => api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, key, {}),
      judge: (state, { body, status }) => (status === 200 && body.data.status === "paid" ? credited(state) : undefined),
      unseen: credited
    }
  }
  if (kind !== 2) {
    return {
      name: "reads",
      ask: ({ api }) => api.get("/v1/balance?currency=USD", key),
      judge: (state, { body, status }) =>
        status === 200 && body.data.available_balance === state.available && body.data.frozen_balance === state.frozen
          ? state
          : undefined,
      unseen: (state) => state
    }
  }
  const amount = 400 + draw(400)
  const frozen = (state: WalletState) =>
    state.available < amount ? state : { available: state.available - amount, frozen: state.frozen + amount }
  return {
    name: `pays out ${amount}`,
    ask: ({ api }) =>
      api.operator("POST", `/merchants/${merchantId}/payouts`, {
        mode: "sandbox",
        currency: "USD",
        amount,
        reference: `payout-${number}`
      }),
    judge: (state, { status }) => {
      if (status === 201) return state.available < amount ? undefined : frozen(state)
      return status === 400 && state.available < amount ? state : undefined
    },
    unseen: frozen
  }
}

/** Does it at a runner, and writes down what its client saw. */
export const perform = <State>(node: Coffer, client: number, deed: Deed<State>): Effect.Effect<Operation<State>> =>
  Effect.gen(function* () {
    const calledAt = performance.now()
    const reply = yield* answered(deed.ask(node))
    const answeredAt = performance.now()
    const name = `client ${client} ${deed.name} at ${node.port}: ${reply?.status} ${reply?.text ?? "cut"}`
    return reply === undefined || reply.status === 503
      ? { name, calledAt, answeredAt: Infinity, step: deed.unseen }
      : { name, calledAt, answeredAt, step: (state) => deed.judge(state, reply) }
  })
