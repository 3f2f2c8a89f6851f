/** People who sign in to the console, with all their roles: for operators, who also run the yearly review of access. */
import type { PeopleQuery, PersonResource } from "@coffer/contract/People"
import { shown } from "../api/acts.ts"
import { asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { sent } from "../api/sent.ts"
import { ChoiceField, Dialog, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices, stateText } from "../parts/stateWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"
import { TypedWord, typedIn } from "../parts/typed.tsx"
import { useState } from "react"
import { WaitingFor } from "./approving.tsx"
import { MerchantLink, OperatorAct } from "./operator.tsx"
import { roles } from "./Tokens.tsx"

const texts = {
  en: {
    title: "People",
    name: "Name",
    email: "Email",
    roles: "Roles",
    seen: "Last seen",
    invited: "Invited",
    pending: "not accepted yet",
    number: "Person ID",
    role: "Role",
    search: "Name or email contains",
    installation: "the system",
    merchant: "Merchant",
    invite: "Invite person",
    inviteSays:
      "We'll email an invitation. The role applies once it is accepted. If the person already has a role there, the new role applies immediately.",
    merchantHint: "Merchant ID. Leave empty for a system role (operator).",
    owner: "Merchant: ",
    operator: "System: ",
    manage: "Manage",
    remove: "Remove role",
    removeSays: "Applies from the next request of every session, on all runners.",
    end: "End all sessions",
    endSays: "Takes effect immediately on all runners. The person can sign in again.",
    recover: "Reset access",
    recoverSays:
      "For a person who can't sign in. Removes their passkeys, sessions and sign-in links, and emails a one-time link that is valid for 15 minutes. For operators and a merchant's last owner, two operators are needed.",
    none: "No people yet",
    noneSays: "Invite an owner for each merchant, and a second operator besides yourself."
  },
  zh: {
    title: "人员",
    name: "姓名",
    email: "电子邮箱",
    roles: "角色",
    seen: "最近活动",
    invited: "邀请时间",
    pending: "尚未接受",
    number: "编号",
    role: "角色",
    search: "姓名或邮箱包含",
    installation: "系统",
    merchant: "商户",
    invite: "邀请人员",
    inviteSays: "对方会收到邀请邮件，接受后即获得该角色。若在该处已有角色，则立即改为新角色。",
    merchantHint: "商户编号。留空表示系统角色（运营人员）。",
    owner: "商户：",
    operator: "系统：",
    manage: "管理",
    remove: "移除角色",
    removeSays: "对所有节点上每个会话的下一次请求生效。",
    end: "结束所有会话",
    endSays: "立即在所有节点上生效，对方可重新登录。",
    recover: "重置登录方式",
    recoverSays:
      "适用于无法登录的人员。将移除其通行密钥、会话和登录链接，并通过邮件发送一个 15 分钟内有效的一次性链接。对于运营人员或商户的最后一位所有者，需要两位运营人员批准。",
    none: "还没有人员",
    noneSays: "请为每个商户邀请一位所有者，并邀请除您之外的第二位运营人员。"
  }
}
type Texts = typeof texts.en

const merchantRoles = ["owner", "developer", "support", "finance", "viewer"] as const

const Manage = ({ person, words }: { readonly person: PersonResource; readonly words: Texts }) => {
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const { email, person_id } = person
  const params = { person_id }
  return (
    <>
      <button type="button" className="button quiet small" onClick={() => setOpen(true)}>
        {words.manage}
      </button>
      {isOpen && (
        <Dialog title={email} onClose={() => setOpen(false)} isWide>
          <div className="stack manage">
            <WaitingFor target={person_id} />
            <Facts
              facts={person.roles.map(({ merchant_id, role }) => [
                stateText(role, language),
                <span key={merchant_id ?? "installation"} className="acts">
                  {merchant_id === null ? words.installation : <MerchantLink id={merchant_id} />}
                  <OperatorAct
                    act="people.remove"
                    name={words.remove}
                    endangers={email}
                    says={words.removeSays}
                    fields={<TypedWord word={email} />}
                    request={() => ({ params, payload: merchant_id === null ? {} : { merchant_id } })}
                  />
                </span>
              ])}
            />
            <div className="buttons" hidden={person.status === "invited"}>
              <OperatorAct
                act="people.endSessions"
                name={words.end}
                endangers={email}
                says={words.endSays}
                request={() => ({ params })}
              />
              <OperatorAct
                act="people.recover"
                name={words.recover}
                endangers={email}
                says={words.recoverSays}
                fields={<TypedWord word={email} />}
                request={() => ({ params })}
              />
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}

const Invite = ({ words }: { readonly words: Texts }) => {
  const language = useLanguage()
  const bodyOf = (typed: FormData) => {
    const merchant_id = typedIn(typed, "merchant_id")
    const name = typedIn(typed, "name")
    return {
      email: typedIn(typed, "email") ?? "",
      role: typedIn(typed, merchant_id === undefined ? "operator_role" : "merchant_role") ?? "viewer",
      ...(name === undefined ? {} : { name }),
      ...(merchant_id === undefined ? {} : { merchant_id })
    }
  }
  return (
    <OperatorAct
      act="people.invite"
      name={words.invite}
      isPrimary
      says={words.inviteSays}
      fields={
        <>
          <TextField label={words.email} name="email" type="email" isRequired />
          <TextField label={words.name} name="name" maxLength={100} />
          <TextField label={words.merchant} name="merchant_id" hint={words.merchantHint} />
          <ChoiceField
            label={`${words.owner}${words.role}`}
            name="merchant_role"
            choices={stateChoices(merchantRoles, language)}
          />
          <ChoiceField
            label={`${words.operator}${words.role}`}
            name="operator_role"
            choices={stateChoices(roles, language)}
          />
        </>
      }
      request={(typed) => ({ payload: sent(bodyOf(typed)) })}
    />
  )
}

const { code, plain, time } = columnsFor<PersonResource>()

const People = () => {
  const words = useWords(texts)
  const language = useLanguage()
  const rolesText = ({ roles: all }: PersonResource) =>
    all.map(({ merchant_id, role }) => `${role} ${merchant_id ?? "installation"}`).join(", ")
  const columns: ReadonlyArray<Column<PersonResource>> = [
    plain("name", words.name),
    plain("email", words.email),
    {
      id: "roles",
      name: words.roles,
      text: rolesText,
      cell: ({ roles: all, status }) => (
        <>
          {all.map(({ merchant_id, role }) => (
            <div key={merchant_id ?? "installation"}>
              {stateText(role, language)} ·{" "}
              {merchant_id === null ? words.installation : <MerchantLink id={merchant_id} />}
            </div>
          ))}
          {status === "invited" && <span className="soft small block">{words.pending}</span>}
        </>
      )
    },
    time("last_seen_at", words.seen, { isWide: true }),
    time("created_at", words.invited, { isHidden: true }),
    code("person_id", words.number, { isHidden: true }),
    { id: "manage", name: words.manage, cell: (person) => <Manage person={person} words={words} /> }
  ]
  return (
    <ListPage
      list={
        {
          id: "operator.people",
          title: words.title,
          columns,
          filters: [
            { name: "search", label: words.search },
            { name: "merchant_id", label: `${words.merchant} / installation` },
            {
              name: "role",
              label: words.role,
              choices: stateChoices([...new Set([...merchantRoles, ...roles])], language)
            }
          ],
          page: (query) =>
            OperatorsApi.query("people", "list", { query: asQuery<PeopleQuery>(query), reactivityKeys: shown }),
          keyOf: ({ person_id }) => person_id,
          acts: <Invite words={words} />,
          empty: (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
            </Empty>
          )
        } satisfies ListBy<PersonResource, PeopleQuery>
      }
    />
  )
}

export default People
