/** Indented JSON. Object numbers in it link to their pages. */
import { Link } from "wouter"
import { useAccount } from "../api/session.ts"
import { pageOf } from "../merchant/find.ts"
import { Copy } from "./values.tsx"
import { useWords } from "./words.ts"

const texts = { en: { none: "Empty" }, zh: { none: "空" } }

export const Json = ({ label, value }: { readonly value: unknown; readonly label: string }) => {
  const { base } = useAccount()
  const words = useWords(texts)
  if (value === null || value === undefined) return <p className="soft">{words.none}</p>
  const text = JSON.stringify(value, null, 2)
  return (
    <div className="json">
      <Copy text={text} label={label} />
      <pre tabIndex={0} role="region" aria-label={label}>
        {text.split(/("[\w-]{8,80}")/).map((part, index) => {
          const page = part.startsWith('"') ? pageOf(part.slice(1, -1)) : undefined
          return page === undefined ? (
            part
          ) : (
            <Link key={index} href={`${base}${page}`}>
              {part}
            </Link>
          )
        })}
      </pre>
    </div>
  )
}

/** A link to an address from data, if it is safe to open; otherwise its text. */
export const Address = ({ url }: { readonly url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  ) : (
    <>{url}</>
  )
