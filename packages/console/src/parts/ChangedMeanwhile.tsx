/** The notice in a form that another person has changed the object since it was read. Typed values are kept. */
import { useWords } from "./words.ts"

const texts = {
  en: {
    says: "This was changed by someone else since you opened it. Your changes are not saved yet, and your input is kept.",
    theirs: "Use their version",
    mine: "Keep your version"
  },
  zh: {
    says: "您打开后，其他人修改了此内容。您的修改尚未保存，已输入的内容仍然保留。",
    theirs: "采用对方的内容",
    mine: "保留我的内容"
  }
}

export const ChangedMeanwhile = (props: {
  /** Fills the form with the current values. */
  readonly onTheirs: () => void
  readonly onMine: () => void
  readonly children?: React.ReactNode
}) => {
  const words = useWords(texts)
  return (
    <div className="trouble" role="alert">
      <p>{words.says}</p>
      {props.children}
      <div className="buttons">
        <button type="button" className="button quiet" onClick={props.onTheirs}>
          {words.theirs}
        </button>
        <button type="button" className="button quiet" onClick={props.onMine}>
          {words.mine}
        </button>
      </div>
    </div>
  )
}
