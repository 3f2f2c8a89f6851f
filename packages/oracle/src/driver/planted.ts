/**
 * Faults that the service once had, each as a change of one line. A campaign has to find them: `npm run oracle --
 * --planted "a link that is off makes orders"`.
 */
import { type Change, changeSources, faultsNamed } from "./changeSources.ts"

export const plantedFaults: Readonly<Record<string, Change>> = {
  "an erasure takes in a longer address": {
    file: "/packages/rules/src/wholeAddress.ts",
    from: "if (start === undefined || !isWholeBefore(text, start, isOne)) continue",
    to: "if (start === undefined) continue"
  },
  "a link that is off makes orders": {
    file: "/packages/rules/src/link/PaymentLink.ts",
    from: `if (status === "inactive") return "inactive"`,
    to: ""
  },
  "a developer gives rights that a developer lacks": {
    file: "/packages/rules/src/people/rights.ts",
    from: "return rightsOf(gift).filter((right) => !held.includes(right))",
    to: "return held.slice(0, 0)"
  },
  "an operator's misspelt field is passed over": {
    file: "/src/door/edge/unknownNames.ts",
    from: ` || !route.startsWith("/v1/")`,
    to: ` || route === ""`
  },
  "a path in another spelling is taken": {
    file: "/src/door/edge/routes.ts",
    from: "=> otherSpelling.test(path)",
    to: "=> otherSpelling.test(path) && path.length > 1_000"
  },
  "an archive has the operators' note": {
    file: "/packages/resources/src/merchants.ts",
    from: `note: forOperators("person")`,
    to: `note: shown("person")`
  },
  "an erased order refuses its own terms": {
    file: "/src/money/orders/Orders.ts",
    from: "Option.isSome(erased) && erased.value === termsHash(wanted)",
    to: "Option.isSome(erased) && erased.value !== termsHash(wanted)"
  },
  "a timeline shows what a key may not read": {
    file: "/src/reads/timeline/TimelineView.ts",
    from: "scopes === undefined || covers(scopes, entryScopes[kind])",
    to: "scopes === undefined || kind.length > 0"
  },
  "a suspended merchant's owner makes keys": {
    file: "/src/door/edge/peopleDoors.ts",
    from: `Option.isNone(found) ? undefined : standingProblem(found.value, now, consoleAct(act).state ?? "new")`,
    to: `Option.isNone(found) ? undefined : standingProblem({ ...found.value, suspended_at: null }, now, "kept")`
  }
}

/** Before the service is loaded. */
export const plant = (names: ReadonlyArray<string>) => {
  if (names.length > 0) changeSources(faultsNamed(plantedFaults, names))
}
