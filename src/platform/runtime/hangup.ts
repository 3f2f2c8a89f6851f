/**
 * What SIGHUP does, which a terminal that closes sends, too. Node would end the process without a word, and leave an
 * embedded Postgres behind. So it is a stop in good order, unless the program does something else with it.
 */
let act = (): void => void process.kill(process.pid, "SIGTERM")

export const follow = (): void => void process.on("SIGHUP", () => act())

/** Does this instead from now on. */
export const insteadOfStop = (other: () => void): void => {
  act = other
}
