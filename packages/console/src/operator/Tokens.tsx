/** Operators' tokens: for programs and for the command line, each by name, with a role and an end. */
import type { OperatorResource } from "@coffer/contract/Operators"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { State, stateChoices, stateText } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { OperatorAct, useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Operators' tokens",
    says: "A token is for a program or the command line. People sign in to this console instead; see People.",
    name: "Name",
    role: "Role",
    status: "Status",
    created: "Created",
    expires: "Ends",
    revoked: "Revoked",
    create: "Create a token",
    createSays:
      "It is shown once. Where acts take two operators, this one does as well, and the second gets the token.",
    days: "Days until it ends",
    person: "Person to whom it belongs",
    personHint:
      "The number of a person with a role of the installation. It counts as that person where two operators are needed.",
    revoke: "Revoke",
    revokeSays: "It stops working at once on all runners, for good.",
    none: "No tokens",
    noneSays: "Make one for a program or the command line: export COFFER_OPERATOR_TOKEN=…"
  },
  zh: {
    title: "运营令牌",
    says: "令牌用于程序或命令行。人员请直接登录此控制台，参见“人员”。",
    name: "名称",
    role: "角色",
    status: "状态",
    created: "创建时间",
    expires: "到期",
    revoked: "撤销时间",
    create: "创建令牌",
    createSays: "仅显示一次。需要两位运营人员时，由第二位获得令牌。",
    days: "有效天数",
    person: "所属人员",
    personHint: "具有系统角色的人员编号。需要两位运营人员时，视同该人员。",
    revoke: "撤销",
    revokeSays: "立即在所有节点上永久失效。",
    none: "没有令牌",
    noneSays: "为程序或命令行创建一个：export COFFER_OPERATOR_TOKEN=…"
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
      isDangerous
      says={
        <p>
          <strong>{operator.name}</strong>: {words.revokeSays}
        </p>
      }
      call={(client) => client.operators.revoke({ params: { operator_id: operator.operator_id } })}
      code={() => ({ method: "POST", path: `/operator/v1/operators/${operator.operator_id}/revoke` })}
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
    { id: "act", name: words.revoke, text: () => "", cell: (operator) => <Revoke operator={operator} words={words} /> }
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
          OperatorsApi.query("operators", "list", { query: query as never, reactivityKeys: shown }) as never,
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
            call={(client, typed) => client.operators.create({ payload: bodyOf(typed) as never })}
            code={(typed) => ({ method: "POST", path: "/operator/v1/operators", body: bodyOf(typed) })}
            secret={({ token }: { readonly token: string }) => token}
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
