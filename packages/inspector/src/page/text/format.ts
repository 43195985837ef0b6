/** Milliseconds as people read them: `0.4 ms`, `12 ms`, `1.3 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Bytes: exact below 10 kB, then `12.3 kB`, `4.5 MB`. */
export function size(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const ESTIMATE = "An estimate: about 4.4 bytes of a list are one token; tokenizers differ.";

/** Estimated tokens, and how much of a large context they fill: `≈ 412 tokens, 0.2 % of a context of 200k`. */
export function tokenShare(tokens: number): string {
  const percent = tokens / 2000;
  const share = percent > 0 && percent < 0.1 ? "less than 0.1" : percent.toFixed(percent < 10 ? 1 : 0);
  return `≈ ${tokens} tokens, ${share} % of a context of 200k`;
}

/** `1 tool`, `2 tools`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * Controls, escapes of terminals, and characters that change the direction of text or cannot be seen: a server could use
 * them to make a name look like another one. Line ends, tabs, and joiners between pictures stay.
 */
const HIDDEN =
  /(?![\t\n]|\r\n|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text from a server with everything that hides made visible, such as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (hidden) => {
    const point = hidden.codePointAt(0) ?? 0;
    return `⟨U+${point.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Decodes base64, also of the alphabet for URLs; undefined if it is malformed. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Half a line of `hexdump`, so that a line fits into a pane. */
const WIDTH = 8;

/** Lines of offset, bytes and characters. */
export function hexLines(bytes: Uint8Array, most: number): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, most); at += WIDTH) {
    const row = [...bytes.subarray(at, Math.min(at + WIDTH, most))];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(WIDTH * 3)} ${text}`);
  }
  return lines.join("\n");
}

/** A text is cut at this length, where possible at a line end. */
const MAX_START = 10_000;
const CHUNK = 50_000;

/** The start of a text. */
export function cutText(text: string): string {
  return text.slice(0, endOfChunk(text, 0, MAX_START));
}

/** Divides a text, where possible at line ends: each chunk is drawn as a block. */
export function textChunks(text: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfChunk(text, at, CHUNK);
    chunks.push(text.slice(at, end).replace(/\n$/, ""));
    at = end;
  }
  return chunks;
}

function endOfChunk(text: string, from: number, length: number): number {
  if (text.length - from <= length) return text.length;
  const lineEnd = text.lastIndexOf("\n", from + length);
  const end = lineEnd > from ? lineEnd + 1 : from + length;
  // Not within a character of two units.
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 || end : end;
}
