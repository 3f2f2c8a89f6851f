/** The one registry of atoms, and how a component follows one of them. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import { useCallback, useEffect, useSyncExternalStore } from "react"

export const registry = AtomRegistry.make({ defaultIdleTTL: 30_000 })

/** The value of the atom now, and again whenever it changes. */
export const useAtom = <A>(atom: Atom.Atom<A>): A =>
  useSyncExternalStore(
    useCallback((changed) => registry.subscribe(atom, changed), [atom]),
    useCallback(() => registry.get(atom), [atom])
  )

/** What was read last, also while it is read again and if that fails. Undefined before the first answer. */
export const lastOf = <A, E>(result: AsyncResult.AsyncResult<A, E>): A | undefined =>
  Option.getOrUndefined(AsyncResult.value(result))

/** Milliseconds between two reads of an object that is open. */
export const objectEvery = 10_000

/** The same for a query that is refreshed each `every` milliseconds while the page is visible; 0 for never. */
export const useLive = <A>(atom: Atom.Atom<A>, every: number): A => {
  useEffect(() => {
    if (every === 0) return
    const timer = setInterval(() => document.visibilityState === "visible" && registry.refresh(atom), every)
    return () => clearInterval(timer)
  }, [atom, every])
  return useAtom(atom)
}
