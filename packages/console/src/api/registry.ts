/** The one registry of atoms, and how a component follows one of them. */
import type * as Atom from "effect/reactivity/Atom"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import { useCallback, useSyncExternalStore } from "react"

export const registry = AtomRegistry.make({ defaultIdleTTL: 30_000 })

/** The value of the atom now, and again whenever it changes. */
export const useAtom = <A>(atom: Atom.Atom<A>): A =>
  useSyncExternalStore(
    useCallback((changed) => registry.subscribe(atom, changed), [atom]),
    useCallback(() => registry.get(atom), [atom])
  )
