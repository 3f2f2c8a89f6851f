/** Exit code 0 when the service of this container can work, and 1 otherwise. It is asked where it listens. */
const host = process.env.HOST ?? "0.0.0.0"
const at = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
const url = `http://${at}:${process.env.PORT ?? 8080}/readyz`

const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
process.exit(answer?.status === 200 ? 0 : 1)
