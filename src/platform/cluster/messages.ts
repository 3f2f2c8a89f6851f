/**
 * Version numbers of the messages between runners. Runners talk if both know a number. A test compares the messages
 * with those for which the first number was given, and says what may change (`test/rules/messages.test.ts`).
 */

/**
 * The versions that this program understands, its own first. An older one stays while both versions can read each
 * other.
 */
export const shapes: ReadonlyArray<number> = [13, 12]
