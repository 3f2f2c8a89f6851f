/** A secret that is shown once, after it is created; and until when those before it work. */
import { useHeldDialog } from "./act.tsx"
import { Copy, Time } from "./values.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    once: "Copy it now. It won't be shown again."
  },
  zh: { once: "请立即复制。它仅显示这一次，之后无法再查看。" }
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
  useHeldDialog()
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

/** When each old secret ends. */
export const OldEnds = ({ ends, says }: { readonly ends: ReadonlyArray<string>; readonly says: string }) =>
  ends.map((at, index) => (
    <span key={index} className="soft small block">
      {says} <Time at={at} />
    </span>
  ))
