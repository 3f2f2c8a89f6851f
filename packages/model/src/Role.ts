/** What an operator may do. What each role stands for: `@coffer/rules/operator/acts`. */
import { Schema } from "effect"

/** Support helps merchants, finance moves money, and an admin does everything. A viewer only reads. */
export const Role = Schema.Literals(["viewer", "support", "finance", "admin"])
export type Role = typeof Role.Type
