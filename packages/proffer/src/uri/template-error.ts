/** How much of a template a message repeats. */
const SHOWN = 200;

/** A template that cannot be parsed, expanded, matched or routed. The message names the template, the place and the remedy. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  /** The text of the template. */
  readonly template: string;
  /** Where in the text the trouble begins, counted from 0. */
  readonly position: number;

  constructor(template: string, position: number, problem: string) {
    super(`Template ${quote(template)}, position ${position}: ${problem}`);
    this.template = template;
    this.position = position;
  }
}

/** Shows a text in a message, without its control characters and not at any length. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}
