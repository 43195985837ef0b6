/** The maximum length of template text in a message. */
const MAX_QUOTED = 200;

/** A template that cannot be parsed, expanded, matched or routed. The message contains the position and the fix. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  /** The text of the template. */
  readonly template: string;
  /** The position of the problem in the text, counted from 0. */
  readonly position: number;

  constructor(template: string, position: number, problem: string) {
    super(`Template ${quote(template)}, position ${position}: ${problem}`);
    this.template = template;
    this.position = position;
  }
}

/** Quotes a text for a message: control characters are escaped, and a long text is truncated. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
