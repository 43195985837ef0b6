/**
 * The entries of 156 tools of the fixtures have about 4.4 bytes for each token of OpenAI's o200k and of Anthropic's
 * published tokenizer; single tools have 3.8 to 5.1.
 */
export const BYTES_PER_TOKEN = 4.4;

/** Estimates the number of tokens. */
export function tokensOf(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}
