/** Milliseconds that a reader of stderr gets. One that has stopped must not keep the process alive. */
const PATIENCE = 5000;

/** Ends the process when stderr is written: a pipe takes 64 KiB at a time, and `process.exit` drops the rest. */
export function exitWhenWritten(code: number): void {
  const exit = () => process.exit(code);
  setTimeout(exit, PATIENCE);
  process.stderr.write("", exit);
}
