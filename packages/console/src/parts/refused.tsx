/** Shows a refusal at its field until the field is edited. */
import { createContext, useState } from "react"
import type { Problem } from "../api/acts.ts"
import { refusalText } from "./refusals.ts"
import { amountText, currencyChoices } from "./values.tsx"
import { type Language, useLanguage } from "./words.ts"

/** The field's id, and the reason. */
export interface Refused {
  readonly id: string
  readonly says: string
}

export const RefusedContext = createContext<Refused | undefined>(undefined)

/** A problem of a form: at its field if the service names one of the form's fields, otherwise for the whole form. */
export const useRefusals = (form: React.RefObject<HTMLFormElement | null>) => {
  const language = useLanguage()
  const [refused, setRefused] = useState<Refused>()
  const [problem, setProblem] = useState<Problem>()
  const mark = (id: string | undefined, isWrong: boolean) => {
    const field = id === undefined ? null : document.getElementById(id)
    if (isWrong) field?.setAttribute("aria-invalid", "true")
    else field?.removeAttribute("aria-invalid")
    return field
  }
  const tell = (next: Problem | undefined) => {
    mark(refused?.id, false)
    const field = next === undefined ? undefined : fieldOf(form.current, next)
    if (field === undefined || next?.kind !== "refused") {
      setRefused(undefined)
      return setProblem(next)
    }
    setProblem(undefined)
    setRefused({ id: field.id, says: refusalText(next.message, language, moneyOf(field, language)) })
    field.closest("details")?.setAttribute("open", "")
    mark(field.id, true)?.focus()
  }
  /** For the form's `onInput`: clears the refusal of an edited field. */
  const noteInput = ({ target }: React.SyntheticEvent) => {
    if ((target as Element).id !== refused?.id) return
    mark(refused.id, false)
    setRefused(undefined)
  }
  return { noteInput, problem, refused, tell }
}

/** How the field of an amount writes minor units: in the currency of its form, or of its label. */
const moneyOf = (field: HTMLElement, language: Language) => {
  if (!(field instanceof HTMLInputElement) || field.inputMode !== "decimal") return undefined
  const chosen = field.form?.elements.namedItem("currency")
  const label = field.labels?.[0]?.textContent ?? ""
  const currency =
    chosen instanceof HTMLSelectElement ? chosen.value : currencyChoices.find(([each]) => label.includes(each))?.[0]
  return (minor: number) => amountText(minor, currency ?? "USD", language)
}

/** The field that the refusal names, by the whole name or its last part: `live.ip_allowlist`, `files[2].url`. */
const fieldOf = (form: HTMLFormElement | null, problem: Problem): HTMLElement | undefined => {
  if (form === null || problem.kind !== "refused" || problem.param === undefined) return undefined
  const parts = problem.param.split(/[.[\]]/).filter((part) => part !== "")
  for (const name of [problem.param, ...parts.toReversed()]) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLElement && field.id !== "") return field
  }
  return undefined
}
