/** Roles of a merchant's people: acts in the console, settings, scopes of their pages, and sessions (silences: U26). */
import type { PersonRole } from "@coffer/model/PersonRole"
import { Scope } from "@coffer/model/Scopes"
import {
  consoleActOf,
  type ConsoleActName,
  consoleActs,
  isFresh,
  isOpen,
  kindOfAct,
  personMayDo
} from "@coffer/rules/people/consoleActs"
import { mayMoveMany, scopesOfRole } from "@coffer/rules/people/roleScopes"
import { forbiddenSetting, needsFreshSession } from "@coffer/rules/people/settingsRoles"
import { normalEmail, sessionLimits } from "@coffer/rules/people/signIn"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"

const roles: ReadonlyArray<PersonRole> = ["owner", "developer", "support", "finance", "viewer"]
const names = Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>
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

  it("is called by its endpoint's group and name", () =>
    assert.strictEqual(consoleActOf("people", "invite"), "people.invite"))

  it("is in the audit log unless it only reads, asks for a challenge, or saves a view", () =>
    assert.deepStrictEqual(
      names.filter((act) => !consoleActs[act].isLogged),
      "sign_in.ask sign_in.askPasskey sign_in.askOpenId session.get session.list passkeys.list passkeys.ask invitations.list"
        .split(" ")
        .concat(
          "people.list api_keys.list settings.get audit_log.list payouts.list payouts.get".split(" "),
          "overview.get saved_views.list saved_views.create saved_views.update saved_views.remove quotas.get".split(" ")
        )
    ))

  it("is open to a session that has to get a passkey if it gets one, or ends the session", () =>
    assert.deepStrictEqual(names.filter(isOpen), [
      "session.get",
      "session.end",
      "passkeys.list",
      "passkeys.ask",
      "passkeys.register",
      "invitations.list"
    ]))

  it("needs a session that was opened a short time ago if it changes who gets in, or stops the shop", () =>
    assert.deepStrictEqual(names.filter(isFresh), [
      "passkeys.ask",
      "passkeys.register",
      "passkeys.remove",
      "people.invite",
      "people.sendAgain",
      "people.setRole",
      "people.recover",
      "main_keys.reset"
    ]))

  it("of a closed merchant's people goes on if it only reads, or takes rights away", () =>
    assert.deepStrictEqual(
      names.filter((act) => kindOfAct(act) !== "new" && consoleActs[act].isLogged),
      ["people.remove", "people.endSessions", "api_keys.revoke"]
    ))

  it("of a closed merchant's people goes on for each act that the audit log does not have", () =>
    assert.isTrue(names.every((act) => consoleActs[act].isLogged || kindOfAct(act) !== "new")))

  it("of a suspended merchant's people goes on if it ends sessions or keys, or shows which there are", () =>
    assert.deepStrictEqual(
      names.filter((act) => kindOfAct(act) === "protects"),
      ["people.list", "people.endSessions", "api_keys.list", "api_keys.revoke"]
    ))
})

describe("settings", () => {
  it("are changed by the owner", () =>
    assert.isUndefined(forbiddenSetting("owner", { time_zone: "UTC", live: { ip_allowlist: [] } })))

  it("of the sandbox, and where live events go, are changed by a developer, too; the first other one is named", () => {
    const allowed = { sandbox: {}, sandbox_url: "", live: { default_notify_url: null } }
    assert.isUndefined(forbiddenSetting("developer", allowed))
    assert.strictEqual(forbiddenSetting("developer", { ...allowed, time_zone: "UTC", name: "" }), "time_zone")
    assert.strictEqual(forbiddenSetting("developer", { live: { ip_allowlist: [] } }), "live.ip_allowlist")
    assert.strictEqual(forbiddenSetting("developer", { default_notify_url: null }), "default_notify_url")
  })

  it("are changed by no other role, and a field that is left out changes nothing", () => {
    assert.strictEqual(forbiddenSetting("support", { sandbox: {} }), "sandbox")
    assert.isUndefined(forbiddenSetting("viewer", { time_zone: undefined }))
    assert.isUndefined(forbiddenSetting("viewer", {}))
  })

  it("that let keys in need a session that was opened a short time ago", () => {
    assert.isTrue(needsFreshSession({ time_zone: "UTC", live: { ip_allowlist: [] } }))
    assert.isFalse(needsFreshSession({ ip_allowlist: [], live: { default_notify_url: null } }))
    assert.isFalse(needsFreshSession({}))
  })
})

describe("the scopes of a role", () => {
  const reads = Scope.literals.filter((scope) => scope.endsWith(":read"))
  const writes = (role: PersonRole, mode: "sandbox" | "live") =>
    scopesOfRole(role, mode).filter((scope) => scope.endsWith(":write"))

  it("let every role read everything, in both environments", () => {
    for (const role of roles) {
      for (const mode of ["sandbox", "live"] as const) assert.includeMembers([...scopesOfRole(role, mode)], reads)
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
