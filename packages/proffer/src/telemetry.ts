export type { Redact, TelemetryOptions } from "./telemetry/options.ts";
export { telemetry } from "./telemetry/telemetry.ts";
