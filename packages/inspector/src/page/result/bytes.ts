/** Decodes base64, also of the alphabet for URLs; undefined if it is malformed. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Half of what `hexdump` shows, so that a line fits into a pane. */
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
