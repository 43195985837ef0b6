/** A member of an object, or an element of an array, which has no name. */
export interface Member {
  readonly name: string | undefined;
  readonly members: readonly Member[];
}

/** Reads valid JSON and returns its structure, with duplicate keys and the depth of the nesting. */
export function readMembers(json: string): { readonly depth: number; readonly members: readonly Member[] } {
  const tokens = json.match(/"(?:\\.|[^"\\])*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs) ?? [];
  let at = 0;
  let depth = 0;

  function readValue(level: number): Member[] {
    const opening = tokens[at++];
    if (opening !== "{" && opening !== "[") return [];
    depth = Math.max(depth, level);
    const members: Member[] = [];
    while (tokens[at] !== "}" && tokens[at] !== "]") {
      let name: string | undefined;
      if (opening === "{") {
        name = JSON.parse(tokens[at] ?? "");
        at += 2;
      }
      members.push({ name, members: readValue(level + 1) });
      if (tokens[at] === ",") at++;
    }
    at++;
    return members;
  }

  return { members: readValue(1), depth };
}
