/** A failure that the user can fix. The command line prints its message without a stack trace. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  /** The exit code of the process. */
  readonly exitCode: number = 1;
}

/** An invalid command line. */
export class WrongUsage extends CommandError {
  override readonly name = "WrongUsage";
  override readonly exitCode = 2;
}
