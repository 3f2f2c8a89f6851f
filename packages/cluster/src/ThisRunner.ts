/**
 * The application and this process, as the package has to know them. The application provides it, once, beneath all
 * layers of the package. Runners of one cluster have the same `application`, and each has an address of its own.
 */
import { Context } from "effect"

/** The address of a runner. */
export interface Place {
  readonly host: string
  readonly port: number
}

export class ThisRunner extends Context.Service<
  ThisRunner,
  {
    /** The application's name: lower case, letters only. Names of metrics, keys and protocols begin with it. */
    readonly application: string
    /** The application's version, for people who read the log. */
    readonly version: string
    /**
     * The shapes of messages that this program understands, as numbers, its own first. An older one stays in the list
     * while both versions can read each other. Runners without a number in common do not talk.
     */
    readonly messages: ReadonlyArray<number>
    /** The newest migration of the application's tables that this program knows; undefined where it counts none. */
    readonly newestMigration?: number | undefined
    /** The name of this process among the sessions of Postgres (`Tenancy.processNameOf`). */
    readonly process: string
    /** The address for other runners. Undefined for a process outside a cluster. */
    readonly place: Place | undefined
  }
>()("@coffer/cluster/ThisRunner") {}

/** The parts that runners of one application share. */
export type Application = Pick<ThisRunner["Service"], "application" | "messages">

export const addressOf = ({ host, port }: Place): string => `${host}:${port}`

/** Whether runners that understand these shapes can talk to each other. */
export const canTalk = (some: ReadonlyArray<number>, others: ReadonlyArray<number>): boolean =>
  some.some((shape) => others.includes(shape))

/**
 * Whether this runner wants shards now, and the reason that the others log when it does not. It wants them always
 * unless the application says otherwise.
 */
export const TakesPart = Context.Reference<{ readonly now: () => boolean; readonly otherwise: string }>(
  "@coffer/cluster/TakesPart",
  { defaultValue: () => ({ now: () => true, otherwise: "it takes no part for now" }) }
)
