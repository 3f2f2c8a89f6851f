/** A person's role for a merchant. `@coffer/contract/acts` says what each may do. */
import { Schema } from "effect"

/**
 * An owner does everything. A developer sets up and tests the integration, support helps buyers, finance moves money. A
 * viewer only reads.
 */
export const PersonRole = Schema.Literals(["owner", "developer", "support", "finance", "viewer"])
export type PersonRole = typeof PersonRole.Type

/** The place of a role: a merchant, or the installation, whose people are its operators. */
export const installation = "installation"
