/** All pages of the documents for agents, in one file that the site's build writes (packages/site). */
import type { SearchIndex } from "./find.ts"

export const textsFile = "texts.json.gz"

export interface Texts {
  readonly pages: ReadonlyArray<TextPage>
  readonly index: { readonly en: SearchIndex; readonly zh: SearchIndex }
}

export interface TextPage {
  /** Its address below `/docs`: `errors`, `guides/refunds`. */
  readonly page: string
  readonly title: string
  /** Whether it is for developers of merchants. */
  readonly isGuide: boolean
  /** From one heading to the next, in order, as Markdown. */
  readonly sections: ReadonlyArray<{ readonly id: string; readonly depth: number; readonly text: string }>
}
