/** A page that the role may not see: whom to ask, by the roles that may and, where they can be read, by name. */
import { useLanguage, useWords } from "./words.ts"
import { stateText } from "./stateWords.ts"

const texts = {
  en: {
    title: "You don't have access to this page",
    yours: "Your role:",
    roles: "Roles with access:",
    ask: "Ask one of these people to open it for you or to change your role:"
  },
  zh: {
    title: "您无权查看此页面",
    yours: "您的角色：",
    roles: "可查看的角色：",
    ask: "请联系以下人员为您查看，或更改您的角色："
  }
}

export const NotForRole = (props: {
  readonly role: string
  readonly roles: ReadonlyArray<string>
  readonly people: ReadonlyArray<{ readonly name: string; readonly email: string }>
}) => {
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <section className="card stack">
      <h1>{words.title}</h1>
      <p>
        {words.yours} <strong>{stateText(props.role, language)}</strong>. {words.roles}{" "}
        {props.roles.map((each) => stateText(each, language)).join(", ")}.
      </p>
      {props.people.length > 0 && (
        <>
          <p>{words.ask}</p>
          <ul>
            {props.people.map(({ email, name }) => (
              <li key={email}>
                <bdi>{name}</bdi> {name !== email && <span className="soft">{email}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
