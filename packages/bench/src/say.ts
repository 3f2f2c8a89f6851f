/** Progress on standard error; standard output holds the results alone. */
export const say = (text: string) => process.stderr.write(`${text}\n`)
