import type { Part } from "./expression.ts";
import { toText } from "./expression.ts";
import { TemplateError } from "./template-error.ts";

/** A template split into the components of RFC 3986. No section contains the "?" or "#" that begins it. */
export interface Sections {
  readonly path: Part[];
  query?: Part[];
  fragment?: Part[];
}

/** Splits a template into path, query and fragment. @throws {TemplateError} if a section would begin twice. */
export function toSections(text: string, parts: readonly Part[]): Sections {
  const sections: Sections = { path: [] };
  for (const part of parts) {
    if (typeof part === "string") {
      addLiteral(sections, part);
      continue;
    }
    if (part.operator === "?") {
      if (sections.query !== undefined || sections.fragment !== undefined) {
        throw new TemplateError(
          text,
          part.position,
          `${toText(part)} cannot begin a query here. Use {&…} after a "?".`,
        );
      }
      sections.query = [];
    }
    if (part.operator === "#") {
      if (sections.fragment !== undefined) {
        throw new TemplateError(text, part.position, `${toText(part)} begins a second fragment. Use {+…} after a "#".`);
      }
      sections.fragment = [];
    }
    last(sections).push(part);
  }
  return sections;
}

function addLiteral(sections: Sections, literal: string): void {
  let rest = literal;
  const hash = rest.indexOf("#");
  const question = rest.indexOf("?");
  const beginsQuery = question !== -1 && (hash === -1 || question < hash);
  if (sections.query === undefined && sections.fragment === undefined && beginsQuery) {
    addText(sections.path, rest.slice(0, question));
    sections.query = [];
    rest = rest.slice(question + 1);
  }
  const end = sections.fragment === undefined ? rest.indexOf("#") : -1;
  if (end !== -1) {
    addText(last(sections), rest.slice(0, end));
    sections.fragment = [];
    rest = rest.slice(end + 1);
  }
  addText(last(sections), rest);
}

function addText(parts: Part[], text: string): void {
  if (text !== "") parts.push(text);
}

function last(sections: Sections): Part[] {
  return sections.fragment ?? sections.query ?? sections.path;
}
