/**
 * What was done, at the edge of the screen: the action, its object and, where there is one, the way back. A message
 * stays for ten seconds, and longer while it is looked at.
 */
import * as Atom from "effect/reactivity/Atom"
import { useEffect, useState } from "react"
import type { Outcome } from "../api/acts.ts"
import { registry, useAtom } from "../api/registry.ts"
import { useWords } from "./words.ts"

export type Undo = () => Promise<Outcome<unknown>>

interface Toast {
  readonly id: number
  readonly act: string
  /** It edited its object: "Changes saved" is what a person would say, not "Done: Edit". */
  readonly isEdit: boolean
  readonly object: string | undefined
  readonly undo: Undo | undefined
}

const texts = {
  en: {
    done: "Done:",
    saved: "Changes saved",
    undo: "Undo",
    undone: "Undone:",
    close: "Dismiss",
    failed: "Couldn't be undone:"
  },
  zh: { done: "已完成：", saved: "更改已保存", undo: "撤销", undone: "已撤销：", close: "关闭", failed: "无法撤销：" }
}

const shownMillis = 10_000
/** The oldest gives way. */
const toastsMax = 3

const toasts = Atom.keepAlive(Atom.make<ReadonlyArray<Toast>>([]))
let lastId = 0

interface Message extends Partial<Pick<Toast, "object" | "undo" | "isEdit">> {
  readonly act: string
}

export const tellDone = ({ act, isEdit = false, object, undo }: Message) =>
  registry.set(toasts, [...registry.get(toasts), { id: ++lastId, act, isEdit, object, undo }].slice(-toastsMax))

const remove = (id: number) =>
  registry.set(
    toasts,
    registry.get(toasts).filter((each) => each.id !== id)
  )

/** The region is always there, so that a screen reader notices what is added. */
export const Toasts = () => (
  <div className="toasts" role="status">
    {useAtom(toasts).map((toast) => (
      <Shown key={toast.id} toast={toast} />
    ))}
  </div>
)

const Shown = ({ toast: { act, id, isEdit, object, undo } }: { readonly toast: Toast }) => {
  const words = useWords(texts)
  const [isHeld, setHeld] = useState(false)
  const [state, setState] = useState<"done" | "working" | "undone" | "failed">("done")
  useEffect(() => {
    if (isHeld || state === "working") return
    const timer = setTimeout(() => remove(id), shownMillis)
    return () => clearTimeout(timer)
  }, [isHeld, state])
  const goBack = () => {
    setState("working")
    void undo?.().then((outcome) => setState("done" in outcome ? "undone" : "failed"))
  }
  const isGone = state === "undone" || state === "failed"
  const verb = isGone ? words[state] : words.done
  return (
    <div
      className={`toast ${state === "failed" ? "bad" : ""}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>
        {isEdit && !isGone ? words.saved : `${verb} ${act}`}
        {object !== undefined && (
          <>
            {" "}
            <span className="of">{object}</span>
          </>
        )}
      </span>
      {undo !== undefined && (state === "done" || state === "failed") && (
        <button type="button" className="button quiet small" onClick={goBack}>
          {words.undo}
        </button>
      )}
      <button type="button" className="icon" aria-label={words.close} onClick={() => remove(id)}>
        ✕
      </button>
    </div>
  )
}
