/** How long something random is tried: for a while in `npm test`, for as long as it takes in `npm run test:soak`. */
export const isSoak = process.env["SOAK"] === "true"

export const rounds = (short: number, long: number): number => (isSoak ? long : short)

/**
 * How long clients rest between what they do, milliseconds. Without a rest they take all of the machine, and what the
 * test waits for, such as the start of a process, takes several times as long.
 */
export const restMillis = rounds(100, 0)
