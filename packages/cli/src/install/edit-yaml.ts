import { parseDocument } from "yaml";
import type { Edit } from "./edit.ts";

/** Edits YAML as a document, so that comments stay. */
export const editYaml: Edit = {
  read: (text) => open(text).toJS() ?? {},
  write(text, section, name, entry) {
    const document = open(text);
    if (entry === undefined) document.deleteIn([section, name]);
    else document.setIn([section, name], entry);
    // Long lines are the user's own affair.
    return document.toString({ lineWidth: 0 });
  },
};

function open(text: string) {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first !== undefined) throw new SyntaxError(first.message);
  return document;
}
