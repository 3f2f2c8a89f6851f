/** Loaded before the program: its machine's clock is as far ahead as the environment says (`followers.ts`). */
const real = Date.now
const ahead = Number(process.env["CLOCK_AHEAD_MILLIS"])
Date.now = () => real() + ahead
