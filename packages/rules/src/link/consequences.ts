/** A link moves no money and announces nothing: the orders that visits make do (spec: Payment link). Pure. */
import { type Consequence, nothing } from "../Consequence.ts"

export const consequences = (): Consequence => nothing
