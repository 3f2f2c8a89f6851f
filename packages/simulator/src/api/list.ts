/** Lists, the newest first: `limit`, `starting_after`, `ending_before`, `created`. */
import { Result } from "effect"
import type Stripe from "stripe"
import type { Kind, Kinds } from "../state/kinds.ts"
import { noSuch, type Outcome, refuse } from "../wire/failure.ts"
import type { Call } from "./Call.ts"

interface ListParameters extends Stripe.PaginationParams {
  readonly created?: Stripe.RangeQueryParam | number
}

const limitDefault = 10
const limitMax = 100

interface Chosen<K extends Kind> {
  readonly parent?: string | undefined
  readonly where?: (value: Kinds[K]) => boolean
}

export const list = <K extends Kind>(
  call: Call,
  kind: K,
  params: ListParameters,
  { parent, where = () => true }: Chosen<K> = {}
): Outcome<object> =>
  Result.gen(function* () {
    const { created, ending_before: before, limit = limitDefault, starting_after: after } = params
    if (limit < 1 || limit > limitMax) {
      return yield* refuse(`This value must be between 1 and ${limitMax} (it is ${limit}).`, { param: "limit" })
    }
    for (const [param, cursor] of Object.entries({ starting_after: after, ending_before: before })) {
      if (cursor !== undefined && call.book.get(kind, cursor) === undefined) return yield* noSuch(kind, cursor, param)
    }
    const fits = function* () {
      for (const value of call.book.newest(kind, parent)) {
        if (where(value) && isWithin(value, created)) yield value
      }
    }
    const { data, hasMore } = before === undefined ? pageAfter(fits(), after, limit) : pageBefore(fits(), before, limit)
    return { object: "list", data, has_more: hasMore, url: call.path }
  })

type Page<A> = { readonly data: ReadonlyArray<A>; readonly hasMore: boolean }

const pageAfter = <A extends { readonly id: string }>(
  values: Iterable<A>,
  after: string | undefined,
  limit: number
): Page<A> => {
  const data: Array<A> = []
  let isPast = after === undefined
  for (const value of values) {
    if (isPast && data.length === limit) return { data, hasMore: true }
    if (isPast) data.push(value)
    else isPast = value.id === after
  }
  return { data, hasMore: false }
}

const pageBefore = <A extends { readonly id: string }>(values: Iterable<A>, before: string, limit: number): Page<A> => {
  const newer: Array<A> = []
  for (const value of values) {
    if (value.id === before) break
    newer.push(value)
  }
  return { data: newer.slice(-limit), hasMore: newer.length > limit }
}

const isWithin = (value: object, created: ListParameters["created"]): boolean => {
  if (created === undefined) return true
  const at = (value as { readonly created: number }).created
  if (typeof created === "number") return at === created
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = created
  return at > gt && at >= gte && at < lt && at <= lte
}
