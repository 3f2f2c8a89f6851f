/** A form says that somebody else has changed its object since it was read. Nothing that was typed is lost. */
import { useWords } from "./words.ts"

const texts = {
  en: {
    says: "Somebody else has changed this since you opened it. Nothing of yours was saved, and nothing that you typed is lost.",
    theirs: "Take theirs",
    mine: "Keep mine"
  },
  zh: {
    says: "您打开后，其他人已修改过此内容。您的修改尚未保存，已输入的内容也没有丢失。",
    theirs: "采用对方的内容",
    mine: "保留我的内容"
  }
}

export const ChangedMeanwhile = (props: {
  /** Fills the form with what is there now. */
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
