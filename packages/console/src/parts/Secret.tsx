/** A secret: told once after an act, or shown when it is asked for. */
import { useState } from "react"
import { Copy } from "./values.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    once: "Copy it now. It is shown this once; afterwards there is no way to read it.",
    show: "Show",
    hide: "Hide"
  },
  zh: { once: "请立即复制。它仅显示这一次，之后无法再查看。", show: "显示", hide: "隐藏" }
}

export const SecretOnce = ({
  label,
  secret,
  children
}: {
  readonly label: string
  readonly secret: string
  readonly children?: React.ReactNode
}) => {
  const words = useWords(texts)
  return (
    <div className="secret" role="status">
      <h3>{label}</h3>
      <p>
        <code>{secret}</code> <Copy text={secret} label={label} />
      </p>
      <p className="soft">{words.once}</p>
      {children}
    </div>
  )
}

export const HiddenSecret = ({ label, secret }: { readonly label: string; readonly secret: string }) => {
  const words = useWords(texts)
  const [isShown, setShown] = useState(false)
  return (
    <span className="secret-row">
      <code>{isShown ? secret : `${secret.slice(0, 6)}${"•".repeat(20)}`}</code>
      <button
        type="button"
        className="button quiet small"
        aria-label={`${isShown ? words.hide : words.show} ${label}`}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? words.hide : words.show}
      </button>
      <Copy text={secret} label={label} />
    </span>
  )
}
