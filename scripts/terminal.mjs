import util from "node:util";

/** A failure whose message is enough: it is printed without a stack trace. */
export class Failure extends Error {}

/** Runs the job of a script. If it throws, prints the reason to stderr and sets the exit code to 1. */
export async function main(job) {
  try {
    await job();
  } catch (error) {
    const text = error instanceof Failure ? error.message : error.stack;
    const { red } = stylesFor(process.stderr);
    // The messages of tools may have colors.
    process.stderr.write(`${red("✗")} ${isStyled(process.stderr) ? text : util.stripVTControlCharacters(text)}\n`);
    process.exitCode = 1;
  }
}

/** Prints progress to stderr, so that stdout contains only results. */
export function progress(text) {
  process.stderr.write(`${stylesFor(process.stderr).dim("›")} ${text}\n`);
}

/** Returns styles for a stream; plain text if it is not a terminal or NO_COLOR is set. */
export function stylesFor(stream) {
  const style = (code) => (text) => (isStyled(stream) ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), cyan: style(36) };
}

function isStyled(stream) {
  return stream.isTTY && !process.env.NO_COLOR;
}

/**
 * Calls `stop` if npm ends. npm sends a signal to the shell between itself and this process. The shell exits without
 * passing it on, and this process gets another parent.
 */
export function whenOrphaned(stop) {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid !== parent) stop();
  }, 500);
  timer.unref();
}
