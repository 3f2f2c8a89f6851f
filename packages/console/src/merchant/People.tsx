/** The people of a merchant: who they are, their roles, and how somebody is invited or leaves. */
import type { PersonResource } from "@coffer/contract/People"
import { PersonRole } from "@coffer/model/PersonRole"
import { personMayDo } from "@coffer/rules/people/consoleActs"
import { Link } from "wouter"
import { act, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Act, ChoiceField, TextField } from "../parts/act.tsx"
import { type Column, Rows } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"

const texts = {
  en: {
    title: "People",
    person: "Person",
    role: "Role",
    seen: "Last seen",
    since: "Since",
    acts: "Acts",
    never: "Not yet",
    invite: "Invite a person",
    inviteSays:
      "The person gets a mail with your address, and has the role once it is accepted. You need to have signed in less than 15 minutes ago.",
    invited: "Invited, not accepted yet",
    again: "Send again",
    againSays: "The person gets another mail. Some are sent to one address in a day.",
    withdraw: "Withdraw",
    withdrawSays: "The invitation cannot be accepted any more.",
    email: "E-mail address",
    name: "Name",
    nameHint: "As others see it; the address unless given.",
    setRole: "Change role",
    setRoleSays: "It holds for the person's next request. You need to have signed in less than 15 minutes ago.",
    remove: "Remove",
    removeSays:
      "The person loses all rights here at once. Keys that the person has made or rolled keep working: “Keys” names " +
      "them, to be rolled or revoked.",
    end: "End sessions",
    endSays: "The person is signed out of this merchant, and may sign in again.",
    recover: "Help to sign in",
    recoverSays:
      "For a person who has lost the way in: passkeys, sessions and links of the person are removed, and one link goes " +
      "by mail. It works once, for 15 minutes. You need to have signed in less than 15 minutes ago.",
    onlyOwners: "An owner invites people and changes their roles.",
    sessions: "Where you are signed in",
    alone: "You are alone here",
    aloneSays: "Invite the people who build, help buyers or keep the books, each with the role that fits.",
    roles: {
      owner: "Owner: everything",
      developer: "Developer: sets up and tests the integration",
      support: "Support: helps buyers, refunds, answers disputes",
      finance: "Finance: moves money, reports",
      viewer: "Viewer: reads"
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
    inviteSays: "对方会收到一封显示您邮箱地址的邮件，接受后即获得该角色。您需要在 15 分钟内登录过。",
    invited: "已邀请，尚未接受",
    again: "重新发送",
    againSays: "对方会再收到一封邮件。每天向同一地址发送的数量有限。",
    withdraw: "撤回",
    withdrawSays: "该邀请将无法再被接受。",
    email: "电子邮箱",
    name: "姓名",
    nameHint: "显示给他人的名称；留空则显示邮箱。",
    setRole: "更改角色",
    setRoleSays: "从该成员的下一次请求起生效。您需要在 15 分钟内登录过。",
    remove: "移除",
    removeSays: "该成员将立即失去此处的所有权限。该成员创建或轮换的密钥仍然有效：“密钥”页面会列出，请轮换或吊销。",
    end: "结束会话",
    endSays: "该成员将退出此商户，可重新登录。",
    recover: "协助登录",
    recoverSays:
      "适用于无法登录的成员：将移除其通行密钥、会话和链接，并通过邮件发送一个链接，15 分钟内有效且仅能使用一次。" +
      "您需要在 15 分钟内登录过。",
    onlyOwners: "仅所有者可以邀请成员和更改角色。",
    sessions: "您的登录位置",
    alone: "目前只有您",
    aloneSays: "邀请负责开发、客服或财务的同事，并为每人选择合适的角色。",
    roles: {
      owner: "所有者：全部权限",
      developer: "开发者：搭建和测试集成",
      support: "客服：协助买家、退款、回应争议",
      finance: "财务：资金与报表",
      viewer: "查看者：仅查看"
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
          text: () => "",
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
  const ownId = session._tag === "Success" ? session.value.data.person.person_id : ""
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

const text = (typed: FormData, name: string) => String(typed.get(name) ?? "").trim()

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
              payload: {
                email: text(typed, "email"),
                role: text(typed, "role") as PersonRole,
                ...(text(typed, "name") === "" ? {} : { name: text(typed, "name") })
              } as never
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
            client.people.setRole({ params, payload: { role: text(typed, "role") as PersonRole } })
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
      <Act
        name={words.withdraw}
        isDangerous
        says={`${person.email}: ${words.withdrawSays}`}
        run={() =>
          act(
            OwnApi,
            OwnApi.use((client) => client.people.remove({ params }))
          )
        }
      />
    </span>
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
      <Act
        name={words.remove}
        isDangerous
        says={`${person.name}: ${words.removeSays}`}
        run={() =>
          act(
            OwnApi,
            OwnApi.use((client) => client.people.remove({ params }))
          )
        }
      />
    </span>
  )
}

export default People
