import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { LOG_LEVELS, type LogLevel } from "../protocol/model.ts";

export function setLevel(call: Call): object {
  const { level } = call.params;
  if (!(LOG_LEVELS as readonly unknown[]).includes(level)) {
    throw new InvalidParams(`params.level must be one of ${LOG_LEVELS.join(", ")}.`);
  }
  // Without a session there is no place to keep it.
  if (call.origin.session !== undefined) call.origin.session.logLevel = level as LogLevel;
  return {};
}
