/** Returns a key that occurs twice in one object of a JSON text; parsers keep only one of the values. */
export function findDuplicateKey(text: string): string | undefined {
  /** The keys of the open objects; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{") open.push(new Set());
    else if (char === "[") open.push(undefined);
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys !== undefined && isKey(text, end)) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The index after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && " \t\r\n".includes(text[at] as string)) at++;
  return text[at] === ":";
}
