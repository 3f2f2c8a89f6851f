/**
 * Given facts, when a command, then facts: the only way rules are tested.
 * `evolve` builds the starting state, so a test cannot start from a state the
 * program can never reach.
 */
import { assert } from "@effect/vitest"
import type { Decision } from "@coffer/rules/Decision"

export const given =
  <State, Command, Event, Refusal extends { readonly reason: string }>(rules: {
    readonly decide: (state: State, command: Command) => Decision<Event, Refusal>
    readonly evolve: (state: State, event: Event) => State
    readonly initial: State
  }) =>
  (...past: ReadonlyArray<Event>) => {
    const state = past.reduce(rules.evolve, rules.initial)
    return {
      state,
      when: (command: Command) => {
        const decision = rules.decide(state, command)
        return {
          then: (...events: ReadonlyArray<Event>) => {
            assert.deepStrictEqual(decision.events, events)
            assert.isUndefined(decision.refusal)
          },
          thenRefused: (reason: Refusal["reason"], ...events: ReadonlyArray<Event>) => {
            assert.deepStrictEqual(decision.events, events)
            assert.strictEqual(decision.refusal?.reason, reason)
          }
        }
      }
    }
  }
