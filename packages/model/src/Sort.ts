/** The orders of a list that can be sorted: `-` is downwards, and newest first is the default (silences: P28). */
export const sorts = ["-created", "created", "-amount", "amount"] as const
export type Sort = (typeof sorts)[number]
