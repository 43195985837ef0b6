/** A failure that a person can mend. The command line prints its message without a stack and exits with code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
