/** Stripe observes the laws of channels, against its simulator. */
import { observesTheLaws } from "./suite.ts"
import { stripe } from "./stripe.ts"

observesTheLaws(stripe)
