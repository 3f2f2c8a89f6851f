/** Nothing gives more than it has, at the three doors: the console, the operators' API, and keys (docs/security.md). */
import { ConsoleApi } from "@coffer/contract/Console"
import { OperatorApi } from "@coffer/contract/Operator"
import { Mode } from "@coffer/model/Ids"
import { PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { Scope } from "@coffer/model/Scopes"
import type { TwoOperators } from "@coffer/model/TwoOperators"
import { type ActName, acts, isOfFresh, mayDo, takesTwo } from "@coffer/rules/operator/acts"
import { type Standing, standingProblem } from "@coffer/rules/operator/standing"
import { type ConsoleActName, givenBy, isFresh, kindOfAct, personMayDo } from "@coffer/rules/people/consoleActs"
import { type Holder, isGivenFresh, type Key, lacking, type Person, rightsOf } from "@coffer/rules/people/rights"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { OpenApi } from "effect/http-api"
import * as fc from "fast-check"

const now = DateTime.makeUnsafe("2026-11-28T12:00:00.000Z")
const all = Scope.literals
const mainKey = (mode: Mode): Key => ({ is: "key", mode, scopes: all })

/** Where a sequence of acts begins. */
interface World {
  readonly two: TwoOperators
  readonly standing: Standing
  /** Whether the sessions of people and operators were opened a short time ago. */
  readonly isFresh: boolean
  /** Whether operators act by a token, which has no session, instead. */
  readonly byToken: boolean
  /** Keys of others. */
  readonly keys: ReadonlyArray<Key>
}

/** An act with its request, and what whoever does it may use afterwards. */
interface Try {
  readonly door: "console" | "operator"
  readonly act: string
  readonly request: Readonly<Record<string, unknown>>
  readonly gift: Holder
}

const triesOfKeys = ({ keys }: Pick<World, "keys">): ReadonlyArray<Try> =>
  (["console", "operator"] as const).flatMap((door) => [
    ...Mode.literals.flatMap((mode) => [
      ...[...all.map((scope) => [scope]), all].map((scopes): Try => ({
        door,
        act: "api_keys.create",
        request: { mode, scopes },
        gift: { is: "key", mode, scopes }
      })),
      {
        door,
        act: door === "console" ? "main_keys.reset" : "merchants.resetKey",
        request: { mode },
        gift: mainKey(mode)
      }
    ]),
    ...keys.flatMap((gift): ReadonlyArray<Try> => [
      { door, act: "api_keys.roll", request: { mode: gift.mode }, gift },
      { door, act: "api_keys.update", request: { mode: gift.mode, ip_allowlist: "" }, gift }
    ])
  ])

const triesOfPeople: ReadonlyArray<Try> = [
  ...PersonRole.literals.flatMap((role): ReadonlyArray<Try> => [
    { door: "console", act: "people.invite", request: { role }, gift: { is: "person", role } },
    { door: "console", act: "people.setRole", request: { role }, gift: { is: "person", role } },
    { door: "operator", act: "people.invite", request: { role, merchant_id: "mer_1" }, gift: { is: "person", role } }
  ]),
  ...Role.literals.flatMap((role): ReadonlyArray<Try> => [
    { door: "operator", act: "people.invite", request: { role }, gift: { is: "operator", role } },
    { door: "operator", act: "operators.create", request: { role, name: "Own" }, gift: { is: "operator", role } }
  ])
]

/** Whoever has made a merchant was shown its live key, which works once the merchant is approved. */
const approval: Try = {
  door: "operator",
  act: "merchants.update",
  request: { approved: true },
  gift: mainKey("live")
}

/** Whether a hand may do it, as the doors decide: two operators are two only where the hand has two of them. */
const isDone = (hand: Holder, { act, door, gift, request }: Try, world: World): boolean => {
  if (door === "console") {
    const name = act as ConsoleActName
    if (hand.is !== "person" || !personMayDo(hand.role, name)) return false
    if (standingProblem(world.standing, now, kindOfAct(name)) !== undefined) return false
    const given = gift as Key | Person
    return lacking(hand, given).length === 0 && (world.isFresh || !(isFresh(name) || isGivenFresh(given)))
  }
  const name = act as ActName
  if (hand.is !== "operator" || !mayDo(hand.role, name)) return false
  return (world.byToken || world.isFresh || !isOfFresh(name)) && !takesTwo(name, world.two, request)
}

/** The rights that one hand has alone. */
const held = (hand: Holder, world: World): ReadonlySet<string> => {
  if (hand.is !== "operator") return new Set(rightsOf(hand))
  const own = (Object.keys(acts) as ReadonlyArray<ActName>).filter((act) => mayDo(hand.role, act))
  const viewers = rightsOf({ is: "person", role: "viewer" })
  // An admin has all of a merchant, but what takes two.
  const everything = [mainKey("sandbox"), mainKey("live"), { is: "person", role: "owner" } as const].flatMap(rightsOf)
  const ofMerchant = world.two.liveKeys === true ? [...rightsOf(mainKey("sandbox")), ...viewers] : everything
  return new Set([
    ...own.map((act) => `operator ${act}${takesTwo(act, world.two, { mode: "live" }) ? " as one of two" : ""}`),
    ...(hand.role === "admin" ? ofMerchant : [])
  ])
}

const role = fc.constantFrom(...PersonRole.literals)
const aMode = fc.constantFrom(...Mode.literals)
const someScopes = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 })
const aKey = fc.record({ is: fc.constant("key" as const), mode: aMode, scopes: someScopes })
const aStart: fc.Arbitrary<Holder> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant("person" as const), role }) },
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant("operator" as const), role: fc.constantFrom(...Role.literals, "admin") })
  },
  { weight: 1, arbitrary: aKey }
)
const aTime = fc.constantFrom(
  null,
  null,
  null,
  null,
  DateTime.subtract(now, { days: 1 }),
  DateTime.subtract(now, { days: 100 })
)
const aWorld: fc.Arbitrary<World> = fc.record({
  two: fc.constantFrom<TwoOperators>({}, { liveKeys: true }, { fees: true }, { liveKeys: true, approvals: true }),
  standing: fc.record({ suspended_at: aTime, closed_at: aTime }),
  isFresh: fc.constantFrom(true, true, false),
  byToken: fc.boolean(),
  keys: fc.array(aKey, { maxLength: 3 })
})

describe("a right", () => {
  it("is obtained by no sequence of up to three acts from a start that did not have it", () => {
    let given = 0
    fc.assert(
      fc.property(aStart, aWorld, fc.infiniteStream(fc.nat()), (start, world, numbers) => {
        const tries = [...triesOfKeys(world), ...triesOfPeople, approval]
        const had = held(start, world)
        let hand = start
        for (let step = 0; step < 3; step++) {
          const possible = tries.filter((each) => isDone(hand, each, world))
          if (possible.length === 0) break
          // Each hand that there is was had by way of the one before.
          hand = possible[numbers.next().value! % possible.length]!.gift
          given++
          const gained = [...held(hand, world)].filter((right) => !had.has(right))
          assert.deepStrictEqual(gained, [], `${JSON.stringify(start)} became ${JSON.stringify(hand)}`)
        }
      }),
      { numRuns: 5_000 }
    )
    assert.isAbove(given, 1_000, "acts that give are done, too")
  })

  it("is given by no session that was opened long ago, but for the sandbox's keys", () => {
    const world: World = { two: {}, standing: active, isFresh: false, byToken: false, keys: [mainKey("live")] }
    const done = [...triesOfKeys(world), ...triesOfPeople].filter((each) =>
      everyone.some((hand) => isDone(hand, each, world))
    )
    assert.isTrue(
      done.every(
        ({ act, door, request }) => door === "console" && act === "api_keys.create" && request["mode"] === "sandbox"
      )
    )
    assert.isAbove(done.length, 0)
  })

  it("cannot be given by people of a suspended or closed merchant", () => {
    for (const standing of [
      { ...active, suspended_at: now },
      { ...active, closed_at: now }
    ]) {
      const world: World = { two: {}, standing, isFresh: true, byToken: false, keys: [mainKey("live")] }
      const tries = [...triesOfKeys(world), ...triesOfPeople].filter(({ door }) => door === "console")
      assert.isFalse(tries.some((each) => everyone.some((hand) => isDone(hand, each, world))))
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

const active: Standing = { suspended_at: null, closed_at: null }
const owner: Person = { is: "person", role: "owner" }
const developer: Person = { is: "person", role: "developer" }
const everyone: ReadonlyArray<Holder> = [
  ...PersonRole.literals.map((role) => ({ is: "person", role }) as const),
  ...Role.literals.map((role) => ({ is: "operator", role }) as const)
]

/** Fields of a body that say what a credential or a person may do, and fields of an answer that are a credential. */
const asked = /"(?:scopes|role)":\{/
const answered = /"(?:key|token|secret|sandbox_key|live_key|signing_secret)":\{/

/** The text of a schema of the document with all that it refers to. */
const whole = (schema: unknown, components: Record<string, unknown>): string => {
  const text = JSON.stringify(schema ?? {})
  const names = [...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name!)
  return [text, ...names.map((name) => whole(components[decodeURIComponent(name)], components))].join()
}

describe("the tables of acts", () => {
  const documents = [
    { document: OpenApi.fromApi(ConsoleApi), gives: (act: string) => givenBy(act as ConsoleActName) },
    { document: OpenApi.fromApi(OperatorApi), gives: (act: string) => acts[act as ActName]["gives" as never] }
  ]

  it("say what an act gives if its body grants rights, or its answer is a credential", () => {
    for (const { document, gives } of documents) {
      const components = (document.components?.schemas ?? {}) as Record<string, unknown>
      const operations = Object.values(document.paths).flatMap((path) => Object.values(path!)) as ReadonlyArray<{
        readonly operationId: string
        readonly requestBody?: unknown
        readonly responses: unknown
      }>
      const found = operations.filter(
        ({ requestBody, responses }) =>
          asked.test(whole(requestBody, components)) || answered.test(whole(responses, components))
      )
      assert.isAbove(found.length, 4)
      const silent = found.map(({ operationId }) => operationId).filter((act) => gives(act) === undefined)
      assert.deepStrictEqual(silent, [])
    }
  })
})
