/**
 * New ids: a prefix and 26 characters of time and randomness. Within this process each id of one clock is greater than
 * the one before, even if many are made in one millisecond or the clock is set back. The ids of a sandbox whose clock
 * was moved must not push those of others ahead: lists seek times by ids. Ids have the time of Postgres' clock, which
 * all runners share. If lists have nevertheless shown a later id, new ids are later than that one
 * (docs/decisions/0050).
 */
import { randomFillSync } from "node:crypto"
import { bodyOf, firstIdBody, idBody, idBodyAfter, millisOfId } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { Clock, Context, Effect, Layer } from "effect"
import { millisOf } from "./clock.ts"
import { MovedClock } from "./MerchantClocks.ts"

export class NewIds extends Context.Service<
  NewIds,
  {
    /** The 26 characters without a prefix. */
    readonly body: Effect.Effect<string>
    readonly next: (prefix: string) => Effect.Effect<string>
    /** The same in a synchronous block, for a caller that has the time and the clock that it was read from. */
    readonly at: (prefix: string, millis: number, clock: Clock.Clock) => string
    /** Sets how many milliseconds this machine's clock is ahead of Postgres', whose time ids have. */
    readonly correct: (ahead: number) => void
    /** The time that an id made at this time of a clock has. */
    readonly corrected: (millis: number) => number
    /** Lists have shown this body to the account: new ids are later. */
    readonly pass: (account: Account, body: string) => void
  }
>()("@coffer/platform/NewIds") {}

/** Random bytes drawn at a time. Drawing a few costs as much as drawing all of them. */
const drawn = 16 * 256

/** The ids of one clock. */
interface Line {
  readonly clock: Clock.Clock
  last: string
  /** Milliseconds that its ids are ahead of it. */
  ahead: number
  /** When that was last needed, by the clock. */
  neededAt: number
}

/** Twice the tolerance of two clocks (`ClockSkew.ts`). */
export const aheadMax = 15 * 60_000
/** The clock that was ahead may have been set right. */
const aheadFor = 10 * 60_000

/** The lowest body that is too far ahead of this id for a clock that is as wrong as may be. */
export const firstBeyond = (fresh: string): string => firstIdBody(millisOfId(fresh) + aheadMax)

/**
 * The id itself if it is later than these, otherwise one just after the newest of them. An id that a wrong clock made
 * years ahead is ignored.
 */
export const idAfter = (fresh: string, others: ReadonlyArray<string>): string => {
  const astray = firstBeyond(fresh)
  const newest = others.map(bodyOf).reduce((last, body) => (body > last && body < astray ? body : last), "")
  const body = bodyOf(fresh)
  return body > newest ? fresh : fresh.slice(0, -body.length) + idBodyAfter(newest)
}

export const layer = Layer.effect(
  NewIds,
  Effect.gen(function* () {
    const randomDigits = makeRandomDigits()
    const lines = new WeakMap<Clock.Clock, Line>()
    const moved = new Map<string, Line>()
    const lineOf = (clock: Clock.Clock) => {
      if (clock === recent.clock) return recent
      const known = lines.get(clock)
      recent = known ?? { clock, last: "", ahead: 0, neededAt: 0 }
      if (known !== undefined) return recent
      lines.set(clock, recent)
      if (clock instanceof MovedClock) moved.set(clock.merchantId, recent)
      else unmoved.push(recent)
      return recent
    }
    const own: Line = { clock: yield* Clock.Clock, last: "", ahead: 0, neededAt: 0 }
    lines.set(own.clock, own)
    /** Commands of other runners run under a clock of the cluster's own. */
    const unmoved = [own]
    /** The last clock: nearly always the same one. */
    let recent = own

    let skew = 0
    const bodyAt = (millis: number, clock: Clock.Clock) => {
      const line = lineOf(clock)
      if (line.ahead > 0 && millis - line.neededAt > aheadFor) line.ahead = 0
      // A clock that a test has set to 1970 must not go below it.
      const fresh = idBody(Math.max(0, millis - skew + line.ahead), randomDigits())
      // In the same millisecond, or an earlier one, the last id is counted up instead.
      const isLater = fresh.slice(0, 10) > line.last.slice(0, 10)
      line.last = isLater ? fresh : `${idBodyAfter(line.last.slice(0, -1))}0`
      return line.last
    }

    const passIn = (line: Line, body: string) => {
      const now = line.clock.currentTimeMillisUnsafe()
      const ahead = millisOfId(body) + 1 - (now - skew)
      // A sandbox whose moved clock this runner does not know yet must not push other accounts ahead.
      if (ahead > aheadMax) return
      line.ahead = Math.max(line.ahead, ahead)
      line.neededAt = now
    }
    const pass = ({ merchantId, mode }: Account, body: string) => {
      const ofSandbox = mode === "sandbox" ? moved.get(merchantId) : undefined
      for (const line of ofSandbox === undefined ? unmoved : [ofSandbox]) passIn(line, body)
    }

    // One step of the fiber, because a payment needs five ids.
    const next = (prefix: string) =>
      Effect.withFiberSucceed((fiber) => prefix + bodyAt(millisOf(fiber), fiber.getRef(Clock.Clock)))
    const at = (prefix: string, millis: number, clock: Clock.Clock) => prefix + bodyAt(millis, clock)
    return NewIds.of({
      body: next(""),
      next,
      at,
      correct: (ahead) => void (skew = ahead),
      corrected: (millis) => millis - skew,
      pass
    })
  })
)

/** The last digit 0 reserves 31 ids for ledger rows, which a wallet numbers by counting up. */
const makeRandomDigits = () => {
  const pool = new Uint8Array(drawn)
  let used = drawn
  return () => {
    if (used === drawn) {
      randomFillSync(pool)
      used = 0
    }
    const digits = pool.subarray(used, (used += 16))
    digits[15] = 0
    return digits
  }
}
