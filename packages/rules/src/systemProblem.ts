/**
 * The operating system's error for a file: its code, message and call, as in `ENOSPC: no space left on device, write`.
 * The platform's own message has only a generic kind, or `Unknown`, and a file descriptor, which tells a reader
 * nothing.
 */
export const systemProblem = ({ cause, message }: { readonly message: string; readonly cause?: unknown }): string =>
  cause instanceof Error && "code" in cause && cause.message !== "" ? cause.message : message
