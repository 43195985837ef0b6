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
