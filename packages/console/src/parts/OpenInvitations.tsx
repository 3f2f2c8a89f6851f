/** Roles that are offered to the person who is signed in: each is accepted or declined. */
import type { InvitationResource } from "@coffer/contract/People"
import { act } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { Act } from "./act.tsx"
import { stateText } from "./stateWords.ts"
import { useLanguage, useWords } from "./words.ts"

const texts = {
  en: {
    title: "Invitations",
    by: "invites you to join as",
    operators: "The operators invite you to join as",
    at: "at",
    installation: "this installation",
    accept: "Accept",
    acceptSays:
      "You get the role immediately, and other members can see your name and when you were last active. A passkey may be required.",
    decline: "Decline",
    declineSays: "The invitation is deleted."
  },
  zh: {
    title: "邀请",
    by: "邀请您担任",
    operators: "运营方邀请您担任",
    at: "于",
    installation: "本系统",
    accept: "接受",
    acceptSays: "您将立即获得该角色，其他成员可看到您的姓名和最近活动时间。可能需要使用通行密钥。",
    decline: "拒绝",
    declineSays: "该邀请将被删除。"
  }
}

const Invitation = ({ invitation }: { readonly invitation: InvitationResource }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const { invitation_id, invited_by, merchant_id, merchant_name, role } = invitation
  const who = invited_by === null ? words.operators : `${invited_by} ${words.by}`
  const says = `${who} ${stateText(role, language)} ${words.at} ${merchant_name ?? merchant_id ?? words.installation}`
  const params = { invitation_id }
  return (
    <li className="acts">
      <bdi>{says}</bdi>
      <Act
        name={words.accept}
        isPrimary
        says={`${says}. ${words.acceptSays}`}
        run={() =>
          act(
            OwnApi,
            OwnApi.use((client) => client.invitations.accept({ params }))
          )
        }
      />
      <Act
        name={words.decline}
        says={`${says}. ${words.declineSays}`}
        run={() =>
          act(
            OwnApi,
            OwnApi.use((client) => client.invitations.decline({ params }))
          )
        }
      />
    </li>
  )
}

const OpenInvitations = ({ open }: { readonly open: ReadonlyArray<InvitationResource> }) => {
  const words = useWords(texts)
  return (
    <section className="stack" aria-label={words.title}>
      <ul className="stack">
        {open.map((invitation) => (
          <Invitation key={invitation.invitation_id} invitation={invitation} />
        ))}
      </ul>
    </section>
  )
}

export default OpenInvitations
