import { UsageError } from "proffer";
import { CommandError } from "./command-error.ts";
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
