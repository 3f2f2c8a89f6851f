/** The channel in memory observes the laws of channels. */
import { memory } from "./memory.ts"
import { observesTheLaws } from "./suite.ts"

observesTheLaws(memory)
