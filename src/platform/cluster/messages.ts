/**
 * The shapes of the messages between runners, as numbers. Runners talk if both know a number. A test holds the first
 * number to what the messages look like, and says what to do when they change (`test/cluster/messages.test.ts`).
 */

/** Those that this program understands, its own first. An older one stays while both versions can read each other. */
export const shapes: ReadonlyArray<number> = [12]
