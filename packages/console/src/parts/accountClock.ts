/**
 * The clock of the account that a page is about. A sandbox may be ahead of real time, so deadlines and proposed dates
 * follow its clock. Pages that are about no account follow real time.
 */
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { createContext, useContext, useEffect, useState } from "react"
import { lastOf, useAtom } from "../api/registry.ts"

/** How many milliseconds an account is ahead of real time; undefined while that is not known. */
type Ahead = Atom.Atom<number | undefined>

const realTime: Ahead = Atom.make<number | undefined>(0)

export const AheadContext = createContext(realTime)

type Settings<E> = Atom.Atom<
  AsyncResult.AsyncResult<{ readonly data: { readonly sandbox: { readonly clock_ahead_ms: number } } }, E>
>

/** By the merchant's settings, as its people or operators read them. */
export const aheadIn = <E>(settings: Settings<E>, mode: "sandbox" | "live"): Ahead =>
  mode === "live" ? realTime : Atom.make((get) => lastOf(get(settings))?.data.sandbox.clock_ahead_ms)

/** How many milliseconds the account is ahead of real time; 0 while that is not known. */
export const useAhead = (): number => useAtom(useContext(AheadContext)) ?? 0

const lookEvery = 30_000

/** The time of the account now, and again every half minute; undefined while it is not known. */
export const useNow = (): number | undefined => {
  const ahead = useAtom(useContext(AheadContext))
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), lookEvery)
    return () => clearInterval(timer)
  }, [])
  return ahead === undefined ? undefined : now + ahead
}
