/** Nothing gives more than it has, at the three doors: the console, the operators' API, and keys (docs/security.md). */
import {
  type ActOfTwo,
  consoleAct,
  type ConsoleActName,
  consoleActs,
  merchantAct,
  merchantActs,
  type Operation,
  operatorAct,
  type OperatorActName,
  operatorActs
} from "@coffer/contract/acts"
import type { ActRequest, Gift } from "@coffer/contract/actTypes"
import { type Holder, type Key, mainKey, type Person } from "@coffer/model/Holder"
import { Mode } from "@coffer/model/Ids"
import { PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { covers, Scope } from "@coffer/model/Scopes"
import type { TwoOperators } from "@coffer/model/TwoOperators"
import { type Standing, standingProblem } from "@coffer/rules/operator/standing"
import { forbiddenField, isForFresh, mayDo, personMayDo, takesTwo } from "@coffer/rules/people/mayDo"
import { givenBy, lacking, rightsOf } from "@coffer/rules/people/rights"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import * as fc from "fast-check"

const now = DateTime.makeUnsafe("2026-11-28T12:00:00.000Z")
const all = Scope.literals

/** Where a sequence of acts begins. */
interface World {
  readonly two: TwoOperators
  readonly standing: Standing
  /** Whether the sessions of people and operators were opened a short time ago. */
  readonly isFresh: boolean
  /** Whether operators act by a token, which has no session, instead. */
  readonly byToken: boolean
}

/** A request that any act may get: each reads what it knows. */
interface Request {
  readonly params: { readonly mode: Mode }
  readonly payload: ActRequest
  /** What the path names: a key of others, or a role that is offered. */
  readonly object: Key | Person
}

type Door = "merchant" | "console" | "operator"
interface Act {
  readonly door: Door
  readonly act: string
}
/** An act with its request, and what whoever does it may use afterwards. */
interface Try extends Act, Request {
  readonly gift: Gift
}

const rowOf = ({ act, door }: Act) =>
  door === "merchant"
    ? merchantAct(act as Operation)
    : door === "console"
      ? consoleAct(act as ConsoleActName)
      : operatorAct(act as OperatorActName)

const tables = { merchant: merchantActs, console: consoleActs, operator: operatorActs }
const giving = (["merchant", "console", "operator"] as const).flatMap((door) =>
  Object.keys(tables[door])
    .map((act): Act => ({ door, act }))
    .filter((each) => rowOf(each).gives !== undefined)
)

/** The contract refuses a role of the other kind, and another object than the path says. */
const isPossible = ({ act }: Act, { object }: Request, gift: Gift): boolean => {
  if (gift === object) return (gift.is === "key") === act.startsWith("api_keys.")
  return gift.is === "operator" ? Schema.is(Role)(gift.role) : gift.is !== "person" || Schema.is(PersonRole)(gift.role)
}

const triesOf = (requests: ReadonlyArray<Request>): ReadonlyArray<Try> =>
  giving.flatMap((each) =>
    requests.flatMap((request): ReadonlyArray<Try> => {
      const source = givenBy(rowOf(each).gives, request)
      const gift = source === "its object" ? request.object : source
      return gift === undefined || !isPossible(each, request, gift) ? [] : [{ ...each, ...request, gift }]
    })
  )

/** Whether it may give, as the console's door decides. */
const mayGrant = (hand: Holder, gift: Gift): boolean => hand.is !== "operator" && lacking(hand, gift).length === 0

/** Whether a hand may do it, as the doors decide: two operators are two only where the hand has two of them. */
const isDone = (hand: Holder, { door, gift, ...tried }: Try, world: World, grants = mayGrant): boolean => {
  const mode = gift.is === "key" ? gift.mode : undefined
  const isOfSession = (isAsked: boolean) => world.isFresh || !isAsked
  if (door === "merchant") {
    const { scope, state } = merchantAct(tried.act as Operation)
    return hand.is === "key" && covers(hand.scopes, scope) && standingProblem(world.standing, now, state) === undefined
  }
  if (door === "console") {
    const name = tried.act as ConsoleActName
    const { fresh, state } = consoleAct(name)
    return (
      hand.is === "person" &&
      personMayDo(hand.role, name) &&
      standingProblem(world.standing, now, state!) === undefined &&
      forbiddenField(name, hand.role, { live: tried.payload["live"] }) === undefined &&
      grants(hand, gift) &&
      isOfSession(isForFresh(fresh, mode))
    )
  }
  const name = tried.act as OperatorActName
  const { fresh, ofTwo } = operatorAct(name)
  const request = { ...tried.payload, mode }
  const isOfTwo = ofTwo !== undefined && takesTwo(name as ActOfTwo, world.two, request)
  return (
    hand.is === "operator" && mayDo(hand.role, name) && (world.byToken || isOfSession(isForFresh(fresh))) && !isOfTwo
  )
}

/** The rights that one hand has alone. */
const held = (hand: Holder, { two }: World): ReadonlySet<string> => {
  if (hand.is !== "operator") return new Set(rightsOf(hand))
  const own = (Object.keys(operatorActs) as ReadonlyArray<OperatorActName>).filter((act) => mayDo(hand.role, act))
  const isOfTwo = (act: OperatorActName) =>
    operatorAct(act).ofTwo !== undefined && takesTwo(act as ActOfTwo, two, { mode: "live" })
  const viewers = rightsOf({ is: "person", role: "viewer" })
  // An admin has all of a merchant, but what takes two.
  const everything = [mainKey("sandbox"), mainKey("live"), { is: "person", role: "owner" } as const].flatMap(rightsOf)
  const ofMerchant = two.liveKeys === true ? [...rightsOf(mainKey("sandbox")), ...viewers] : everything
  return new Set([
    ...own.map((act) => `operator ${act}${isOfTwo(act) ? " as one of two" : ""}`),
    ...(hand.role === "admin" ? ofMerchant : [])
  ])
}

const role = fc.constantFrom(...PersonRole.literals)
const aMode = fc.constantFrom(...Mode.literals)
const someScopes = fc.oneof(fc.constant(all), fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 4 }))
const aKey = fc.record({ is: fc.constant("key" as const), mode: aMode, scopes: someScopes })
const aPerson = fc.record({ is: fc.constant("person" as const), role })
const anOperator = fc.record({ is: fc.constant("operator" as const), role: fc.constantFrom(...Role.literals, "admin") })
const aStart: fc.Arbitrary<Holder> = fc.oneof(
  { weight: 4, arbitrary: aPerson },
  { weight: 4, arbitrary: anOperator },
  { weight: 1, arbitrary: aKey }
)
const aTime = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(DateTime.subtract(now, { days: 1 }), DateTime.subtract(now, { days: 100 })) }
)
const aWorld: fc.Arbitrary<World> = fc.record({
  two: fc.constantFrom<TwoOperators>({}, { liveKeys: true }, { fees: true }, { liveKeys: true, approvals: true }),
  standing: fc.record({ suspended_at: aTime, closed_at: aTime }),
  isFresh: fc.constantFrom(true, true, false),
  byToken: fc.boolean()
})
const sometimes = <A>(value: A) => fc.constantFrom(value, undefined)
const aRequest: fc.Arbitrary<Request> = fc.record({
  params: fc.record({ mode: aMode }),
  payload: fc
    .record({
      mode: aMode,
      scopes: someScopes,
      role: fc.constantFrom(...PersonRole.literals, ...Role.literals),
      merchant_id: sometimes("mer_1"),
      approved: sometimes(true),
      live: sometimes({ ip_allowlist: "" }),
      ip_allowlist: sometimes("")
    })
    .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))),
  object: fc.oneof(aKey, aPerson)
})
const aWalk = fc.record({
  start: aStart,
  world: aWorld,
  steps: fc.array(fc.record({ requests: fc.array(aRequest, { minLength: 3, maxLength: 3 }), choice: fc.nat() }), {
    minLength: 3,
    maxLength: 3
  })
})

type Walk = typeof aWalk extends fc.Arbitrary<infer Walk> ? Walk : never

/** What the hand at the start has gained by way of up to three acts, and which acts it was. */
const walk = ({ start, steps, world }: Walk, grants = mayGrant) => {
  const had = held(start, world)
  const acts: Array<string> = []
  const gained: Array<string> = []
  let hand = start
  for (const { choice, requests } of steps) {
    const possible = triesOf(requests).filter((each) => isDone(hand, each, world, grants))
    if (possible.length === 0) break
    const { act, door, gift } = possible[choice % possible.length]!
    acts.push(`${door} ${act}`)
    // A secret that signs is no hand.
    if (gift.is === "secret") continue
    hand = gift
    gained.push(...[...held(hand, world)].filter((right) => !had.has(right)))
  }
  return { acts, gained }
}

describe("a right", () => {
  it("is obtained by no sequence of up to three acts from a start that did not have it", () => {
    const done = new Set<string>()
    fc.assert(
      fc.property(aWalk, (tried) => {
        const { acts, gained } = walk(tried)
        for (const act of acts) done.add(act)
        assert.deepStrictEqual(gained, [], `${JSON.stringify(tried.start)} by ${acts.join(", ")}`)
      }),
      { numRuns: 3_000 }
    )
    assert.sameMembers(
      [...done],
      giving.map(({ act, door }) => `${door} ${act}`),
      "each act that gives is done"
    )
  })

  it("is found by the same search where a door does not compare what is given with what is held", () => {
    const walks = fc.sample(aWalk, 1_000).map((tried) => walk(tried, () => true))
    assert.isTrue(walks.some(({ gained }) => gained.includes("live refunds:write")))
  })

  const requests = fc.sample(aRequest, 300)
  const tries = triesOf(requests)
  const calm: World = { two: {}, standing: { suspended_at: null, closed_at: null }, isFresh: true, byToken: false }
  const done = (world: World) => tries.filter((each) => everyone.some((hand) => isDone(hand, each, world)))

  it("is given by no session that was opened long ago, but for the sandbox's keys, and the approval of a merchant", () => {
    const old = done({ ...calm, isFresh: false })
    const keys = old.filter(({ act, gift }) => act !== "merchants.update" && gift.is !== "secret")
    for (const { door, gift } of keys) {
      assert.strictEqual(door, "console")
      assert.include(gift, { is: "key", mode: "sandbox" })
    }
    assert.isAbove(keys.length, 0)
  })

  it("cannot be given by people of a suspended or closed merchant", () => {
    for (const ended of [{ suspended_at: now }, { closed_at: now }]) {
      const standing = { ...calm.standing, ...ended }
      assert.deepStrictEqual(
        done({ ...calm, standing }).filter(({ door }) => door === "console"),
        []
      )
    }
  })

  it("that the giver has is given: an owner gives each role and each key, a developer the keys of its own scopes", () => {
    for (const role of PersonRole.literals) assert.deepStrictEqual(lacking(owner, { is: "person", role }), [])
    for (const mode of Mode.literals) {
      assert.deepStrictEqual(lacking(owner, mainKey(mode)), [])
      assert.deepStrictEqual(lacking(developer, { is: "key", mode, scopes: scopesOfRole("developer", mode) }), [])
    }
    assert.deepStrictEqual(lacking(developer, { is: "key", mode: "live", scopes: ["refunds:write", "orders:write"] }), [
      "live refunds:write"
    ])
  })

  it("that takes two to give as a key takes two to give as a role, and operators alone give what only reads", () => {
    for (const role of PersonRole.literals) {
      const writes = scopesOfRole(role, "live").some((scope) => scope.endsWith(":write"))
      assert.strictEqual(takesTwo("people.invite", { liveKeys: true }, { role, merchant_id: "mer_1" }), writes, role)
    }
  })
})

const owner: Person = { is: "person", role: "owner" }
const developer: Person = { is: "person", role: "developer" }
const everyone: ReadonlyArray<Holder> = [
  ...PersonRole.literals.map((role) => ({ is: "person", role }) as const),
  ...Role.literals.map((role) => ({ is: "operator", role }) as const),
  mainKey("sandbox"),
  mainKey("live")
]
