/**
 * The signals that stop this process, and how long that may take. A closing terminal sends SIGHUP, too. Node would end
 * the process at once then, and leave an embedded Postgres behind. So it is a stop in good order, unless the program
 * does something else with it.
 */
let onHangup = (): void => void process.kill(process.pid, "SIGTERM")

export const followHangup = (): void => void process.on("SIGHUP", () => onHangup())

/** Does this at a SIGHUP from now on, and stops no more. */
export const atHangup = (work: () => void): void => {
  onHangup = work
}

/** Milliseconds. Then the stop is cut short (commandLine.ts). */
let limitMillis = 9_000

export const stopMillis = (): number => limitMillis

/** For a process that waits for others as it stops. */
export const setStopMillis = (longer: number) => {
  limitMillis = longer
}
