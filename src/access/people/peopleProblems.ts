/** Why a person, an invitation or a role is not what was asked for (`People.ts`). */
import { Schema } from "effect"

export class PersonNotFound extends Schema.TaggedError<PersonNotFound>()("PersonNotFound", {
  personId: Schema.String
}) {}

/** It was withdrawn, has ended, or is for another person. */
export class InvitationNotFound extends Schema.TaggedError<InvitationNotFound>()("InvitationNotFound", {
  invitationId: Schema.String
}) {}

/** The day's limit of mails is reached: of this merchant, or to this address. */
export class TooManyInvitations extends Schema.TaggedError<TooManyInvitations>()("TooManyInvitations", {
  lasts: Schema.Duration
}) {}

/** The person's access was reset too often today: no mail could be sent, so nothing is revoked. */
export class TooManyRecoveries extends Schema.TaggedError<TooManyRecoveries>()("TooManyRecoveries", {
  lasts: Schema.Duration
}) {}

/** The role cannot be given or removed. */
export class RoleConflict extends Schema.TaggedError<RoleConflict>()("RoleConflict", {
  reason: Schema.Literals(["has_role", "invited", "too_many", "last_owner", "yourself", "elsewhere", "left"])
}) {}

/** A person without a role here, or another person at the provider than before. */
export class UnknownPerson extends Schema.TaggedError<UnknownPerson>()("UnknownPerson", { why: Schema.String }) {}
