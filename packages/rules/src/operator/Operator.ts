/** A person who runs the installation, identified by a token. */
import { OperatorId } from "@coffer/model/Ids"
import { Role } from "@coffer/model/Role"
import { Schema } from "effect"

export const Operator = Schema.Struct({
  operatorId: OperatorId,
  name: Schema.String,
  role: Role,
  /** People who may act by the token: in acts of two they and it are one. */
  personIds: Schema.Array(Schema.String),
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.DateTimeUtc,
  /** When the token was revoked; null while it may be used. */
  revokedAt: Schema.NullOr(Schema.DateTimeUtc)
})
export interface Operator extends Schema.Schema.Type<typeof Operator> {}
