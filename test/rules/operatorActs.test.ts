/** Which role may do what with the operator's API, and what takes two (docs/architecture.md, section 7). */
import { operatorAct, type OperatorActName, operatorActs } from "@coffer/contract/acts"
import { Role } from "@coffer/model/Role"
import { commonRole, isForFresh, mayDo, takesTwo } from "@coffer/rules/people/mayDo"
import { assert, describe, it } from "@effect/vitest"

const names = Object.keys(operatorActs) as ReadonlyArray<OperatorActName>
const whatMay = (role: Role, ...among: ReadonlyArray<OperatorActName>) => among.filter((act) => mayDo(role, act))

const forAdmins: ReadonlyArray<OperatorActName> = [
  "merchants.create",
  "cluster.kill",
  "cluster.drain",
  "merchants.update",
  "merchants.close",
  "merchants.resetKey",
  "merchants.signingSecret",
  "operators.create",
  "operators.list",
  "operators.revoke",
  "audit_log.list",
  "api_keys.create",
  "api_keys.update",
  "api_keys.roll",
  "people.list",
  "people.invite",
  "erasures.create",
  "exports.buyer",
  "exports.merchant",
  "people.remove",
  "people.recover"
]
const forSupport: ReadonlyArray<OperatorActName> = [
  "people.endSessions",
  "api_keys.revoke",
  "merchants.suspend",
  "merchants.resume",
  "files.upload",
  "webhook_deliveries.resend"
]
const forFinance: ReadonlyArray<OperatorActName> = [
  "channels.set",
  "reconciliation.begin",
  "orders.closePayment",
  "stray_sessions.close",
  "payouts.create",
  "payouts.approve",
  "payouts.reject",
  "payouts.complete",
  "payouts.fail"
]
const apart = new Set([...forAdmins, ...forSupport, ...forFinance])
const forEverybody = names.filter((act) => !apart.has(act))

describe("an act of the operator's API", () => {
  it("is done by the admin, and by the roles that the table names", () => {
    assert.deepStrictEqual(whatMay("admin", ...names), names)
    assert.deepStrictEqual(new Set(whatMay("viewer", ...names)), new Set(forEverybody))
    assert.deepStrictEqual(new Set(whatMay("support", ...names)), new Set([...forEverybody, ...forSupport]))
    assert.deepStrictEqual(new Set(whatMay("finance", ...names)), new Set([...forEverybody, ...forFinance]))
  })

  it("is logged where it is not open to everybody, but for the lists that only an admin reads", () => {
    const unlogged = names.filter((act) => !operatorAct(act).isLogged)
    assert.deepStrictEqual(
      new Set(unlogged),
      new Set([...forEverybody, "operators.list", "audit_log.list", "people.list"])
    )
  })

  it("leaves a note of who has read it where it shows what belongs to a merchant", () => {
    const seen = ["orders.list", "timelines.get", "webhook_deliveries.list", "webhook_deliveries.get"]
    const lookups = names.filter((act) => act.startsWith("lookup."))
    assert.deepStrictEqual(
      new Set(names.filter((act) => operatorAct(act).isSeen)),
      new Set([...seen, ...lookups] as ReadonlyArray<OperatorActName>)
    )
  })

  it("of an erasure, an export, settings or a note hides the words of people, and no other act hides anything", () => {
    const hiding = ["merchants.update", "erasures.create", "exports.buyer", "stray_sessions.close"]
    assert.sameMembers(
      names.filter((act) => operatorAct(act).hidesWords),
      hiding
    )
  })

  it("needs a person who has just signed in where it makes or shows a credential, or lets a person in", () =>
    assert.deepStrictEqual(
      names.filter((act) => isForFresh(operatorAct(act).fresh)),
      [
        "merchants.create",
        "merchants.resetKey",
        "merchants.signingSecret",
        "api_keys.create",
        "api_keys.update",
        "api_keys.roll",
        "operators.create",
        "people.invite",
        "people.recover"
      ]
    ))

  it("of a token is limited to what both the token's role and its person's role may do", () => {
    for (const one of Role.literals) {
      for (const other of Role.literals) {
        const common = commonRole(one, other)
        assert.strictEqual(common, commonRole(other, one))
        for (const act of names) {
          if (mayDo(common, act)) assert.isTrue(mayDo(one, act) && mayDo(other, act), `${one} and ${other}: ${act}`)
        }
      }
      assert.strictEqual(commonRole(one, one), one)
      assert.strictEqual(commonRole("admin", one), one)
    }
  })
})

describe("two operators", () => {
  it("do nothing that the table does not name", () => {
    const taking = [
      "merchants.update",
      "merchants.close",
      "merchants.resetKey",
      "merchants.signingSecret",
      "api_keys.create",
      "api_keys.update",
      "api_keys.roll",
      "channels.set",
      "payouts.approve",
      "operators.create",
      "people.invite",
      "people.recover"
    ]
    assert.deepStrictEqual(
      names.filter((act) => operatorAct(act).ofTwo !== undefined),
      taking as ReadonlyArray<OperatorActName>
    )
    assert.isFalse(taking.includes("payouts.complete"))
  })

  it("change a merchant's fees, each of the three kinds", () => {
    for (const name of ["fees", "dispute_fee", "payout_fee"]) {
      assert.isTrue(takesTwo("merchants.update", { fees: true }, { [name]: {} }), name)
    }
    assert.isFalse(takesTwo("merchants.update", { fees: true }, { name: "Shop", approved: true }))
    assert.isFalse(takesTwo("merchants.update", { approvals: true }, { fees: {} }))
  })

  it("approve a merchant, where one alone takes the approval away", () => {
    assert.isTrue(takesTwo("merchants.update", { approvals: true }, { approved: true }))
    assert.isFalse(takesTwo("merchants.update", { approvals: true }, { approved: false }))
    assert.isFalse(takesTwo("merchants.update", {}, { approved: true }))
  })

  it("reset, make or roll a live key, or see a live secret, where one alone does it in the sandbox", () => {
    const live = ["merchants.resetKey", "merchants.signingSecret", "api_keys.create", "api_keys.roll"] as const
    for (const act of live) {
      assert.isTrue(takesTwo(act, { liveKeys: true }, { mode: "live" }), act)
      assert.isFalse(takesTwo(act, { liveKeys: true }, { mode: "sandbox" }), act)
      assert.isFalse(takesTwo(act, { fees: true }, { mode: "live" }), act)
    }
  })

  it("change the addresses of a live key, or of the live environment, where one alone gives it another name", () => {
    const addresses = { ip_allowlist: "" }
    assert.isTrue(takesTwo("api_keys.update", { liveKeys: true }, { mode: "live", ...addresses }))
    assert.isFalse(takesTwo("api_keys.update", { liveKeys: true }, { mode: "sandbox", ...addresses }))
    assert.isFalse(takesTwo("api_keys.update", { liveKeys: true }, { mode: "live", name: "Books" }))
    assert.isTrue(takesTwo("merchants.update", { liveKeys: true }, { live: addresses }))
    assert.isTrue(takesTwo("merchants.update", { liveKeys: true }, { approved: true }))
    assert.isFalse(takesTwo("merchants.update", { liveKeys: true }, { approved: false }))
    assert.isFalse(takesTwo("merchants.update", { liveKeys: true }, { live: null, sandbox: addresses }))
    assert.isFalse(takesTwo("merchants.update", { fees: true }, { live: addresses }))
  })

  it("give a person a role at a merchant by which live objects change, since such a person makes live keys", () => {
    for (const role of ["owner", "developer", "support", "finance"]) {
      assert.isTrue(takesTwo("people.invite", { liveKeys: true }, { role, merchant_id: "mer_1" }), role)
      assert.isFalse(takesTwo("people.invite", { channels: true }, { role, merchant_id: "mer_1" }), role)
    }
    assert.isFalse(takesTwo("people.invite", { liveKeys: true }, { role: "viewer", merchant_id: "mer_1" }))
  })

  it("set a merchant's channel, whichever it is", () => {
    assert.isTrue(takesTwo("channels.set", { channels: true }, {}))
    assert.isFalse(takesTwo("channels.set", { fees: true }, {}))
  })

  it("approve a payout that is only requested, also where every amount takes two", () => {
    assert.isTrue(takesTwo("payouts.approve", { payoutsAbove: 0 }, { status: "requested" }))
    assert.isFalse(takesTwo("payouts.approve", { payoutsAbove: 0 }, { status: "approved" }))
    assert.isFalse(takesTwo("payouts.approve", { fees: true }, { status: "requested" }))
  })

  it("reset the access of an operator or a merchant's last owner, whatever the settings say, and one resets others", () => {
    for (const recovers of ["operator", "last_owner"]) {
      assert.isTrue(takesTwo("people.recover", {}, { recovers }))
    }
    assert.isFalse(takesTwo("people.recover", { fees: true }, { recovers: "other" }))
  })

  it("make another operator as soon as anything takes two", () => {
    assert.isTrue(takesTwo("operators.create", { fees: true }, {}))
    assert.isFalse(takesTwo("operators.create", {}, {}))
    assert.isTrue(takesTwo("people.invite", { fees: true }, { role: "admin" }))
    assert.isFalse(takesTwo("people.invite", { fees: true }, { role: "owner", merchant_id: "mer_1" }))
  })
})
