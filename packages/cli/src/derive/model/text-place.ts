import type ts from "typescript";

/** A position in the text of a file, for problems of a comment. */
export interface TextPlace {
  readonly file: ts.SourceFile;
  readonly pos: number;
}
