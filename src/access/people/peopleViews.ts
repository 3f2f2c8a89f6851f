/** People and sessions on the wire: the one encoder of each. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { PasskeyResource } from "@coffer/contract/Passkeys"
import type { InvitationResource, PersonResource, SessionResource } from "@coffer/contract/People"
import { installation } from "@coffer/model/PersonRole"
import type { Invitation, Person } from "./People.ts"
import type { Passkey } from "./Passkeys.ts"
import type { Session, SignedIn } from "./SignIn.ts"

/** `of`: whose roles are shown, a merchant's or the installation's; undefined: all. */
export const personView = (person: Person, of?: string): PersonResource => ({
  object: "person",
  person_id: person.person_id,
  email: person.email,
  name: person.name,
  roles: person.roles
    .filter(({ belongs_to }) => of === undefined || belongs_to === of)
    .map(({ belongs_to, created_at, role }) => ({
      merchant_id: belongs_to === installation ? null : belongs_to,
      role: role as PersonResource["roles"][number]["role"],
      created_at: isoText(created_at)
    })),
  status: person.isInvited === true ? "invited" : "active",
  created_at: isoText(person.created_at),
  last_seen_at: isoTextOrNull(isElsewhere(person, of) ? null : person.last_seen_at)
})

/** Otherwise the time would show a merchant the person's work for others. */
const isElsewhere = ({ roles }: Person, of: string | undefined): boolean =>
  of !== undefined && roles.some(({ belongs_to }) => belongs_to !== of)

/** The invitation for the invited person. */
export const invitationView = (invitation: Invitation, merchantName: string | null): InvitationResource => ({
  object: "invitation",
  invitation_id: invitation.invitation_id,
  merchant_id: invitation.belongs_to === installation ? null : invitation.belongs_to,
  merchant_name: merchantName,
  role: invitation.role as InvitationResource["role"],
  invited_by: invitation.invited_by,
  created_at: isoText(invitation.created_at),
  expires_at: isoText(invitation.expires_at)
})

export const sessionView = (session: Session, current: string): SessionResource => ({
  object: "session",
  session_id: session.session_id,
  is_current: session.session_id === current,
  way: session.way,
  ip: session.ip,
  user_agent: session.user_agent,
  created_at: isoText(session.created_at),
  last_seen_at: isoText(session.last_seen_at),
  expires_at: isoText(session.expires_at)
})

/** The signed-in person, for that person. */
export const signedInView = ({ needsPasskey, person, session }: SignedIn) => ({
  person: personView(person),
  session: sessionView(session, session.session_id),
  needs_passkey: needsPasskey
})

export const passkeyView = (passkey: Passkey): PasskeyResource => ({
  object: "passkey",
  passkey_id: passkey.passkey_id,
  name: passkey.name,
  is_synced: passkey.is_synced,
  created_at: isoText(passkey.created_at),
  last_used_at: isoTextOrNull(passkey.last_used_at)
})
