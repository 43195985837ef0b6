/** Reads and edits one file format. */
export interface Edit {
  /** Parses the text. @throws {Error} with the position of a syntax error. */
  read(text: string): unknown;
  /** Returns the text with an entry set, or removed if it is undefined. Everything else stays unchanged. */
  write(text: string, section: string, name: string, entry: object | undefined): string;
}
