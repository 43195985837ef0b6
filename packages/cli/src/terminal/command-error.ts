import { UsageError } from "proffer";
import { Text } from "./text.ts";

/**
 * A failure that the user can fix. The command line prints its message without a stack trace. A string is printed on one
 * line, because it may contain text of a server; pass a `Text` for more lines.
 */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  /** The exit code of the process. */
  readonly exitCode: number = 1;
  /** The message for a terminal. */
  readonly text: Text;

  constructor(message: string | Text, options?: ErrorOptions) {
    super(String(message), options);
    this.text = message instanceof Text ? message : Text.line(message);
  }
}

/** An invalid command line. */
export class WrongUsage extends CommandError {
  override readonly name = "WrongUsage";
  override readonly exitCode = 2;
}

/** The exit code of another process, which has said why itself. The command line prints nothing about it. */
export class PassedOnExit extends CommandError {
  override readonly name = "PassedOnExit";
  override readonly exitCode: number;

  constructor(exitCode: number) {
    super(`The process ended with exit code ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

/** The exit code that shells report for a command that SIGINT ended. */
export const INTERRUPTED = 130;

/** The user pressed Ctrl-C. The command line prints nothing about it. */
export class Interrupted extends CommandError {
  override readonly name = "Interrupted";
  override readonly exitCode = INTERRUPTED;
}

/** Converts a `UsageError` of the run-time, such as a port in use, to a `CommandError`, which is shown without a stack. */
export async function explainUsage<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UsageError) throw new CommandError(Text.block(error.message), { cause: error });
    throw error;
  }
}

/** Converts a `UsageError` about flags or variables to a `WrongUsage`. */
export function explainFlags<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof UsageError ? new WrongUsage(error.message, { cause: error }) : error;
  }
}
