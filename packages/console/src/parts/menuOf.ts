/** The menu that follows from a table of pages. */
import type { PageDeclaration, PageGroup } from "./pages.ts"
import { type Language, wordsIn } from "./words.ts"

/** The menu's links, for a reader who may do these reads. */
export const menuOf = <Act extends string>(
  groups: ReadonlyArray<PageGroup<Act>>,
  language: Language,
  sees: (page: PageDeclaration<Act>) => boolean
) =>
  groups
    .map(({ pages, title }) => ({
      ...(title === undefined ? {} : { title: wordsIn(title, language) }),
      links: pages.flatMap((page) =>
        page.name !== undefined && page.isHidden !== true && sees(page)
          ? [[page.path, wordsIn(page.name, language)] as const]
          : []
      )
    }))
    .filter(({ links }) => links.length > 0)
