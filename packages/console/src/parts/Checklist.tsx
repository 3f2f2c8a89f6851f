/** What is done and what is missing before something can begin, each with the way to it. */
import { useWords } from "./words.ts"

const texts = { en: { done: "Done", open: "Missing" }, zh: { done: "已完成", open: "未完成" } }

export interface ChecklistStep {
  readonly name: string
  readonly isDone: boolean
  /** What to do while it is missing. */
  readonly how: React.ReactNode
}

export const Checklist = ({ steps }: { readonly steps: ReadonlyArray<ChecklistStep> }) => {
  const words = useWords(texts)
  return (
    <ul className="stack checklist">
      {steps.map(({ how, isDone, name }) => (
        <li key={name}>
          <span className={`state ${isDone ? "good" : "wait"}`}>{isDone ? words.done : words.open}</span>{" "}
          <strong>{name}</strong> {!isDone && <span className="soft small">{how}</span>}
        </li>
      ))}
    </ul>
  )
}
