export type { Redact, TelemetryOptions } from "./features/telemetry/telemetry.ts";
export { telemetry } from "./features/telemetry/telemetry.ts";
