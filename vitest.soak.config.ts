/** How `npm run test:soak` runs: the long forms of the tests that repeat something random (test/kit/run/soak.ts). */
import { configDefaults, defineConfig } from "vitest/config"
import { stuckFiles } from "./test/kit/run/stuckFiles.ts"
import { resolve, test } from "./vitest.config.ts"

export default defineConfig({
  resolve,
  test: {
    ...test,
    exclude: configDefaults.exclude,
    include: [
      "test/adyen/histories.test.ts",
      "test/cluster/{crash,deliveriesKilled,deliveriesOutage,followed{Failures,Lists},steps,twoRunners}.test.ts",
      "test/console/manyOrders.test.ts",
      "test/cluster/{failover,linearizability,postgres{Failover,Restart},supervised,upgrade}.test.ts",
      "test/http/edge/{fuzz,holders}.long.test.ts",
      "test/http/sandbox/clockJumps.test.ts",
      "test/http/orders/races.long.test.ts",
      "test/http/refunds/refundRaces.long.test.ts",
      "test/money/*.test.ts",
      "test/oracle/oracle.test.ts",
      "test/pages/{checkoutHostile,checkoutScreens,mainJob}.test.ts",
      "test/store/listIndexes.long.test.ts",
      "test/store/manyErased.long.test.ts",
      "test/stripe/{crash,faults,histories}.test.ts",
      "test/webhooks/manyDestinations.long.test.ts"
    ],
    env: { SOAK: "true" },
    testTimeout: 3_600_000,
    reporters: ["default", stuckFiles({ stuckMillis: 4_000_000 })]
  }
})
