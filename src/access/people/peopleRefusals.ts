/** How the errors of people and of signing in become answers. */
import * as Wire from "@coffer/contract/Errors"
import { passkeysMax, peopleMax } from "@coffer/rules/people/signIn"
import { refuseAs, refuseTemporarilyAs } from "../../shared/http/refusals.ts"
import { busy, refuseField, refuseWith } from "../../shared/http/replies.ts"
import type { PasskeyConflict, PasskeyNotFound, PasskeyNotValid } from "./Passkeys.ts"
import type { OpenIdFailed } from "./OpenId.ts"
import type {
  InvitationNotFound,
  NobodyThere,
  PersonNotFound,
  RoleConflict,
  TooManyInvitations,
  TooManyRecoveries
} from "./People.ts"
import type { LinkNotValid, PasskeyRequired, SessionNotFound } from "./SignIn.ts"

const conflicts: Record<RoleConflict["reason"], string> = {
  has_role: "This person has a role here. Change the role instead.",
  invited: "This person is invited already. Send the invitation again, or withdraw it.",
  too_many: `${peopleMax} people have a role here or are invited, which is the most there may be.`,
  yourself: "Nobody begins anew by themselves: another owner, or operators, do this for you.",
  elsewhere: "This person has a role elsewhere too, so two operators decide about it.",
  left: "You may not invite anybody here any more.",
  last_owner: "This person is the last owner here. Make somebody else an owner first."
}

const passkeyConflicts: Record<PasskeyConflict["reason"], string> = {
  too_many: `You have ${passkeysMax} passkeys, which is the most there may be.`,
  known: "This passkey is registered already.",
  not_first: "You have a passkey. Sign in with it.",
  last: "This installation demands passkeys, and you have no other one. Register another first.",
  not_here: "Browsers take no passkeys at the address of this installation: PUBLIC_URL has to be https, with a name."
}

const notLetIn =
  "The OpenID provider names no one with a role here, or does not confirm the address. Sign in by mail " +
  "or with a passkey, or ask an owner or an operator to invite you."
/** The details are for the log: who tries learns no more than that it was not enough. */
const openIdFailures = {
  not_here: refuseWith(
    (request_id) => new Wire.Conflict({ message: "This installation has no OpenID provider.", request_id })
  ),
  unreachable: busy,
  refused: refuseWith((request_id) => new Wire.Forbidden({ message: notLetIn, request_id }))
}

export const peopleRefusals = {
  PersonNotFound: refuseAs(Wire.PersonNotFound, ({ personId }: PersonNotFound) => ({
    message: `No person ${personId} has a role here.`
  })),
  InvitationNotFound: refuseAs(Wire.InvitationNotFound, ({ invitationId }: InvitationNotFound) => ({
    message: `There is no invitation ${invitationId} for you. It was withdrawn, or has ended.`
  })),
  TooManyInvitations: refuseTemporarilyAs(Wire.RateLimited, (_: TooManyInvitations) => ({
    message: "Too many invitations were sent today, in all or to this address. Try again tomorrow."
  })),
  TooManyRecoveries: refuseTemporarilyAs(Wire.RateLimited, (_: TooManyRecoveries) => ({
    message: "This person was let begin again too often today. Nothing was changed. Try again tomorrow."
  })),
  SessionNotFound: refuseAs(Wire.SessionNotFound, ({ sessionId }: SessionNotFound) => ({
    message: `You have no session ${sessionId}.`
  })),
  RoleConflict: refuseAs(Wire.Conflict, ({ reason }: RoleConflict) => ({ message: conflicts[reason] })),
  PasskeyNotFound: refuseAs(Wire.PasskeyNotFound, ({ passkeyId }: PasskeyNotFound) => ({
    message: `You have no passkey ${passkeyId}.`
  })),
  PasskeyConflict: refuseAs(Wire.Conflict, ({ reason }: PasskeyConflict) => ({ message: passkeyConflicts[reason] })),
  PasskeyRequired: refuseAs(Wire.Forbidden, (_: PasskeyRequired) => ({
    message:
      "This installation demands passkeys, and you have one: sign in with it. If it is lost, another owner of your " +
      "merchant or two operators can let you begin anew."
  })),
  // The reason is not for a browser without a passkey.
  PasskeyNotValid: (_: PasskeyNotValid) =>
    refuseField("credential", "is no passkey of anybody here, or answers another challenge. Begin again"),
  OpenIdFailed: ({ reason }: OpenIdFailed) => openIdFailures[reason],
  NobodyThere: refuseAs(Wire.Forbidden, (_: NobodyThere) => ({ message: notLetIn })),
  LinkNotValid: (_: LinkNotValid) =>
    refuseField(
      "token",
      "was used, is older than 15 minutes, or was asked for in another browser. Ask for a new link in this browser"
    )
}
