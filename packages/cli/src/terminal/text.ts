import { styleText } from "node:util";
import { redact } from "./redact.ts";

export const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
export type StyleName = (typeof STYLES)[number];

/**
 * The characters that no other text may bring to a terminal: control characters (C0, DEL and C1) start escape
 * sequences that move the cursor or write to the clipboard; bidirectional controls reorder the visible text; U+2028
 * and U+2029 end a line.
 */
const UNSAFE = /[^\P{Cc}\t]|[\p{Bidi_Control}\u2028\u2029]/gu;
/** `JSON.stringify` already escapes C0. The rest can occur only inside of strings. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;
const UNSAFE_IN_BLOCK = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that only set colors.
const COLORS = /\u001b\[[\d;:]*m/g;

/**
 * Text that is safe to write to a terminal. All output consists of it, and a string becomes part of it only escaped, so
 * that no output can forget the text of a hostile server. Create it with the template tag `text`.
 */
export class Text {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** Escapes a string to one line: `\n` and other unsafe characters become visible escapes. */
  static line(value: string): Text {
    return new Text(value.replace(UNSAFE, toEscape));
  }

  /**
   * Escapes a string that may have several lines. Colors are removed. The lines after the first are indented, so that
   * none of them looks like a line of Proffer.
   */
  static block(value: string, indent = ""): Text {
    const lines = value.replace(COLORS, "").replaceAll("\r\n", "\n");
    return new Text(lines.replace(UNSAFE_IN_BLOCK, toEscape).replaceAll("\n", `\n${indent}`));
  }

  /** Returns contents as a block for a terminal. In a pipe they are data for a program and stay unchanged. */
  static contents(value: string, isTerminal: boolean, indent = ""): Text {
    return isTerminal ? Text.block(value, indent) : new Text(value);
  }

  /** Serializes a value to JSON that parses to the same value and contains no unsafe characters. */
  static json(value: unknown, indent?: number): Text {
    return new Text((JSON.stringify(value, undefined, indent) ?? "null").replace(UNSAFE_IN_JSON, toEscape));
  }

  /** Hides secrets, for errors and logs. */
  static redact(value: Text): Text {
    return new Text(redact(value.#value));
  }

  static join(texts: readonly Text[], separator: string): Text {
    return new Text(texts.map(String).join(separator));
  }

  static style(name: StyleName, value: string | Text): Text {
    return new Text(styleText(name, String(text`${value}`), { validateStream: false }));
  }

  /** Joins the parts of a template. */
  static compose(strings: TemplateStringsArray, values: readonly (string | number | Text)[]): Text {
    const parts = strings.map((part, index) => {
      const value = values[index];
      if (value === undefined) return part;
      return `${part}${value instanceof Text ? value : Text.line(String(value))}`;
    });
    return new Text(parts.join(""));
  }

  get isEmpty(): boolean {
    return this.#value === "";
  }

  toString(): string {
    return this.#value;
  }
}

/**
 * Template tag for text on a terminal. Strings in it are escaped to one line.
 * @example print(text`${bold("Tool")} ${tool.name}`);
 */
export function text(strings: TemplateStringsArray, ...values: readonly (string | number | Text)[]): Text {
  return Text.compose(strings, values);
}

/** Cuts a longer text and marks the cut. */
export function shorten(value: string, max: number): string {
  return value.length > max ? `${value.slice(0, max)}…` : value;
}

function toEscape(character: string): string {
  if (character === "\n") return "\\n";
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
