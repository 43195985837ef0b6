/** How a format is edited. */
export interface Edit {
  /** The value of the whole text. @throws {Error} that says where it is malformed. */
  read(text: string): unknown;
  /** The text with an entry set, or removed if it is undefined; all the rest as it was. */
  write(text: string, section: string, name: string, entry: object | undefined): string;
}
