/** Before each test file: metrics are reset. The files of one worker share the process, and so the registry. */
import { Context, Metric } from "effect"

Context.get(Context.empty(), Metric.MetricRegistry).clear()
