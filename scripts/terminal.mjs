import util from "node:util";

/** A failure that its message explains; a stack would only hide it. */
export class Failure extends Error {}

/** Runs the job of a script. When it throws, the reason goes to stderr and the exit code is 1. */
export async function main(job) {
  try {
    await job();
  } catch (error) {
    const text = error instanceof Failure ? error.message : error.stack;
    const { red } = stylesFor(process.stderr);
    // Messages of tools may bring their own colours.
    process.stderr.write(`${red("✗")} ${isStyled(process.stderr) ? text : util.stripVTControlCharacters(text)}\n`);
    process.exitCode = 1;
  }
}

/** Says on stderr what is going on, so that stdout holds results only. */
export function progress(text) {
  process.stderr.write(`${stylesFor(process.stderr).dim("›")} ${text}\n`);
}

/** Styles for a stream; plain text where it is not a terminal or NO_COLOR is set. */
export function stylesFor(stream) {
  const style = (code) => (text) => (isStyled(stream) ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), cyan: style(36) };
}

function isStyled(stream) {
  return stream.isTTY && !process.env.NO_COLOR;
}
