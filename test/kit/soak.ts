/** How long something random is tried: for a while in `npm test`, for as long as it takes in `npm run test:soak`. */
export const isSoak = process.env["SOAK"] === "true"

export const rounds = (short: number, long: number): number => (isSoak ? long : short)
