export type { Redact, TelemetryOptions } from "./features/telemetry/options.ts";
export { telemetry } from "./features/telemetry/telemetry.ts";
