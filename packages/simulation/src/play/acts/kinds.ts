/** The kinds of callers. A world draws its own from them. */
import type { Story } from "../Story.ts"
import { closing, lapsing } from "./closing.ts"
import { buying, pressing, visiting } from "./buyers.ts"
import { disputing } from "./disputes.ts"
import { erasing } from "./erasures.ts"
import { expiring, paying, renaming } from "./orders.ts"
import { following, ordering } from "./following.ts"
import { payingOut } from "./payouts.ts"
import { holding } from "./holding.ts"
import { returning } from "./returning.ts"
import { revoking, spending } from "./spending.ts"

export type Act = (story: Story, no: number) => Promise<void>

export const kinds: ReadonlyArray<Act> = [
  paying,
  paying,
  renaming,
  expiring,
  disputing,
  payingOut,
  buying,
  visiting,
  pressing,
  erasing,
  closing,
  lapsing,
  spending,
  revoking,
  following,
  ordering,
  returning,
  holding
]
