/** The permissions of keys: of a new one as checkboxes, of others in words. */
import { covers, isOfSandbox, Scope } from "@coffer/model/Scopes"
import { useId, useState } from "react"
import { useLanguage, useWords } from "../parts/words.ts"
import { resourceText, type ScopeResource, scopeText } from "./scopeWords.ts"

const texts = {
  en: { scopes: "Permissions", resource: "Resource", read: "Read", write: "Write" },
  zh: { scopes: "权限", resource: "资源", read: "读取", write: "写入" }
}

interface Props {
  readonly mode: "sandbox" | "live"
  /** The permissions of the person who creates the key; default: all. */
  readonly held?: ReadonlyArray<Scope>
}

/** A row for each resource. A key that may change a resource may read it. */
export const ScopesTable = ({ held = Scope.literals, mode }: Props) => {
  const words = useWords(texts)
  const language = useLanguage()
  const caption = useId()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const offered = Scope.literals.filter((scope) => covers(held, scope) && (mode === "sandbox" || !isOfSandbox(scope)))
  const resources = Array.from(new Set(offered.map((scope) => scope.split(":")[0] as ScopeResource)))
  const toggle = (scope: string, isOn: boolean) => {
    const next = new Set(chosen)
    if (isOn) next.add(scope)
    else next.delete(scope)
    setChosen(next)
  }
  const box = (resource: ScopeResource, right: "read" | "write") => {
    const scope = `${resource}:${right}`
    if (!offered.some((each) => each === scope)) return <span className="soft">–</span>
    const isImplied = right === "read" && chosen.has(`${resource}:write`)
    return (
      <input
        type="checkbox"
        name="scopes"
        value={scope}
        aria-label={`${resourceText(resource, language)}: ${words[right]}`}
        checked={chosen.has(scope) || isImplied}
        disabled={isImplied}
        onChange={(event) => toggle(scope, event.target.checked)}
      />
    )
  }
  return (
    <div className="field">
      <p id={caption} className="label">
        {words.scopes}
      </p>
      <div className="table scopes" tabIndex={0} role="region" aria-labelledby={caption}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.resource}</th>
              <th scope="col">{words.read}</th>
              <th scope="col">{words.write}</th>
            </tr>
          </thead>
          <tbody>
            {resources.map((resource) => (
              <tr key={resource}>
                <th scope="row">
                  {resourceText(resource, language)} <code className="soft small">{resource}</code>
                </th>
                <td>{box(resource, "read")}</td>
                <td>{box(resource, "write")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** The permissions that a key has, in words with the machine's names. */
export const Scopes = ({ of }: { readonly of: ReadonlyArray<string> }) => {
  const language = useLanguage()
  return (
    <span className="small">
      {of.map((scope, index) => (
        <span key={scope}>
          {index > 0 && ", "}
          {scopeText(scope, language)} <code className="soft">{scope}</code>
        </span>
      ))}
    </span>
  )
}
