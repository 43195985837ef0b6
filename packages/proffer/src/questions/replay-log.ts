/** What the names of operations begin with. */
export const ASK = "ask ";
export const STEP = "step ";

/**
 * What is known in a call: answers and results of steps as JSON, by operation. It stays the text that travels, a line for
 * each: nothing is parsed but what a handler asks for, and whatever it does to that, its next run gets it as it was.
 */
export class ReplayLog {
  /** Each line begins with its end of line, which JSON does not have inside. */
  text: string;
  /** How many of them are answers. */
  answers: number;
  /** Where one was found last: a handler that runs again asks in the same order. */
  #at = 0;

  constructor(text = "", answers = 0) {
    this.text = text;
    this.answers = answers;
  }

  /** The JSON of an answer or a result; empty for undefined, which JSON does not have. Undefined for what is not known. */
  get(operation: string): string | undefined {
    const line = `\n${operation}\t`;
    let start = this.text.indexOf(line, this.#at);
    if (start < 0) start = this.text.lastIndexOf(line, this.#at);
    if (start < 0) return undefined;
    const end = this.text.indexOf("\n", start + 1);
    this.#at = end < 0 ? this.text.length : end;
    return this.text.slice(start + line.length, this.#at);
  }

  /** Adds what was not known. */
  add(operation: string, json: string): void {
    this.text += `\n${operation}\t${json}`;
    if (operation.startsWith(ASK)) this.answers++;
  }
}
