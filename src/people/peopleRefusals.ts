/** How the errors of people and of signing in become answers. */
import * as Wire from "@coffer/contract/Errors"
import { peopleMax } from "@coffer/rules/people/signIn"
import { refuseAs } from "../http/refusals.ts"
import { refuseField } from "../http/replies.ts"
import type { PersonNotFound, RoleConflict } from "./People.ts"
import type { LinkNotValid, SessionNotFound } from "./SignIn.ts"

const conflicts: Record<RoleConflict["reason"], string> = {
  has_role: "This person has a role here. Change the role instead.",
  too_many: `${peopleMax} people have a role here, which is the most there may be.`,
  last_owner: "This person is the last owner here. Make somebody else an owner first."
}

export const peopleRefusals = {
  PersonNotFound: refuseAs(Wire.PersonNotFound, ({ personId }: PersonNotFound) => ({
    message: `No person ${personId} has a role here.`
  })),
  SessionNotFound: refuseAs(Wire.PersonNotFound, ({ sessionId }: SessionNotFound) => ({
    message: `You have no session ${sessionId}.`
  })),
  RoleConflict: refuseAs(Wire.Conflict, ({ reason }: RoleConflict) => ({ message: conflicts[reason] })),
  LinkNotValid: (_: LinkNotValid) =>
    refuseField(
      "token",
      "was used, is older than 15 minutes, or was asked for in another browser. Ask for a new link in this browser"
    )
}
