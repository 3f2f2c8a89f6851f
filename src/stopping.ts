/**
 * The signals that stop this process, and how long that may take. A closing terminal sends SIGHUP, too. Node would then
 * end the process at once, and leave an embedded Postgres running. So SIGHUP is an orderly stop, unless the program
 * uses it for something else.
 */
let onHangup = (): void => void process.kill(process.pid, "SIGTERM")

export const followHangup = (): void => void process.on("SIGHUP", () => onHangup())

/** From now on a SIGHUP runs this instead of a stop. */
export const atHangup = (work: () => void): void => {
  onHangup = work
}

/** Milliseconds. Then the stop is cut short (commandLine.ts). */
let limitMillis = 9_000

export const stopMillis = (): number => limitMillis

/** For a process that waits for others when it stops. */
export const setStopMillis = (longer: number) => {
  limitMillis = longer
}
