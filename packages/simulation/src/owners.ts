/** Who runs a step: a runner's number, the callers, or the machinery between them and Postgres. */
export const callers = 0
export const machinery = -1
