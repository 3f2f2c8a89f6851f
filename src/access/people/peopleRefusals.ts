/** Errors of people and of signing in as errors on the wire. */
import * as Wire from "@coffer/contract/Errors"
import { passkeysMax, peopleMax } from "@coffer/rules/people/signIn"
import { refuseAs, refuseTemporarilyAs } from "../../shared/http/refusals.ts"
import { busy, refuseField, refuseWith } from "../../shared/http/replies.ts"
import type { PasskeyConflict, PasskeyNotFound, PasskeyNotValid } from "./Passkeys.ts"
import type { MerchantStands } from "./InvitationStore.ts"
import type { OpenIdFailed } from "./OpenId.ts"
import type {
  InvitationNotFound,
  UnknownPerson,
  PersonNotFound,
  RoleConflict,
  TooManyInvitations,
  TooManyRecoveries
} from "./peopleProblems.ts"
import type { LinkNotValid, PasskeyRequired, SessionNotFound } from "./SignIn.ts"

const conflicts: Record<RoleConflict["reason"], string> = {
  has_role: "This person already has a role here. Change the role instead.",
  invited: "This person is already invited. Resend or cancel the invitation.",
  too_many: `${peopleMax} people limit reached, including invitations.`,
  yourself: "You can't reset your own access. Ask another owner or an operator.",
  elsewhere: "This person also has a role elsewhere, so two operators have to do this.",
  left: "You can no longer give roles here.",
  last_owner: "This person is the last owner. Make another person an owner first."
}

const passkeyConflicts: Record<PasskeyConflict["reason"], string> = {
  too_many: `Passkey limit reached (${passkeysMax}).`,
  known: "This passkey is already registered.",
  not_first: "You already have a passkey. Sign in with it.",
  last: "A passkey is required here, and this is your last one. Register another one first.",
  not_here: "Browsers don't support passkeys at this address: PUBLIC_URL has to be https, with a host name."
}

const notAllowedIn =
  "The OpenID provider's account has no role here, or its email is not verified. Sign in by email " +
  "or with a passkey, or ask an owner or an operator to invite you."
/** The details are for the log: the client only learns that it was refused. */
const openIdFailures = {
  not_here: refuseWith(
    (request_id) => new Wire.Conflict({ message: "This installation has no OpenID provider.", request_id })
  ),
  unreachable: busy,
  refused: refuseWith((request_id) => new Wire.Forbidden({ message: notAllowedIn, request_id }))
}

export const peopleRefusals = {
  PersonNotFound: refuseAs(Wire.PersonNotFound, ({ personId }: PersonNotFound) => ({
    message: `No person ${personId} has a role here.`
  })),
  InvitationNotFound: refuseAs(Wire.InvitationNotFound, ({ invitationId }: InvitationNotFound) => ({
    message: `No invitation ${invitationId} for you. It was cancelled, or has expired.`
  })),
  MerchantStands: refuseAs(Wire.Forbidden, ({ problem }: MerchantStands) => ({ message: problem })),
  TooManyInvitations: refuseTemporarilyAs(Wire.RateLimited, (_: TooManyInvitations) => ({
    message: "Too many invitations were sent today, in total or to this address. Try again tomorrow."
  })),
  TooManyRecoveries: refuseTemporarilyAs(Wire.RateLimited, (_: TooManyRecoveries) => ({
    message: "This person's access was reset too often today. Nothing was changed. Try again tomorrow."
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
      "A passkey is required here: sign in with yours. If you have lost it, another owner of your " +
      "merchant or two operators can reset your access."
  })),
  // The reason is not for a browser without a passkey.
  PasskeyNotValid: (_: PasskeyNotValid) =>
    refuseField("credential", "is not a passkey registered here, or the request expired. Try again"),
  OpenIdFailed: ({ reason }: OpenIdFailed) => openIdFailures[reason],
  UnknownPerson: refuseAs(Wire.Forbidden, (_: UnknownPerson) => ({ message: notAllowedIn })),
  LinkNotValid: (_: LinkNotValid) =>
    refuseField(
      "token",
      "has been used, has expired, or was requested in another browser. Request a new link in this browser"
    )
}
