import { UsageError } from "proffer";
import { CommandError } from "./command-error.ts";

/** What the run-time refuses is for the user to mend, such as a port that is taken: no stack is needed. */
export async function explainUsage<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UsageError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
