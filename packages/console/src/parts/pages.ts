/**
 * How pages are declared: address, file, menu, and the read that a role needs for it. The menu, the router, titles,
 * the preloads of `scripts/build.ts` and the tests follow from the tables (`merchant/pages.ts`, `operator/pages.ts`).
 */
import type { ComponentType } from "react"
import type { Worded } from "./words.ts"

type Words = Worded<string>

export interface PageDeclaration<Act extends string> {
  /** Behind the base, with names of parameters: `/orders/:number`. */
  readonly path: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each page has parameters of its own
  readonly load: () => Promise<{ readonly default: ComponentType<any> }>
  /** The read that it shows. */
  readonly reads: Act
  /** Its name in the menu and in its title. The page of an object has the name of the list. */
  readonly name?: Words
  /** Other pages lead to it, and not the menu. */
  readonly isHidden?: true
  /** A page that only the sandbox has. */
  readonly isOfSandbox?: true
}

export interface PageGroup<Act extends string> {
  readonly title?: Words
  readonly pages: ReadonlyArray<PageDeclaration<Act>>
}

/** The files of the service for such an address, one for each number of parts (`src/door/console/ConsoleHttp.ts`). */
export const filesOfPage = (area: "merchant" | "operator", path: string): ReadonlyArray<string> => {
  const [first, ...rest] = path.split("/").filter((part) => part !== "")
  const least = rest.filter((part) => !part.endsWith("?")).length
  return Array.from({ length: rest.length - least + 1 }, (_, more) => {
    const parts = [area, ...(first === undefined ? [] : [first]), ...Array<string>(least + more).fill("one")]
    return `${parts.join("-")}.html`
  })
}
