/** Roles of a merchant's people: acts in the console, settings, scopes of their pages, and sessions (silences: U26). */
import { consoleAct, type ConsoleActName, consoleActs } from "@coffer/contract/acts"
import type { PersonRole } from "@coffer/model/PersonRole"
import { Scope } from "@coffer/model/Scopes"
import { forbiddenField, isForFresh, personMayDo } from "@coffer/rules/people/mayDo"
import { mayMoveMany, scopesOfRole } from "@coffer/rules/people/roleScopes"
import { normalEmail, sessionLimits } from "@coffer/rules/people/signIn"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"

const roles: ReadonlyArray<PersonRole> = ["owner", "developer", "support", "finance", "viewer"]
const names = Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>
const isOfMerchant = (act: ConsoleActName) => typeof consoleAct(act).by !== "string"
const doers = (act: ConsoleActName) => roles.filter((role) => personMayDo(role, act))

describe("an act in the console", () => {
  it("is done by the owner, and by the roles that the table names", () => {
    assert.deepStrictEqual(doers("people.invite"), ["owner"])
    assert.deepStrictEqual(doers("api_keys.create"), ["owner", "developer"])
    assert.deepStrictEqual(doers("saved_views.remove"), roles)
    assert.deepStrictEqual(doers("overview.get"), roles)
    assert.deepStrictEqual(doers("people.list"), roles)
  })

  it("about oneself, or without a session, is done by every role", () => {
    for (const act of ["session.list", "passkeys.rename", "sign_in.ask"] as const) {
      assert.deepStrictEqual(doers(act), roles, act)
    }
  })

  it("is in the audit log unless it only reads, asks for a challenge, saves a view, or is about notifications of oneself", () =>
    assert.deepStrictEqual(
      names.filter((act) => !consoleAct(act).isLogged),
      "sign_in.ask sign_in.askPasskey sign_in.askOpenId session.get session.list passkeys.list passkeys.ask invitations.list"
        .split(" ")
        .concat(
          "people.list api_keys.list main_keys.get settings.get audit_log.list payouts.list payouts.get".split(" "),
          "overview.get search.find saved_views.list saved_views.create saved_views.update".split(" "),
          "saved_views.remove notifications.list notifications.markRead notifications.getSettings".split(" "),
          "notifications.updateSettings quotas.get".split(" ")
        )
    ))

  it("is open to a session that has to get a passkey if it gets one, or ends the session", () =>
    assert.deepStrictEqual(
      names.filter((act) => consoleAct(act).isOpen),
      ["session.get", "session.end", "passkeys.list", "passkeys.ask", "passkeys.register", "invitations.list"]
    ))

  it("needs a session that was opened a short time ago if it changes who gets in, or stops the shop", () =>
    assert.deepStrictEqual(
      names.filter((act) => isForFresh(consoleAct(act).fresh)),
      [
        "passkeys.ask",
        "passkeys.register",
        "passkeys.remove",
        "people.invite",
        "people.sendAgain",
        "people.setRole",
        "people.recover",
        "main_keys.reset"
      ]
    ))

  it("of a closed merchant's people is allowed if it only reads or removes rights", () =>
    assert.deepStrictEqual(
      names.filter((act) => isOfMerchant(act) && consoleAct(act).state !== "new" && consoleAct(act).isLogged),
      ["people.remove", "people.endSessions", "api_keys.endPrevious", "api_keys.revoke", "main_keys.endPrevious"]
    ))

  it("of a closed merchant's people is allowed for each action that the audit log does not record", () =>
    assert.isTrue(names.every((act) => consoleAct(act).isLogged || consoleAct(act).state !== "new")))

  it("of a suspended merchant's people is allowed if it ends sessions or keys, or lists them", () =>
    assert.deepStrictEqual(
      names.filter((act) => consoleAct(act).state === "protects"),
      [
        "people.list",
        "people.endSessions",
        "api_keys.list",
        "api_keys.endPrevious",
        "api_keys.revoke",
        "main_keys.endPrevious"
      ]
    ))
})

describe("settings", () => {
  it("are changed by the owner", () =>
    assert.isUndefined(forbiddenField("settings.update", "owner", { time_zone: "UTC", live: { ip_allowlist: [] } })))

  it("of the sandbox, and where live events go, are changed by a developer, too; the first other one is named", () => {
    const allowed = { sandbox: {}, sandbox_url: "", live: { default_notify_url: null } }
    assert.isUndefined(forbiddenField("settings.update", "developer", allowed))
    assert.strictEqual(
      forbiddenField("settings.update", "developer", { ...allowed, time_zone: "UTC", name: "" }),
      "time_zone"
    )
    assert.strictEqual(
      forbiddenField("settings.update", "developer", { live: { ip_allowlist: [] } }),
      "live.ip_allowlist"
    )
    assert.strictEqual(
      forbiddenField("settings.update", "developer", { default_notify_url: null }),
      "default_notify_url"
    )
  })

  it("are changed by no other role, and a field that is left out changes nothing", () => {
    assert.strictEqual(forbiddenField("settings.update", "support", { sandbox: {} }), "sandbox")
    assert.isUndefined(forbiddenField("settings.update", "viewer", { time_zone: undefined }))
    assert.isUndefined(forbiddenField("settings.update", "viewer", {}))
  })
})

describe("the scopes of a role", () => {
  const reads = Scope.literals.filter((scope) => scope.endsWith(":read"))
  const writes = (role: PersonRole, mode: "sandbox" | "live") =>
    scopesOfRole(role, mode).filter((scope) => scope.endsWith(":write"))

  it("let every role read everything in both environments, but no viewer export a buyer's data", () => {
    for (const role of roles) {
      const read = role === "viewer" ? reads.filter((scope) => scope !== "exports:read") : reads
      for (const mode of ["sandbox", "live"] as const) assert.includeMembers([...scopesOfRole(role, mode)], read)
    }
  })

  it("let live objects be changed by those whose work it is", () => {
    assert.deepStrictEqual(scopesOfRole("owner", "live"), Scope.literals)
    assert.deepStrictEqual(writes("developer", "live"), ["orders:write", "payment_links:write", "webhooks:write"])
    assert.deepStrictEqual(writes("support", "live"), [
      "orders:write",
      "refunds:write",
      "disputes:write",
      "payment_links:write"
    ])
    assert.deepStrictEqual(writes("finance", "live"), ["refunds:write", "disputes:write", "reports:write"])
    assert.deepStrictEqual(writes("viewer", "live"), [])
  })

  it("let only owners and finance move live money of many objects by one act", () => {
    const may = (mode: "sandbox" | "live") => roles.filter((role) => mayMoveMany(role, mode))
    assert.sameMembers(may("live"), ["owner", "finance"])
    assert.sameMembers(may("sandbox"), [...roles])
  })

  it("let nobody who only reads export what there is about a buyer", () =>
    assert.deepStrictEqual(
      roles.filter((role) => scopesOfRole(role, "live").includes("exports:read")),
      ["owner", "developer", "support", "finance"]
    ))

  it("let all but viewers try everything in the sandbox; erasures only owners and developers", () => {
    for (const role of ["owner", "developer"] as const) {
      assert.deepStrictEqual(scopesOfRole(role, "sandbox"), Scope.literals)
    }
    for (const role of ["support", "finance"] as const) {
      assert.deepStrictEqual(
        Scope.literals.filter((scope) => !scopesOfRole(role, "sandbox").includes(scope)),
        ["erasures:write"]
      )
    }
    assert.deepStrictEqual(writes("viewer", "sandbox"), [])
  })
})

describe("a person's session", () => {
  it("ends after 12 hours without a request, or after 7 days; that of an operator after 1 and after 12 hours", () => {
    const hours = (isOperator: boolean) => Object.values(sessionLimits(isOperator)).map(Duration.toHours)
    assert.deepStrictEqual(
      [hours(false), hours(true)],
      [
        [12, 168],
        [1, 12]
      ]
    )
  })

  it("is of an address in lower case, without white space around it", () =>
    assert.strictEqual(normalEmail(" Jane@Shop.Example\n"), "jane@shop.example"))
})
