/** Operators' tokens: for programs and for the command line, each by name, with a role and an end. */
import type { OperatorResource } from "@coffer/contract/Operators"
import { shown } from "../api/acts.ts"
import { asQuery, type PlainQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { sent } from "../api/sent.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices, stateText } from "../parts/stateWords.ts"
import { State } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { OperatorAct, useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Operator tokens",
    says: "Tokens are for programs and the command line. People sign in to this console instead; see People.",
    name: "Name",
    role: "Role",
    status: "Status",
    created: "Created",
    expires: "Expires",
    revoked: "Revoked",
    create: "Create token",
    createSays: "Shown only once. Where two operators are needed, the second one receives the token.",
    days: "Days until it expires",
    person: "Owner",
    personHint: "ID of a person with a system role. The token counts as that person where two operators are needed.",
    revoke: "Revoke",
    revokeSays: "The token stops working immediately on all runners. This can't be undone.",
    none: "No tokens yet",
    noneSays: "Create one for a program or the command line: export COFFER_OPERATOR_TOKEN=…"
  },
  zh: {
    title: "运营令牌",
    says: "令牌用于程序或命令行。人员请直接登录此控制台，参见“人员”。",
    name: "名称",
    role: "角色",
    status: "状态",
    created: "创建时间",
    expires: "到期时间",
    revoked: "撤销时间",
    create: "创建令牌",
    createSays: "仅显示一次。需要两位运营人员批准时，由第二位获得令牌。",
    days: "有效天数",
    person: "所属人员",
    personHint: "具有系统角色的人员的编号。需要两位运营人员批准时，该令牌视同此人。",
    revoke: "撤销",
    revokeSays: "该令牌将立即在所有节点上失效，此操作无法撤销。",
    none: "还没有令牌",
    noneSays: "可为程序或命令行创建令牌：export COFFER_OPERATOR_TOKEN=…"
  }
}
type Texts = typeof texts.en
export const roles = ["viewer", "support", "finance", "admin"] as const

const stateOf = ({ expires_at, revoked_at }: OperatorResource): string =>
  revoked_at !== null ? "revoked" : Date.parse(expires_at) < Date.now() ? "expired" : "active"

const Revoke = ({ operator, words }: { readonly operator: OperatorResource; readonly words: Texts }) =>
  stateOf(operator) === "active" && (
    <OperatorAct
      act="operators.revoke"
      name={words.revoke}
      endangers={operator.name}
      says={words.revokeSays}
      request={() => ({ params: { operator_id: operator.operator_id } })}
    />
  )

const { plain, time } = columnsFor<OperatorResource>()

const Tokens = () => {
  const words = useWords(texts)
  const language = useLanguage()
  const { may } = useOperator()
  const columns: ReadonlyArray<Column<OperatorResource>> = [
    plain("name", words.name),
    { id: "role", name: words.role, text: ({ role }) => role, cell: ({ role }) => stateText(role, language) },
    { id: "status", name: words.status, text: stateOf, cell: (operator) => <State of={stateOf(operator)} /> },
    time("expires_at", words.expires),
    time("created_at", words.created, { isWide: true }),
    { id: "act", name: words.revoke, cell: (operator) => <Revoke operator={operator} words={words} /> }
  ]
  const bodyOf = (typed: FormData) => ({
    name: typedIn(typed, "name") ?? "",
    role: typedIn(typed, "role") ?? "viewer",
    expires_in_days: Number(typedIn(typed, "days") ?? 90),
    ...(typedIn(typed, "person_id") === undefined ? {} : { person_id: typedIn(typed, "person_id") })
  })
  return (
    <ListPage
      list={{
        id: "operator.tokens",
        title: words.title,
        columns,
        page: (query) =>
          OperatorsApi.query("operators", "list", { query: asQuery<PlainQuery>(query), reactivityKeys: shown }),
        keyOf: ({ operator_id }) => operator_id,
        above: <p className="soft">{words.says}</p>,
        acts: may("operators.create") && (
          <OperatorAct
            act="operators.create"
            name={words.create}
            isPrimary
            isOnce
            says={words.createSays}
            fields={
              <>
                <TextField label={words.name} name="name" isRequired maxLength={100} />
                <ChoiceField label={words.role} name="role" choices={stateChoices(roles, language)} />
                <TextField label={words.days} name="days" initial="90" inputMode="numeric" isRequired />
                <TextField label={words.person} name="person_id" hint={words.personHint} />
              </>
            }
            request={(typed) => ({ payload: sent(bodyOf(typed)) })}
            secret={({ token }) => token}
          />
        ),
        empty: (
          <Empty title={words.none}>
            <p>{words.noneSays}</p>
          </Empty>
        )
      }}
    />
  )
}

export default Tokens
