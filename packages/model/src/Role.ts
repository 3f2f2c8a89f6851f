/** An operator's role. `@coffer/contract/acts` says what each may do. */
import { Schema } from "effect"

/** Support helps merchants, finance moves money, and an admin does everything. A viewer only reads. */
export const Role = Schema.Literals(["viewer", "support", "finance", "admin"])
export type Role = typeof Role.Type
