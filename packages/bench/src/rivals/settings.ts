/** The settings of a rival's process, from its environment: the same names as the service's. */
export interface RivalSettings {
  readonly databaseUrl: string
  readonly port: number
  readonly publicUrl: string
  readonly secretKey: string
}

export const readSettings = (): RivalSettings => {
  const read = (name: string) => {
    const value = process.env[name]
    if (value === undefined) throw new Error(`${name} is not set`)
    return value
  }
  return {
    databaseUrl: read("DATABASE_URL"),
    port: Number(read("PORT")),
    publicUrl: read("PUBLIC_URL"),
    secretKey: read("SECRET_KEY")
  }
}
