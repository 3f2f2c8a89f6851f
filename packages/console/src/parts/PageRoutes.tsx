/** The pages of a table by their addresses: title, focus, and a notice in place of what the role may not see. */
import { useEffect, useRef } from "react"
import { Redirect, Route, Switch } from "wouter"
import { useNumber } from "./address.ts"
import { page } from "./Part.tsx"
import type { PageDeclaration, PageGroup } from "./pages.ts"
import { useLanguage, wordsIn } from "./words.ts"

/** Made once for a table: a lazily loaded component for each page. */
export const routesOf = <Act extends string>(groups: ReadonlyArray<PageGroup<Act>>) => {
  const declared = groups.flatMap(({ pages }) => pages)
  const nameOf = ({ name, path }: PageDeclaration<Act>) =>
    name ?? declared.find((each) => each.path === `/${path.split("/")[1]}`)?.name
  return declared.map((each) => ({ ...each, shownName: nameOf(each), Page: page(each.load) }))
}

interface Props<Act extends string> {
  readonly routes: ReturnType<typeof routesOf<Act>>
  readonly base: string
  /** At the end of each title: the merchant's environment, or the operators. */
  readonly place: string
  readonly sees: (act: Act) => boolean
  /** Shown instead of a page whose read the role may not do. */
  readonly refused: (act: Act) => React.ReactNode
}

export const PageRoutes = <Act extends string>({ base, place, refused, routes, sees }: Props<Act>) => {
  const language = useLanguage()
  return (
    <Switch>
      {routes.map(({ Page, path, reads, shownName }) => (
        <Route key={path} path={`${base}${path}`}>
          {(params) => (
            <>
              <Titled
                name={shownName === undefined ? "" : wordsIn(shownName, language)}
                place={place}
                isOfObject={path.includes(":number")}
              />
              {sees(reads) ? <Numbered page={Page} params={params} path={path} /> : refused(reads)}
            </>
          )}
        </Route>
      ))}
      <Route>
        <Redirect to={base} />
      </Route>
    </Switch>
  )
}

/** A page with the parts of its address. The object's number is read as it is in the address bar. */
const Numbered = (props: {
  readonly page: React.ComponentType<{ readonly number?: string }>
  readonly params: object
  readonly path: string
}) => {
  const { page: Page, params, path } = props
  const number = useNumber()
  return path.includes(":number") ? <Page key={number} {...params} number={number} /> : <Page {...params} />
}

/** The title of the document. */
const Titled = (props: { readonly name: string; readonly place: string; readonly isOfObject: boolean }) => {
  const number = useNumber()
  const title = [...(props.isOfObject ? [number] : []), props.name, props.place, "Coffer"].join(" · ")
  useEffect(() => {
    document.title = title
  }, [title])
  return null
}

/** Words that are spoken or pasted come without a key. */
const signsOfUse = ["keydown", "pointerdown", "input"] as const

/**
 * After a change of page the focus goes to its heading as soon as there is one, unless a person has begun to use the
 * page. The first page leaves it alone.
 */
export const useHeading = (path: string) => {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    const main = document.querySelector("#content")
    if (main === null) return
    const stop = () => {
      observer.disconnect()
      for (const sign of signsOfUse) removeEventListener(sign, stop)
    }
    const look = () => {
      const heading = main.querySelector<HTMLElement>("h1")
      if (heading === null) return
      if (!main.contains(document.activeElement)) {
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }
      stop()
    }
    const observer = new MutationObserver(look)
    observer.observe(main, { childList: true, subtree: true })
    for (const sign of signsOfUse) addEventListener(sign, stop)
    look()
    return stop
  }, [path])
}
