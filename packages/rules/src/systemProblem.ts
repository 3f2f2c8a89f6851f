/**
 * The operating system's word about a file that could not be used: its code, its words and its call, as in `ENOSPC: no
 * space left on device, write`. The platform's own message has one of a few kinds instead, or `Unknown`, and the number
 * of a file, which tells a reader nothing.
 */
export const systemProblem = ({ cause, message }: { readonly message: string; readonly cause?: unknown }): string =>
  cause instanceof Error && "code" in cause && cause.message !== "" ? cause.message : message
