/** A person who runs the installation, identified by a token. */
import { OperatorId } from "@coffer/model/Ids"
import { Role } from "@coffer/model/Role"
import { Schema } from "effect"

export const Operator = Schema.Struct({
  operatorId: OperatorId,
  name: Schema.String,
  role: Role,
  /** The people of the token: where two operators are needed, they and the token count as one. */
  personIds: Schema.Array(Schema.String),
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.DateTimeUtc,
  /** When the token was revoked; null while it is valid. */
  revokedAt: Schema.NullOr(Schema.DateTimeUtc)
})
export interface Operator extends Schema.Schema.Type<typeof Operator> {}
