/** The people of a merchant: names, roles, invitations, and removal. */
import type { PersonResource } from "@coffer/contract/People"
import { PersonRole } from "@coffer/model/PersonRole"
import { personMayDo } from "@coffer/rules/people/mayDo"
import { Link } from "wouter"
import { act, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, ChoiceField, TextField } from "../parts/act.tsx"
import { type Column, Rows } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { typedFields, typedText } from "../parts/typed.tsx"

const texts = {
  en: {
    title: "Team",
    person: "Member",
    role: "Role",
    seen: "Last active",
    since: "Joined",
    acts: "Actions",
    never: "Never",
    invite: "Invite member",
    inviteSays:
      "We'll email an invitation that shows your address. The role applies once it is accepted. You need to have signed in within the last 15 minutes.",
    invited: "Invitation pending",
    again: "Resend invitation",
    againSays: "Sends the invitation again. Only a few can be sent to one address each day.",
    removeInvitedSays: "The invitation can no longer be accepted.",
    email: "Email address",
    name: "Name",
    nameHint: "The name other members see. Defaults to the email address.",
    setRole: "Change role",
    setRoleSays: "Applies from the member's next request. You need to have signed in within the last 15 minutes.",
    remove: "Remove",
    removeSays:
      "The member loses access immediately. Keys they created or rolled keep working: find them under “API keys” " +
      "and roll or revoke them.",
    end: "End sessions",
    endSays: "Signs the member out of this merchant. They can sign in again.",
    recover: "Reset access",
    recoverSays:
      "For a member who can't sign in. Removes their passkeys, sessions and sign-in links, and emails a one-time " +
      "link that is valid for 15 minutes. You need to have signed in within the last 15 minutes.",
    onlyOwners: "Only owners can invite members and change roles.",
    sessions: "Active sessions",
    alone: "You're the only member",
    aloneSays: "Invite your developers, support agents and accountants, each with the right role.",
    roles: {
      owner: "Owner: full access",
      developer: "Developer: builds and tests the integration",
      support: "Support: helps buyers, makes refunds, responds to disputes",
      finance: "Finance: refunds, reports and payouts",
      viewer: "Viewer: read-only access"
    },
    short: { owner: "Owner", developer: "Developer", support: "Support", finance: "Finance", viewer: "Viewer" }
  },
  zh: {
    title: "成员",
    person: "成员",
    role: "角色",
    seen: "最近活动",
    since: "加入时间",
    acts: "操作",
    never: "尚未登录",
    invite: "邀请成员",
    inviteSays: "对方会收到一封显示您邮箱的邀请邮件，接受后即获得该角色。您需要在 15 分钟内登录过。",
    invited: "邀请待接受",
    again: "重新发送邀请",
    againSays: "再次发送邀请邮件。每天向同一邮箱发送的次数有限。",
    removeInvitedSays: "该邀请将无法再被接受。",
    email: "电子邮箱",
    name: "姓名",
    nameHint: "向其他成员显示的名称，默认为邮箱。",
    setRole: "更改角色",
    setRoleSays: "从该成员的下一次请求起生效。您需要在 15 分钟内登录过。",
    remove: "移除",
    removeSays: "该成员将立即失去访问权限。其创建或轮换过的密钥仍然有效，请在“API 密钥”页面轮换或吊销。",
    end: "结束会话",
    endSays: "该成员将退出此商户，可重新登录。",
    recover: "重置登录方式",
    recoverSays:
      "适用于无法登录的成员。将移除其通行密钥、会话和登录链接，并通过邮件发送一个 15 分钟内有效的一次性链接。" +
      "您需要在 15 分钟内登录过。",
    onlyOwners: "仅所有者可以邀请成员和更改角色。",
    sessions: "登录设备",
    alone: "您是唯一的成员",
    aloneSays: "邀请开发、客服和财务同事，并为每人选择合适的角色。",
    roles: {
      owner: "所有者：全部权限",
      developer: "开发者：搭建和测试集成",
      support: "客服：协助买家、处理退款、回应争议",
      finance: "财务：退款、报表与提现",
      viewer: "查看者：仅可查看"
    },
    short: { owner: "所有者", developer: "开发者", support: "客服", finance: "财务", viewer: "查看者" }
  }
}
type Texts = typeof texts.en
type Person = PersonResource

const roleOf = ({ roles }: Person): PersonRole => roles[0]?.role as PersonRole

const columnsOf = (words: Texts, mayChange: boolean, ownId: string): ReadonlyArray<Column<Person>> => [
  {
    id: "person",
    name: words.person,
    text: ({ email }) => email,
    cell: ({ email, name }) => (
      <>
        {name}
        {name !== email && <span className="soft small block">{email}</span>}
      </>
    )
  },
  {
    id: "role",
    name: words.role,
    text: roleOf,
    cell: (person) => (
      <>
        <span className="nowrap">{words.short[roleOf(person)]}</span>
        {person.status === "invited" && <span className="soft small block">{words.invited}</span>}
      </>
    )
  },
  {
    id: "seen",
    name: words.seen,
    isWide: true,
    text: ({ last_seen_at }) => last_seen_at ?? "",
    cell: ({ last_seen_at }) => <Time at={last_seen_at} none={words.never} />
  },
  {
    id: "since",
    name: words.since,
    isWide: true,
    text: ({ created_at }) => created_at,
    cell: ({ roles }) => <Time at={roles[0]?.created_at ?? null} />
  },
  ...(mayChange
    ? [
        {
          id: "acts",
          name: words.acts,
          cell: (person: Person) =>
            person.status === "invited" ? (
              <InvitedActs person={person} />
            ) : (
              <PersonActs person={person} isSelf={person.person_id === ownId} />
            )
        }
      ]
    : [])
]

const People = () => {
  const { base, merchantId, role } = useAccount()
  const words = useWords(texts)
  const people = useAtom(OwnApi.query("people", "list", { params: { merchant_id: merchantId }, reactivityKeys: shown }))
  const session = useAtom(OwnApi.query("session", "get", { reactivityKeys: shown }))
  const ownId = lastOf(session)?.data.person.person_id ?? ""
  const mayChange = personMayDo(role, "people.invite")
  return (
    <section className="list">
      <header className="head">
        <h1>{words.title}</h1>
        <div className="acts">
          <Link href={`${base}/sessions`} className="button quiet">
            {words.sessions}
          </Link>
          {mayChange && <Invite />}
        </div>
      </header>
      {!mayChange && <p className="soft">{words.onlyOwners}</p>}
      <Loaded result={people}>
        {({ data: { data: rows } }) => (
          <>
            <Rows
              list={{ title: words.title, keyOf: ({ person_id }: Person) => person_id }}
              columns={columnsOf(words, mayChange, ownId)}
              rows={rows}
            />
            {rows.length === 1 && mayChange && (
              <Empty title={words.alone}>
                <p>{words.aloneSays}</p>
              </Empty>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const roleChoices = (words: Texts) => PersonRole.literals.map((role) => [role, words.roles[role]] as const)

const Invite = () => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  return (
    <Act
      name={words.invite}
      isPrimary
      says={words.inviteSays}
      fields={
        <>
          <TextField label={words.email} name="email" type="email" isRequired maxLength={254} />
          <TextField label={words.name} name="name" maxLength={100} hint={words.nameHint} />
          <ChoiceField label={words.role} name="role" initial="viewer" choices={roleChoices(words)} />
        </>
      }
      run={(typed) =>
        act(
          OwnApi,
          OwnApi.use((client) =>
            client.people.invite({
              params: { merchant_id: merchantId },
              payload: sent({
                email: typedText(typed, "email"),
                role: typedText(typed, "role") as PersonRole,
                ...typedFields(typed, ["name"])
              })
            })
          ),
          1
        )
      }
    />
  )
}

const SetRole = ({ person }: { readonly person: Person }) => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  const params = { merchant_id: merchantId, person_id: person.person_id }
  return (
    <Act
      name={words.setRole}
      says={`${person.name}: ${words.setRoleSays}`}
      fields={<ChoiceField label={words.role} name="role" initial={roleOf(person)} choices={roleChoices(words)} />}
      run={(typed) =>
        act(
          OwnApi,
          OwnApi.use((client) =>
            client.people.setRole({ params, payload: { role: typedText(typed, "role") as PersonRole } })
          )
        )
      }
    />
  )
}

const InvitedActs = ({ person }: { readonly person: Person }) => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  const params = { merchant_id: merchantId, person_id: person.person_id }
  return (
    <span className="acts">
      <SetRole person={person} />
      <Act
        name={words.again}
        says={`${person.email}: ${words.againSays}`}
        run={() =>
          act(
            OwnApi,
            OwnApi.use((client) => client.people.sendAgain({ params })),
            1
          )
        }
      />
      <Remove person={person} says={`${person.email}: ${words.removeInvitedSays}`} />
    </span>
  )
}

const Remove = ({ person, says }: { readonly person: Person; readonly says: string }) => {
  const { merchantId } = useAccount()
  const params = { merchant_id: merchantId, person_id: person.person_id }
  return (
    <Act
      name={useWords(texts).remove}
      endangers={person.email}
      says={says}
      run={() =>
        act(
          OwnApi,
          OwnApi.use((client) => client.people.remove({ params }))
        )
      }
    />
  )
}

const PersonActs = ({ isSelf, person }: { readonly person: Person; readonly isSelf: boolean }) => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  const params = { merchant_id: merchantId, person_id: person.person_id }
  return (
    <span className="acts">
      <SetRole person={person} />
      {!isSelf && (
        <>
          <Act
            name={words.end}
            says={`${person.name}: ${words.endSays}`}
            run={() =>
              act(
                OwnApi,
                OwnApi.use((client) => client.people.endSessions({ params }))
              )
            }
          />
          <Act
            name={words.recover}
            says={`${person.name}: ${words.recoverSays}`}
            run={() =>
              act(
                OwnApi,
                OwnApi.use((client) => client.people.recover({ params }))
              )
            }
          />
        </>
      )}
      <Remove person={person} says={`${person.name}: ${words.removeSays}`} />
    </span>
  )
}

export default People
