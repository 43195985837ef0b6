/** A failure that a person can mend. The command line prints its message without a stack. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  /** What the process exits with. */
  readonly exitCode: number = 1;
}

/** The command line itself is wrong. */
export class WrongUsage extends CommandError {
  override readonly name = "WrongUsage";
  override readonly exitCode = 2;
}
