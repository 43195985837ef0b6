/** The prefixes of operation names. */
export const ASK = "ask ";
export const STEP = "step ";

/**
 * The answers and step results of a call so far, as JSON by operation. It keeps the text that travels in the state, one
 * line for each: only the values that a handler asks for are parsed, and a handler that modifies such a value does not
 * affect its next run.
 */
export class ReplayLog {
  /** Each line starts with a newline; JSON contains no raw newline. */
  text: string;
  /** The number of answers among the lines. */
  answers: number;
  /** The end of the last match. A handler that runs again usually asks in the same order. */
  #at = 0;

  constructor(text = "", answers = 0) {
    this.text = text;
    this.answers = answers;
  }

  /** Returns the JSON of an answer or a step result (empty for undefined), or undefined if it is not in the log. */
  get(operation: string): string | undefined {
    const line = `\n${operation}\t`;
    let start = this.text.indexOf(line, this.#at);
    if (start < 0) start = this.text.lastIndexOf(line, this.#at);
    if (start < 0) return undefined;
    const end = this.text.indexOf("\n", start + 1);
    this.#at = end < 0 ? this.text.length : end;
    return this.text.slice(start + line.length, this.#at);
  }

  /** Adds an answer or a step result that is not in the log. */
  add(operation: string, json: string): void {
    this.text += `\n${operation}\t${json}`;
    if (operation.startsWith(ASK)) this.answers++;
  }
}
