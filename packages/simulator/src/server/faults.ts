/** Faults injected by tests, into answers or webhooks. Each rule applies a limited number of times. */
import { Schema } from "effect"

export const FaultKind = Schema.Literals([
  "timeout_before",
  "timeout_after",
  "cut_before",
  "cut_after",
  "error_before",
  "error_after",
  "error_kept_before",
  "error_kept_after",
  "refused",
  "rate_limited",
  "slow",
  "lose",
  "twice",
  "late",
  "swap"
])
export type FaultKind = typeof FaultKind.Type

export const Fault = Schema.Struct({
  /** `POST /v1/refunds`, `* /v1/*`, or `webhook charge.*`: a star stands for any text. */
  on: Schema.String,
  kind: FaultKind,
  /** Only calls of this account, and webhooks with its events; default: all. */
  account: Schema.optionalKey(Schema.String),
  /** How many calls it affects; default: 1. */
  times: Schema.optionalKey(Schema.Int),
  /** How many calls pass before; default: 0. */
  skip: Schema.optionalKey(Schema.Int),
  /** For `slow`, `late` and `swap`; default: 5. */
  seconds: Schema.optionalKey(Schema.Int),
  /** For the errors; default: 500. */
  status: Schema.optionalKey(Schema.Int),
  /** For `refused`; default: `balance_insufficient`. */
  code: Schema.optionalKey(Schema.String),
  /** For `rate_limited`: the exceeded limit; default: `global-rate`. */
  reason: Schema.optionalKey(Schema.String),
  /** For `rate_limited`: seconds to wait, which Stripe rarely sends. */
  retry_after: Schema.optionalKey(Schema.Int)
})
export type Fault = typeof Fault.Type

export interface Struck extends Pick<Fault, "code" | "reason" | "retry_after"> {
  readonly kind: FaultKind
  readonly seconds: number
  readonly status: number
}

export interface Faults {
  readonly add: (fault: Fault) => void
  /** All rules, or those of one account. */
  readonly clear: (account?: string) => void
  readonly all: () => ReadonlyArray<Fault>
  /** The first rule that matches this call, which uses up one of its calls. */
  readonly strike: (call: string, account: string) => Struck | undefined
}

/**
 * Called for each call, and for each webhook before it is first sent, with the text to match a rule's `on`.
 */
export type Watch = (call: string, account: string) => void

export const secondsDefault = 5

export const makeFaults = (watch: Watch = () => {}): Faults => {
  let rules: Array<{ readonly pattern: RegExp; readonly fault: Fault; skip: number; times: number }> = []
  return {
    add: (fault) =>
      void rules.push({ pattern: patternOf(fault.on), fault, skip: fault.skip ?? 0, times: fault.times ?? 1 }),
    clear: (account) => {
      rules = account === undefined ? [] : rules.filter(({ fault }) => fault.account !== account)
    },
    all: () => rules.map(({ fault, skip, times }) => ({ ...fault, skip, times })),
    strike: (call, account) => {
      watch(call, account)
      for (const rule of rules) {
        if (!rule.pattern.test(call) || (rule.fault.account ?? account) !== account) continue
        if (rule.skip > 0) {
          rule.skip--
          continue
        }
        rule.times--
        rules = rules.filter(({ times }) => times > 0)
        return {
          ...rule.fault,
          seconds: rule.fault.seconds ?? secondsDefault,
          status: rule.fault.status ?? 500
        }
      }
      return undefined
    }
  }
}

const patternOf = (on: string) => new RegExp(`^${on.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`)
