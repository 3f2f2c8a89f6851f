/**
 * An action on a page: a button opens a dialog that describes the effect, has the fields, and shows the same action as
 * curl, SDK and command line. While it runs it cannot be sent again. A refusal is shown above the button.
 */
import { createContext, useCallback, useContext, useEffect, useId, useLayoutEffect, useRef, useState } from "react"
import { ActKeys, withKeys } from "../api/actKeys.ts"
import type { Outcome } from "../api/acts.ts"
import { awaySince } from "../api/connection.ts"
import { useAtom } from "../api/registry.ts"
import { ChangedMeanwhile } from "./ChangedMeanwhile.tsx"
import { AsCode, type Call } from "./AsCode.tsx"
import { RefusedContext, useRefusals } from "./refused.tsx"
import { Trouble } from "./states.tsx"
import { tellDone, type Undo } from "./toasts.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    cancel: "Cancel",
    working: "Working…",
    away: "Actions are disabled while the service is not responding.",
    close: "Close",
    finished: "Done",
    amount: "An amount such as 12.34, without thousands separators",
    lost: "No response. Press the button again: the action runs only once, no matter how often you press.",
    lostOnce: "No response. The action may have been carried out: close this and check before you try again."
  },
  zh: {
    cancel: "取消",
    working: "处理中…",
    away: "服务没有响应，暂时无法操作。",
    close: "关闭",
    finished: "完成",
    amount: "金额，例如 12.34，不含千位分隔符",
    lost: "没有收到响应。请再次点击按钮：无论点击多少次，都只会执行一次。",
    lostOnce: "没有收到响应，操作可能已经执行。请先关闭此窗口并核实，再决定是否重试。"
  }
}

export interface ActProps<Done = unknown> {
  /** On the button and as the title of the dialog. */
  readonly name: string
  /** The shorter label of the button, if its surroundings make the object clear. */
  readonly label?: string
  /** The effect of the action, and whether it can be undone. */
  readonly says?: React.ReactNode
  /** What it acts on, if that is not the object of the page: in the dialog and in the message that it was done. */
  readonly object?: string | undefined
  /** Makes it a dangerous one: what it acts on, which its dialog always names. */
  readonly endangers?: string | typeof thisPage | undefined
  readonly isPrimary?: boolean
  /** It edits its object, as an action with a version does: the message is that the changes are saved. */
  readonly isEdit?: boolean
  /** A summary or a result that needs more room. */
  readonly isWide?: boolean
  /** Whether the answer means that it was done; by default it does. */
  readonly isTold?: (done: Done) => boolean
  /** What takes it back, offered once it was done. */
  readonly undo?: Undo | undefined
  /** The fields, as named uncontrolled inputs. */
  readonly fields?: React.ReactNode
  /** Runs it with the typed values. `replaces`: the version of the initial values. */
  readonly run: (typed: FormData, replaces: string | undefined) => Promise<Outcome<Done>>
  /** The current version of the object whose values are in the fields. */
  readonly version?: string | undefined
  /** Reloads the object if another person may have changed it. */
  readonly onChanged?: (() => void) | undefined
  /** The same action as code, with the current input. */
  readonly code?: (typed: FormData) => Call
  readonly onDone?: (() => void) | undefined
  /** The part of the answer to show instead of closing: a secret that is shown once. */
  readonly result?: (done: Done) => React.ReactNode
  /** Why it is disabled now, shown instead of the dialog. */
  readonly notNow?: string | undefined
}

/** What an action on the object of the page endangers. */
export const thisPage = Symbol("the object of the page")

/** The object of a page: its number, and what the dialogs of its actions show of it. */
export const PageObject = createContext<{ readonly number: string; readonly shown: React.ReactNode } | undefined>(
  undefined
)

export const Act = <Done,>(props: ActProps<Done>) => {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useFocusAfter(button)
  const isAway = useAtom(awaySince) !== undefined
  const words = useWords(texts)
  const hint = isAway ? words.away : props.notNow
  const kind = props.endangers !== undefined ? "button danger" : props.isPrimary === true ? "button" : "button quiet"
  return (
    <>
      <button
        ref={button}
        type="button"
        className={kind}
        disabled={hint !== undefined}
        title={hint}
        onClick={() => setOpen(true)}
      >
        {props.label ?? props.name}
      </button>
      {isOpen && <ActDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** An action that no longer applies takes its button away: the focus goes to the heading, not to nowhere. */
const useFocusAfter = (button: React.RefObject<HTMLElement | null>) =>
  useLayoutEffect(() => {
    const element = button.current
    return () => {
      if (element !== null && document.activeElement === element) queueMicrotask(focusHeading)
    }
  }, [])

const focusHeading = () => {
  const heading = document.querySelector<HTMLElement>("main h1, h1")
  if (heading === null) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

const ActDialog = <Done,>(props: ActProps<Done> & { readonly onClose: () => void }) => {
  const { code, fields, name, onClose, onDone, result, run, says } = props
  const words = useWords(texts)
  const ofPage = useContext(PageObject)
  const own = props.object ?? (typeof props.endangers === "string" ? props.endangers : undefined)
  const object = own ?? ofPage?.number
  const form = useRef<HTMLFormElement>(null)
  const [keys] = useState(() => new ActKeys())
  const [isWorking, setWorking] = useState(false)
  const { noteInput, problem, refused, tell } = useRefusals(form)
  const [answer, setAnswer] = useState<{ readonly done: Done }>()
  const [typed, setTyped] = useState<FormData>(() => new FormData())
  useEffect(() => setTyped(new FormData(form.current!)), [])

  // The version that is replaced, and how often the fields were refilled.
  const [base, setBase] = useState({ version: props.version, times: 0 })
  const isConflict = problem?.kind === "refused" && problem.code === "conflict" && props.version !== base.version
  const send = (replaces: string | undefined) => {
    setWorking(true)
    tell(undefined)
    void withKeys(keys, () => run(new FormData(form.current!), replaces)).then((outcome) => {
      setWorking(false)
      if ("problem" in outcome) {
        if (outcome.problem.kind === "refused" && outcome.problem.code === "conflict") props.onChanged?.()
        return tell(outcome.problem)
      }
      if (result === undefined) {
        onClose()
        if (props.isTold?.(outcome.done) !== false) {
          tellDone({ act: name, object, undo: props.undo, isEdit: props.isEdit ?? props.version !== undefined })
        }
      } else setAnswer(outcome)
      onDone?.()
    })
  }
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    send(base.version)
  }
  const takeTheirs = () => {
    tell(undefined)
    setBase({ version: props.version, times: base.times + 1 })
  }
  const keepMine = () => {
    setBase({ ...base, version: props.version })
    send(props.version)
  }

  if (answer !== undefined) {
    return (
      <Dialog title={name} onClose={onClose} isWide={props.isWide === true}>
        <div className="stack">
          {result?.(answer.done)}
          <div className="buttons">
            <button type="button" className="button" onClick={onClose}>
              {words.finished}
            </button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={name} onClose={onClose} isWide={props.isWide === true}>
      <form
        ref={form}
        className="stack"
        onSubmit={submit}
        onInput={(event) => {
          noteInput(event)
          setTyped(new FormData(form.current!))
        }}
      >
        {object !== undefined && (
          <p className="about">
            <code>{object}</code> {own === undefined && ofPage?.shown}
          </p>
        )}
        {says !== undefined && <div className="soft">{says}</div>}
        <RefusedContext key={base.times} value={refused}>
          {fields}
        </RefusedContext>
        {problem?.kind === "away" ? (
          <p className="trouble" role="alert">
            {problem.mayBeDone === true ? words.lostOnce : words.lost}
          </p>
        ) : isConflict ? (
          <ChangedMeanwhile onTheirs={takeTheirs} onMine={keepMine} />
        ) : (
          problem !== undefined && <Trouble problem={problem} />
        )}
        <div className="buttons">
          <button className={props.endangers !== undefined ? "button danger" : "button"} disabled={isWorking}>
            {isWorking ? words.working : name}
          </button>
          <button type="button" className="button quiet" onClick={onClose}>
            {words.cancel}
          </button>
        </div>
        {code !== undefined && <AsCode call={code(typed)} />}
      </form>
    </Dialog>
  )
}

/** Keeps the dialog around it open: Escape would lose a secret that is shown once. */
const Holding = createContext<(() => void) | undefined>(undefined)

export const useHeldDialog = () => {
  const hold = useContext(Holding)
  useLayoutEffect(() => hold?.(), [hold])
}

/**
 * A native modal dialog: it traps the focus, begins with its first field, and Escape closes it unless it is held. The
 * focus returns to where it was.
 */
export const Dialog = (props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: React.ReactNode
  readonly isWide?: boolean
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const words = useWords(texts)
  const [isHeld, setHeld] = useState(false)
  const hold = useCallback(() => setHeld(true), [])
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    firstOf(dialog.current)?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  // What had the focus may have given way to the answer.
  useEffect(() => {
    if (document.activeElement === document.body) firstOf(dialog.current)?.focus()
  })
  useEffect(() => {
    if (!isHeld) return
    // Chromium lets a page refuse `cancel` only once.
    const refuse = (event: KeyboardEvent) => event.key === "Escape" && event.preventDefault()
    document.addEventListener("keydown", refuse, true)
    return () => document.removeEventListener("keydown", refuse, true)
  }, [isHeld])
  return (
    <dialog
      ref={dialog}
      className={props.isWide === true ? "wide" : ""}
      aria-labelledby={heading}
      onClose={props.onClose}
      onCancel={(event) => {
        if (isHeld) event.preventDefault()
      }}
    >
      <header>
        <h2 id={heading}>{props.title}</h2>
        {!isHeld && (
          <button type="button" className="icon" aria-label={words.close} onClick={props.onClose}>
            ✕
          </button>
        )}
      </header>
      <Holding value={hold}>{props.children}</Holding>
    </dialog>
  )
}

/** The first field; without any the button that does no harm. */
const firstOf = (dialog: HTMLDialogElement | null) =>
  dialog?.querySelector<HTMLElement>("form :is(input, select, textarea):not([type=hidden], :disabled)") ??
  dialog?.querySelector<HTMLElement>(".buttons .button:not(.danger, :disabled)")

/** A field with its label. */
export const Field = (props: {
  readonly label: string
  readonly hint?: React.ReactNode
  readonly children: (id: string, described: string | undefined) => React.ReactNode
}) => {
  const id = useId()
  const refused = useContext(RefusedContext)
  const isRefused = refused?.id === id
  const described = [...(isRefused ? [`${id}-refused`] : []), ...(props.hint === undefined ? [] : [`${id}-hint`])]
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children(id, described.length === 0 ? undefined : described.join(" "))}
      {isRefused && (
        <p id={`${id}-refused`} className="small refused" role="alert">
          {refused.says}
        </p>
      )}
      {props.hint !== undefined && (
        <p id={`${id}-hint`} className="small soft">
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** Amounts in the format of `minorOf`. */
const amounts = String.raw`\s*\d{1,10}([.,]\d{1,2})?\s*`

/** A field of one line, the commonest. `decimal` is for amounts. */
export const TextField = (props: {
  readonly label: string
  readonly name: string
  readonly hint?: React.ReactNode
  readonly initial?: string
  readonly type?: string
  readonly isRequired?: boolean
  readonly inputMode?: "decimal" | "numeric" | "text"
  readonly maxLength?: number
  /** The id of its list of proposals. */
  readonly list?: string
}) => {
  const words = useWords(texts)
  // React replaces the initial value of an untouched field: a proposed number would change.
  const [initial] = useState(props.initial ?? "")
  const isEmail = props.type === "email"
  return (
    <Field label={props.label} hint={props.hint}>
      {(id, described) => (
        <input
          id={id}
          name={props.name}
          // The browser's email field accepts only ASCII, and converts other characters.
          type={isEmail ? "text" : (props.type ?? "text")}
          defaultValue={initial}
          required={props.isRequired === true}
          inputMode={isEmail ? "email" : props.inputMode}
          {...(isEmail ? { autoCapitalize: "off", spellCheck: false } : {})}
          maxLength={props.maxLength}
          list={props.list}
          {...(props.inputMode === "decimal" ? { pattern: amounts, title: words.amount } : {})}
          aria-describedby={described}
          autoComplete="off"
        />
      )}
    </Field>
  )
}

/** A choice of one. */
export const ChoiceField = (props: {
  readonly label: string
  readonly name: string
  readonly choices: ReadonlyArray<readonly [value: string, text: string]>
  readonly initial?: string
  readonly hint?: React.ReactNode
}) => (
  <Field label={props.label} hint={props.hint}>
    {(id, described) => (
      <select id={id} name={props.name} defaultValue={props.initial} aria-describedby={described}>
        {props.choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)
