/** Roles by the claims of an OpenID provider (docs/decisions/0092). */
import { claimedValues, readMappedRoles, rolesByClaim } from "@coffer/rules/people/openId"
import { assert, describe, it } from "@effect/vitest"

const shop = `mer_${"0".repeat(26)}`

describe("the mapping of roles", () => {
  it("names roles of the installation and of merchants, with white space around each entry", () => {
    assert.deepStrictEqual(readMappedRoles(` admins=admin, our owners =owner@${shop} ,,`), [
      { value: "admins", role: "admin", belongsTo: "installation" },
      { value: "our owners", role: "owner", belongsTo: shop }
    ])
    assert.deepStrictEqual(readMappedRoles(""), [])
  })

  it.each(["admins", "admins=", "=admin", "admins=owner", `admins=admin@${shop}`, "a=owner@mer_1", "a=admin;b=admin"])(
    "is nothing if one entry is wrong: %s",
    (text) => assert.isUndefined(readMappedRoles(`viewers=viewer,${text}`))
  )

  it("has a thousand entries at most", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `g${index}=viewer`).join(",")
    assert.lengthOf(readMappedRoles(many(1_000))!, 1_000)
    assert.isUndefined(readMappedRoles(many(1_001)))
  })
})

describe("the values of a claim", () => {
  const claims = { group: "a", groups: ["a", 1, null, "b"], "x.y": "dotted", realm: { roles: ["c"], none: null }, n: 5 }

  it.each([
    ["group", ["a"]],
    ["groups", ["a", "b"]],
    ["x.y", ["dotted"]],
    ["realm.roles", ["c"]],
    ["realm", []],
    ["realm.none.roles", []],
    ["realm.others", []],
    ["n.roles", []],
    ["group.0", []],
    ["none", []],
    ["toString", []],
    ["realm.toString", []]
  ])("%s are %s", (name, values) => assert.deepStrictEqual(claimedValues(claims, name), values))
})

describe("the roles of a person", () => {
  const mapped = readMappedRoles(`admins=admin,all=viewer,all=owner@${shop}`)!

  it("are those of the first entry that fits, for each place that the mapping names", () => {
    assert.deepStrictEqual(rolesByClaim(mapped, ["all", "admins"]), [
      { belongsTo: "installation", role: "admin" },
      { belongsTo: shop, role: "owner" }
    ])
    assert.deepStrictEqual(rolesByClaim(mapped, ["all"])[0], { belongsTo: "installation", role: "viewer" })
  })

  it("are absent where the entries do not match", () => {
    assert.deepStrictEqual(rolesByClaim(mapped, ["admins"]), [
      { belongsTo: "installation", role: "admin" },
      { belongsTo: shop, role: null }
    ])
  })
})
