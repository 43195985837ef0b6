/** Lines of a module: a resource and a prompt. */
export const NOTE_AND_REVIEW: readonly string[] = [
  "/** A note. @resource notes://{id} */",
  "export function note(id: string): string {",
  '  return "note " + id;',
  "}",
  "/** Asks for a review. @prompt */",
  "export function review(code: string): string {",
  '  return "Review " + code;',
  "}",
];
