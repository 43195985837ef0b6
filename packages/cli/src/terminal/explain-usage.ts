import { UsageError } from "proffer";
import { CommandError, WrongUsage } from "./command-error.ts";
import { Text } from "./text.ts";

/** Converts a `UsageError` of the run-time, such as a port in use, to a `CommandError`, which is shown without a stack. */
export async function explainUsage<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UsageError) throw new CommandError(Text.block(error.message), { cause: error });
    throw error;
  }
}

/** Converts a `UsageError` about flags or variables to a `WrongUsage`; returns other errors as they are. */
export function toWrongUsage(error: unknown): unknown {
  return error instanceof UsageError ? new WrongUsage(error.message, { cause: error }) : error;
}
