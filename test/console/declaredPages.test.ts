/** The tables of pages, against the roles, the menu and the pages that the other tests look at. */
import { consoleActs, merchantActs, operatorActs } from "@coffer/contract/acts"
import { Mode } from "@coffer/model/Ids"
import { PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { covers } from "@coffer/model/Scopes"
import { mayDo, personMayDo } from "@coffer/rules/people/mayDo"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { assert, describe, it } from "@effect/vitest"
import { maySee } from "../../packages/console/src/merchant/maySee.ts"
import { merchantPages } from "../../packages/console/src/merchant/pages.ts"
import { operatorPages } from "../../packages/console/src/operator/pages.ts"
import { menuOf } from "../../packages/console/src/parts/menuOf.ts"
import { filesOfPage } from "../../packages/console/src/parts/pages.ts"
import { consoleTable, type Seeded } from "../kit/pages/consolePages.ts"

const ofMerchant = merchantPages.flatMap(({ pages }) => pages)
const ofOperators = operatorPages.flatMap(({ pages }) => pages)

/** How a person of a merchant sees it; `may` is what the service decides by. */
const personIn = (role: PersonRole, mode: Mode) => ({
  role,
  may: (scope: Parameters<typeof covers>[1]) => covers(scopesOfRole(role, mode), scope)
})

describe("the pages of the console", () => {
  it("read what the contract has", () => {
    const known = { ...merchantActs, ...consoleActs }
    assert.deepStrictEqual(
      ofMerchant.filter(({ reads }) => !(reads in known)),
      []
    )
    assert.deepStrictEqual(
      ofOperators.filter(({ reads }) => !(reads in operatorActs)),
      []
    )
  })

  it("are in the menu of each role exactly if the service answers what they read", () => {
    for (const role of PersonRole.literals) {
      for (const mode of Mode.literals) {
        const person = personIn(role, mode)
        const answers = (act: (typeof ofMerchant)[number]["reads"]) =>
          act in merchantActs
            ? person.may(merchantActs[act as keyof typeof merchantActs].scope)
            : personMayDo(role, act as keyof typeof consoleActs)
        const menu = menuOf(merchantPages, "en", ({ reads }) => maySee(person, reads)).flatMap(({ links }) =>
          links.map(([path]) => path)
        )
        const expected = ofMerchant
          .filter(({ isHidden, name, reads }) => name !== undefined && isHidden !== true && answers(reads))
          .map(({ path }) => path)
        assert.deepStrictEqual(menu, expected, `${role}, ${mode}`)
      }
    }
    for (const role of Role.literals) {
      const menu = menuOf(operatorPages, "en", ({ reads }) => mayDo(role, reads)).flatMap(({ links }) => links)
      const expected = ofOperators.filter(
        ({ isHidden, name, reads }) => name && isHidden !== true && mayDo(role, reads)
      )
      assert.strictEqual(menu.length, expected.length, role)
    }
  })

  it("keep the audit log from those who only read, help buyers or move money, and buyers' data from viewers", () => {
    const hidden = PersonRole.literals.map((role) => [
      role,
      ofMerchant.filter(({ reads }) => !maySee(personIn(role, "live"), reads)).map(({ path }) => path)
    ])
    assert.deepStrictEqual(hidden, [
      ["owner", []],
      ["developer", []],
      ["support", ["/audit"]],
      ["finance", ["/audit"]],
      ["viewer", ["/buyers", "/audit"]]
    ])
  })

  it("are all looked at in each language, size and scheme", () => {
    const seed = new Proxy({} as Seeded, { get: (_, name) => String(name) })
    const addresses = consoleTable.map(([, path]) => path(seed).replace(/\?.*/, ""))
    const isLookedAt = (base: string, path: string) => {
      const parts = path.replaceAll(/\/:\w+\?/g, "(/[^/]+)?").replaceAll(/:\w+/g, "[^/]+")
      return addresses.some((address) => new RegExp(`^${base}${parts}$`).test(address))
    }
    assert.deepStrictEqual(
      ofMerchant.filter(({ path }) => !isLookedAt("", path)).map(({ path }) => path),
      []
    )
    assert.deepStrictEqual(
      ofOperators.filter(({ path }) => !isLookedAt("/console/operator", path)).map(({ path }) => path),
      []
    )
  })

  it("have one file for each number of parts in their addresses", () => {
    assert.deepStrictEqual(filesOfPage("merchant", ""), ["merchant.html"])
    assert.deepStrictEqual(filesOfPage("merchant", "/orders/:number"), ["merchant-orders-one.html"])
    assert.deepStrictEqual(filesOfPage("operator", "/merchants/:merchantId/:mode?/:tab?"), [
      "operator-merchants-one.html",
      "operator-merchants-one-one.html",
      "operator-merchants-one-one-one.html"
    ])
  })
})
