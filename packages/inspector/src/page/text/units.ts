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
