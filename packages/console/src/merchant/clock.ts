/**
 * The clock of the account whose objects a page shows. A sandbox may be ahead of real time, so deadlines and proposed
 * dates follow its clock.
 */
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { useEffect, useState } from "react"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useReader } from "./reader.ts"

/** How many milliseconds an account is ahead of real time; undefined while that is not known. */
export type Ahead = Atom.Atom<number | undefined>

/** The merchant's settings. */
export const settingsAtom = (merchantId: string) =>
  OwnApi.query("settings", "get", { params: { merchant_id: merchantId }, reactivityKeys: shown })

type Settings<E> = Atom.Atom<
  AsyncResult.AsyncResult<{ readonly data: { readonly sandbox: { readonly clock_ahead_ms: number } } }, E>
>

/** By the merchant's settings, as its people or operators read them. */
export const aheadIn = <E>(settings: Settings<E>, mode: "sandbox" | "live"): Ahead =>
  mode === "live"
    ? Atom.make<number | undefined>(0)
    : Atom.make((get) => {
        const found = AsyncResult.value(get(settings))
        return found._tag === "Some" ? found.value.data.sandbox.clock_ahead_ms : undefined
      })

const lookEvery = 30_000

/** The time of the account now, and again every half minute; undefined while it is not known. */
export const useNow = (): number | undefined => {
  const ahead = useAtom(useReader().ahead)
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), lookEvery)
    return () => clearInterval(timer)
  }, [])
  return ahead === undefined ? undefined : now + ahead
}
