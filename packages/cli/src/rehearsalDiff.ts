/**
 * Compares an answer of Stripe with the simulator's: with the form that Stripe publishes (the simulator's table of
 * facts), and with the simulator's answer in the fields whose value is determined. A difference names fields and enum
 * values; the account's texts and ids are left out. Pure.
 */
import type { Answer, Body } from "./stripeWorld.ts"

export interface Difference {
  readonly path: string
  readonly kind: "status" | "missing" | "type" | "unknown" | "form" | "value"
  /** The values of the simulator and of Stripe, if they may be shown. */
  readonly simulator: string
  readonly stripe: string
}

/** Fields that must be equal. */
const determined: ReadonlySet<string> = new Set(
  (
    "object status amount amount_received amount_refunded amount_captured amount_capturable amount_total currency " +
    "code decline_code type param livemode paid refunded captured disputed mode payment_status reason " +
    "is_charge_refundable has_evidence submission_count past_due"
  ).split(" ")
)
/** Lists compared as sets. */
const sets: ReadonlySet<string> = new Set(["payment_method_types", "allowed_payment_method_types"])
/** Fields that both must have, or neither. */
const present: ReadonlySet<string> = new Set(
  (
    "balance_transaction latest_charge payment_intent charge due_by url expires_at next_action payment_method " +
    "last_payment_error"
  ).split(" ")
)
/** Lists that must be non-empty in both, or in neither. */
const filled: ReadonlySet<string> = new Set(["balance_transactions", "fee_details"])
/** Positive in both, or in neither; the amount depends on the account. */
const signs: ReadonlySet<string> = new Set(["fee"])
/** Texts of the merchant, or of the test itself. */
const skipped: ReadonlySet<string> = new Set(["metadata", "request", "previous_attributes"])

type Check = (answer: Body) => ReadonlyArray<string>

/** `check`: the simulator's check of the published form. */
export const differencesOf = (
  check: Check,
  simulated: Answer,
  real: Answer,
  loose: ReadonlyArray<string> = []
): ReadonlyArray<Difference> => {
  if (simulated.status !== real.status) {
    const code = ({ body, status }: Answer) => [status, shown(body?.error?.code ?? "")].join(" ").trim()
    return [{ path: "HTTP", kind: "status", simulator: code(simulated), stripe: code(real) }]
  }
  const found = new Map<string, Difference>()
  const add = (difference: Difference) => void (found.has(difference.path) || found.set(difference.path, difference))
  if (real.status < 400) for (const problem of check(real.body)) add(publishedDifference(problem, real.body))
  compare(simulated.body, real.body, "", new Set(loose), add)
  return Array.from(found.values())
}

/** A problem found by the table of facts, without the quoted value. */
const publishedDifference = (problem: string, body: Body): Difference => {
  const path = problem.slice(0, problem.indexOf(": "))
  const [, missing] = / has (\w+), which is missing$/.exec(problem) ?? []
  if (missing !== undefined) {
    return {
      path: path === "" ? missing : `${path}.${missing}`,
      kind: "missing",
      simulator: "there",
      stripe: "missing"
    }
  }
  const isUnknown = problem.endsWith(" has no such field")
  const actual = valueAt(body, path)
  return {
    path,
    kind: isUnknown ? "unknown" : "form",
    simulator: isUnknown ? "no such field" : "published",
    stripe: shown(actual)
  }
}

const valueAt = (body: Body, path: string): unknown =>
  path.split(/[.[\]]+/).reduce((value: Body, step) => (step === "" ? value : value?.[step]), body)

type Add = (difference: Difference) => void

const compare = (simulated: Body, real: Body, path: string, loose: ReadonlySet<string>, add: Add): void => {
  for (const [name, expected] of Object.entries<Body>(simulated)) {
    if (skipped.has(name) || loose.has(name)) continue
    const at = path === "" ? name : `${path}.${name}`
    if (!(name in real)) add({ path: at, kind: "missing", simulator: kindOf(expected), stripe: "missing" })
    else compareField(name, expected, real[name], at, loose, add)
  }
}

const compareField = (
  name: string,
  expected: Body,
  actual: Body,
  path: string,
  loose: ReadonlySet<string>,
  add: Add
): void => {
  const differs = (kind: Difference["kind"], simulator: string, stripe: string) =>
    add({ path, kind, simulator, stripe })
  if (determined.has(name)) {
    if (typeof expected !== "object" && expected !== actual) differs("value", shown(expected), shown(actual))
    else if (expected === null && actual !== null) differs("value", "null", shown(actual))
    return
  }
  if (sets.has(name) && Array.isArray(expected) && Array.isArray(actual)) {
    const [one, other] = [expected, actual].map((words) => words.map(shown).toSorted().join(","))
    if (one !== other) differs("value", one!, other!)
    return
  }
  if ((expected === null) !== (actual === null)) {
    if (present.has(name)) differs("value", kindOf(expected), kindOf(actual))
    return
  }
  if (expected === null) return
  if (kindOf(expected) !== kindOf(actual)) return differs("type", kindOf(expected), kindOf(actual))
  if (signs.has(name) && expected > 0 !== actual > 0) return differs("value", signOf(expected), signOf(actual))
  if (Array.isArray(expected)) {
    if (filled.has(name) && expected.length > 0 !== actual.length > 0) {
      differs("value", `${expected.length} entries`, `${actual.length} entries`)
    }
    if (isHash(expected[0]) && isHash(actual[0])) compare(expected[0], actual[0], `${path}[0]`, loose, add)
    return
  }
  if (isHash(expected)) compare(expected, actual, path, loose, add)
}

const isHash = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value)
const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "object" ? "hash" : typeof value
const signOf = (value: number): string => (value > 0 ? "above 0" : "0 or less")

/** Shows numbers and enum values. Of the account's ids and texts only the type is shown. */
const shown = (value: unknown): string =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && /^[a-z_.]{1,60}$/.test(value))
    ? String(value)
    : kindOf(value)
